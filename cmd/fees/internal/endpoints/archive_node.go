package endpoints

import (
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

// recordProofs keeps what a node says of a range, with what proves it.
func recordProofs(ctx context.Context, blocks chain.Heights, accounts []chain.Address, flags *recordFlags, progress func(done, total uint64)) (cli.Record, error) {
	o := proofs.RecordOptions{First: blocks.First, Last: blocks.Last, Accounts: accounts, Concurrency: flags.Concurrency, Progress: progress}
	var err error
	if o.Trusted, err = flags.Trusted(); err != nil {
		return nil, err
	}
	tables, err := app.ReadTables(flags.networkFile)
	if err != nil {
		return nil, err
	}
	o.ParameterKey = func(r proofs.RuntimeName) string { return tables.ParameterKey(r.SpecName, r.SpecVersion) }
	from, err := flags.origin(ctx)
	if err != nil {
		return nil, err
	}
	if flags.dryRun {
		return flags.forecast(ctx, from, o)
	}
	manifest, err := proofs.Record(ctx, from, flags.directory, o)
	if err != nil {
		return nil, err
	}
	return ofProofs(flags.directory, manifest, o.Trusted)
}

// origin is the node that the flag names, or an archive of one.
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
		return nil, fmt.Errorf("--gateway %s: want a node's URL here (wss://…, https://…), or an archive that was recorded with --proofs: a gateway has no proofs", place)
	}
	client, err := rpc.New(place, options)
	if err != nil {
		return nil, err
	}
	f.Closes(client)
	return proofs.FromNode(client), nil
}

// forecast says what recording a range will come to.
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

const joinManual = `Join archives that were recorded with --proofs into one: parts of one chain, such as
machines record that share a range. The parts may be named in any order, and may
overlap. What comes out is, to the byte, what recording the whole range in one go
gives. Each part is proved as it is read, and by the part above it: the hash of one
block (--trust) proves all of it.`

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
		Use: "join <DIR> <DIR>... -o DIR", Short: "Make one archive of several with proofs", Long: joinManual, Example: joinExamples, RunE: f.join,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("join wants two or more archives that were recorded with --proofs")
			}
			return nil
		},
	}, f.AddTrust, f.StdoutForms("table", "json"), f.AddQuiet)
	c.Flags().StringVarP(&f.directory, "output", "o", "", "the directory to write to, made if it is not there")
	return c
}

func (f *joinFlags) join(c *cobra.Command, args []string) error {
	if f.directory == "" {
		return errors.New("join wants a directory to write to: -o DIR")
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

// verifyProofs proves an archive of a node.
func verifyProofs(ctx context.Context, directory string, trusted chain.Optional[chain.Anchor], progress func(done, total uint64)) (cli.Record, error) {
	if !trusted.Known() {
		if a, err := proofs.Open(directory, trusted); err == nil { // what is damaged, Verify says better
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

// pinned says of the metadata of each runtime whether their hash is built in. No root in a header
// proves metadata, by which all else is read.
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
		said := "not pinned: the node's word"
		if len(bytes) > len("meta") {
			switch network.PinOf(r.SpecName, r.SpecVersion, bytes[len("meta")], chain.Hash(trie.HashOf(bytes))) {
			case network.Pinned:
				said = "pinned"
			case network.PinMismatch:
				said = "NOT those that are known of this runtime: the node's word"
			}
		}
		list = append(list, r.String()+": "+said)
	}
	return list, nil
}

// ofProofs is what an archive of a node holds, and how far it is proved.
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
	if t, any := trusted.Get(); any {
		by = chain.Some(t.String())
	}
	r := cli.Record{
		{"first", m.First}, {"last", m.Last}, {"last_hash", m.LastHash.String()}, {"blocks", m.Last - m.First + 1},
		{"proved", m.ProvedBy(trusted)}, {"trusted", by}, {"runtimes", runtimes}, {"metadata", metadata}, {"accounts", m.Accounts},
		{"files", len(m.Pieces()) + 1}, {"bytes", m.Bytes()}, {"sha256", m.SHA256},
	}
	if !trusted.Known() {
		last := chain.Anchor{Height: m.Last, Hash: m.LastHash}
		r = append(r, cli.Field{"note", "all of it holds together up to its last block: compare that hash with an explorer's, and name it with --trust " + last.String()})
	}
	return r, nil
}

// serveProofs answers from an archive of a node.
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
