package endpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/network"
)

// recordProofs records a node's data on a range with proofs.
func recordProofs(ctx context.Context, blocks chain.Heights, accounts []chain.Address, flags *recordFlags, progress func(done, total uint64)) (cli.Record, error) {
	o := proofs.RecordOptions{First: blocks.First, Last: blocks.Last, Concurrency: flags.Concurrency, Progress: progress}
	var err error
	if o.Trusted, err = flags.Trusted(); err != nil {
		return nil, err
	}
	tables, err := app.ReadTables(flags.networkFile)
	if err != nil {
		return nil, err
	}
	if o.Accounts, err = app.NativesOf(tables, accounts); err != nil {
		return nil, err
	}
	o.ParameterKey = func(r proofs.RuntimeName) string { return tables.ParameterKey(r.SpecName, r.SpecVersion) }
	o.BaseFeeItem = func(r proofs.RuntimeName) string { return tables.BaseFeeItem(r.SpecName, r.SpecVersion) }
	from, err := flags.origin(ctx)
	if err != nil {
		return nil, err
	}
	if flags.dryRun {
		return flags.forecast(ctx, from, o)
	}
	manifest, err := proofs.Record(ctx, from, flags.directory, o)
	if err == nil && flags.finality {
		err = flags.recordFinality(ctx, chain.Anchor{Height: manifest.Last, Hash: manifest.LastHash})
	}
	if err != nil {
		return nil, err
	}
	return ofProofs(flags.directory, manifest, o.Trusted)
}

// origin returns the node named by the flag, or an archive with proofs.
func (f *recordFlags) origin(ctx context.Context) (proofs.Origin, error) {
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	place := f.Place()
	if proofs.Is(place) {
		return proofs.FromArchive(ctx, place)
	}
	if !strings.Contains(place, "://") {
		return nil, fmt.Errorf("--gateway %s cannot supply proofs; name a node's URL (wss://…, https://…) or an archive recorded with --proofs", place)
	}
	client, err := rpc.New(place, options)
	if err != nil {
		return nil, err
	}
	f.Closes(client)
	return proofs.FromNode(client), nil
}

// forecast estimates the effort of recording a range.
func (f *recordFlags) forecast(ctx context.Context, from proofs.Origin, o proofs.RecordOptions) (cli.Record, error) {
	o.Progress = nil
	made, err := proofs.NewForecast(ctx, from, o, f.RPS)
	if err != nil {
		return nil, err
	}
	return cli.Record{
		{"blocks", made.Blocks}, {"requests", made.Questions}, {"messages", made.Messages},
		{"hours", fmt.Sprintf("%.2f", made.Duration.Hours())}, {"gigabytes", fmt.Sprintf("%.3f", float64(made.Bytes)/1e9)},
	}, nil
}

const joinManual = `Join archives recorded with --proofs into one, for example when several
machines recorded parts of a range. The parts must be of one chain; they can be
in any order and may overlap. The result equals, byte for byte, a recording of
the whole range. Each part is proved as it is read, and by the part above it:
one checkpoint (--trust) proves everything. Evidence of finality is taken from
the highest part that has some.`

const joinExamples = `  fees archive record 0..499 -o low --proofs --gateway wss://HOST
  fees archive record 500..999 -o high --proofs --gateway wss://OTHER
  fees archive join low high -o all --trust 999:0xHASH`

// joinFlags are the flags of fees archive join.
type joinFlags struct {
	cli.GatewayFlags
	cli.Output
	cli.QuietFlag
	directory string
}

func newJoin() *cobra.Command {
	var f joinFlags
	c := cli.New(&cobra.Command{
		Use: "join <DIR> <DIR>... -o DIR", Short: "Join archives with proofs into one", Long: joinManual, Example: joinExamples, RunE: f.join,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("fees archive join needs two or more archives with proofs")
			}
			return nil
		},
	}, f.AddTrust, f.StdoutForms("table", "json"), f.AddQuiet)
	c.Flags().StringVarP(&f.directory, "output", "o", "", "the directory to write to, created if necessary")
	return c
}

func (f *joinFlags) join(c *cobra.Command, args []string) error {
	if f.directory == "" {
		return errors.New("-o is missing; name the directory to write to with -o DIR")
	}
	if set, err := f.TrustSet(); err != nil || set.Known() {
		return cmp.Or(err, errors.New("--trust-set checks one archive; join them, then run \"fees archive verify\""))
	}
	trusted, err := f.Trusted()
	if err != nil {
		return err
	}
	manifest, err := proofs.Join(c.Context(), args, f.directory, proofs.JoinOptions{Trusted: trusted, Progress: f.Progress(c, "blocks").Show})
	if err != nil {
		return err
	}
	r, err := ofProofs(f.directory, manifest, trusted)
	if err != nil {
		return err
	}
	return f.WriteRecord(r)
}

// verifyProofs verifies an archive with proofs.
func verifyProofs(ctx context.Context, directory string, trusted chain.Optional[chain.Anchor], progress func(done, total uint64)) (cli.Record, error) {
	if !trusted.Known() {
		if a, err := proofs.Open(directory, trusted); err == nil { // Verify reports damage in more detail
			if err := a.TrustOneOf(network.BuiltIn().Anchors); err != nil {
				return nil, err
			}
			trusted = a.Proved()
		}
	}
	verified, err := proofs.Verify(ctx, directory, trusted, progress)
	if err != nil {
		return nil, err
	}
	return ofProofs(directory, verified.Manifest, trusted)
}

// pinned reports for each runtime whether the hash of its metadata is built in. Metadata decode
// everything else, and no root in a header proves them.
func pinned(directory string, m *proofs.Manifest) (list []string, err error) {
	a, err := proofs.Open(directory, chain.Optional[chain.Anchor]{})
	if err != nil {
		return nil, err
	}
	for i := range m.Runtimes {
		r := &m.Runtimes[i]
		bytes, err := a.MetadataOf(r)
		if err != nil {
			return nil, err
		}
		status := "not pinned: from the node, not proved"
		if len(bytes) > len("meta") {
			switch network.PinOf(r.SpecName, r.SpecVersion, bytes[len("meta")], chain.Hash(trie.HashOf(bytes))) {
			case network.Pinned:
				status = "pinned"
			case network.PinMismatch:
				status = "DIFFERENT from the built-in hash: from the node, not proved"
			}
		}
		list = append(list, r.String()+": "+status)
	}
	return list, nil
}

// ofProofs returns the contents of an archive with proofs, and how much is proved.
func ofProofs(directory string, m *proofs.Manifest, trusted chain.Optional[chain.Anchor]) (cli.Record, error) {
	metadata, err := pinned(directory, m)
	if err != nil {
		return nil, err
	}
	var runtimes []string
	for _, r := range m.Runtimes {
		runtimes = append(runtimes, r.String())
	}
	var by chain.Optional[string]
	if t, ok := trusted.Get(); ok {
		by = chain.Some(t.String())
	}
	r := cli.Record{
		{"first", m.First}, {"last", m.Last}, {"last_hash", m.LastHash.String()}, {"blocks", m.Last - m.First + 1},
		{"proved", m.ProvedBy(trusted)}, {"trusted", by}, {"runtimes", runtimes}, {"metadata", metadata}, {"accounts", m.Accounts},
		{"files", len(m.Pieces()) + 1}, {"bytes", m.Bytes()}, {"sha256", m.SHA256},
	}
	if !trusted.Known() {
		last := chain.Anchor{Height: m.Last, Hash: m.LastHash}
		r = append(r, cli.Field{"note", "consistent up to its last block; compare that hash with an explorer's, and pass it with --trust " + last.String()})
	}
	return r, nil
}

// serveProofs serves an archive with proofs.
func serveProofs(ctx context.Context, directory, listen string, stderr io.Writer) error {
	a, err := proofs.Open(directory, chain.Optional[chain.Anchor]{})
	if err != nil {
		return err
	}
	handler, err := a.Handler()
	if err != nil {
		return err
	}
	listener, err := cli.ListenAt(listen)
	if err != nil {
		return err
	}
	announce(stderr, a.Kept(), directory, listener)
	return reply.Serve(ctx, listener, handler)
}
