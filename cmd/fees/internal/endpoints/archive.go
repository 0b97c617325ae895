package endpoints

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/source"
)

const archiveManual = `Keep what a gateway or a node says of a range of blocks as files, prove later
that none of them has changed, and answer from them as it did.

An archive is evidence: the figures can be made again from it when the gateway
is gone. Every command reads one with --gateway DIR, and checks what it reads.

From a node, with --proofs, it keeps what proves the blocks too: whoever trusts
the hash of one block (--trust HEIGHT:HASH) has all below it proved without
anybody's word. Without --proofs it keeps a gateway's answers, the exact bytes
with a sum of each: a small archive is plain files; above 300 blocks, or with
--segments, the answers of each thousand heights are one zip file of zstd frames.
Both hold the same answers, and price alike.`

const archiveExamples = `  fees archive record 100..199 -o proved --proofs --gateway wss://HOST
  fees archive verify proved --trust 199:0xHASH
  fees archive record 100..199 -o march --gateway http://127.0.0.1:8080
  fees archive verify march
  fees block 150 --gateway march
  fees archive serve march --listen 127.0.0.1:8080`

const recordManual = `Record the blocks of a range, A..B with both included or A:+N, with their
headers, the multipliers, the runtimes where they change, the treasury's share of
the fees where governance sets it, what the chain counted as the blocks' weight
where the multiplier follows from it (from runtime 2600 on), and the balances of
the accounts that are named. Only final blocks are recorded. Each answer is
checked before it is kept, and each block must be the parent of the next. The
share and the weights are left out where the gateway says that it does not have
them; other trouble ends the recording.

With --proofs, it is a node that is asked, and what is kept is the node's: the
headers, the extrinsics, and of each block's state the events, the multiplier, the
time, the runtime and what else prices and proves fees, each with its proof. It
goes downwards from the last block, or from the one that --trust names, so that
each block is proved when it is written. An archive may be recorded from too.

--timestamp asks a time-stamping authority (RFC 3161) to confirm when the archive
was there: it sees the hash of the manifest alone. Its answer is manifest.json.tsr.

A recording that was stopped goes on where it was when the same command runs
again, and a damaged archive is mended; what is there and holds is not asked for
again: of segments, only those that are whole. The same range gives the same
bytes. Runtimes are asked for at the ends of the range, and of each thousand,
and between them only where they differ.`

const recordExamples = `  fees archive record 100..199 -o march
  fees archive record 11728459:+100 -o evidence --gateway https://HOST --rps 5
  fees archive record 3..20 -o treasury --accounts 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac
  fees archive record 100..199 -o march --concurrency 16 --format json
  fees archive record 0..99999 -o long --concurrency 16    segments of 1,000 heights`

const verifyManual = `Compare every file of an archive with its manifest. Files that were changed, are
missing or were added are named, and the exit code is 4.

Of an archive that was recorded with --proofs, all is proved: the chain of the
headers, and by them the extrinsics and what the states had. --trust names a block
by which it is proved, where it is not one that the network's table knows; without
one, the answer is as good as the hash of the last block, which is shown: compare
it with an explorer's.

--tsa-ca says whose timestamp counts; where it does not hold, the exit code is 1.`

const serveManual = `Serve an archive, a directory of recordings or the demo as the gateway did: the
same paths, bodies and errors, for what was kept. Ctrl-C ends it.`

const serveExamples = `  fees archive serve march
  fees archive serve demo --listen 127.0.0.1:0     at any free port, which is printed
  fees block 25 --gateway http://127.0.0.1:8080    from another terminal`

func newArchive() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "archive", Short: "Keep a gateway's answers as evidence, verify and serve them", Long: archiveManual, Example: archiveExamples},
		"unknown command %q; fees archive --help lists them", newRecord(), newVerifyArchive(), newJoin(), newServe())
}

// recordFlags are the flags of fees archive record.
type recordFlags struct {
	gatewayOnly
	cli.LabelFlags
	cli.Output
	cli.QuietFlag
	networkFile string
	blocks      chain.Heights
	directory   string
	accounts    []string
	segments    bool
	proofs      bool
	dryRun      bool
	authority   string
}

func newRecord() *cobra.Command {
	var f recordFlags
	return cli.New(&cobra.Command{
		Use: "record <A..B|A:+N> -o DIR", Short: "Keep what a gateway or a node says of a range of blocks", Long: recordManual, Example: recordExamples,
		Args: cli.Arg("one range: A..B or A:+N", &f.blocks, source.ParseRange), RunE: f.record,
	}, cli.Resumes, f.gatewayOnly.Add, f.StdoutForms("table", "json"), f.add, f.AddTrust, f.Concurrent, f.AddQuiet)
}

func (f *recordFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with network tables of your own: it says how a network of yours is asked for the treasury's share, and whether for the blocks' weight")
	c.Flags().StringVarP(&f.directory, "output", "o", "", "the directory to record into, made if it is not there")
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, "keep the balances of these accounts"+cli.AccountsUsage)
	f.LabelFlags.Add(c)
	c.Flags().BoolVar(&f.proofs, "proofs", false, "keep a node's blocks with what proves them, instead of a gateway's answers")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --proofs, record nothing: ask for a few blocks, and say how many requests, hours and gigabytes it would take")
	c.Flags().StringVar(&f.authority, "timestamp", "", "have the time-stamping authority at this URL say when it was there")
	c.Flags().BoolVar(&f.segments, "segments", false, "keep segments of 1,000 heights, as by itself above 300 blocks")
}

func (f *recordFlags) record(c *cobra.Command, _ []string) error {
	ctx := c.Context()
	switch {
	case f.dryRun && !f.proofs:
		return errors.New("--dry-run is for --proofs")
	case f.directory == "" && !f.dryRun:
		return errors.New("record wants a directory to record into: -o DIR")
	}
	authority, err := cli.Authority(f.authority)
	if err != nil {
		return err
	}
	accounts, err := f.Addresses(f.accounts, f.Quiet, c.ErrOrStderr())
	if err != nil {
		return err
	}
	record := recordAnswers
	if f.proofs {
		record = recordProofs
	}
	made, err := record(ctx, f.blocks, accounts, f, f.Progress(c, "blocks").Show)
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.WriteRecord(made)
	}
	if authority != nil {
		if err := stampArchive(ctx, f.directory, authority); err != nil {
			return err
		}
	}
	return writeArchive(ctx, &f.Output, f.directory, made, nil)
}

// recordAnswers keeps what a gateway answers on a range.
func recordAnswers(ctx context.Context, blocks chain.Heights, accounts []chain.Address, flags *recordFlags, progress func(done, total uint64)) (cli.Record, error) {
	o := answers.RecordOptions{First: blocks.First, Last: blocks.Last, Accounts: accounts, Concurrency: flags.Concurrency, Segments: flags.segments, Progress: progress}
	if trusted, err := flags.Trusted(); err != nil || trusted.Known() {
		return nil, cmp.Or(err, errors.New("--trust proves what is recorded with --proofs alone"))
	}
	client, err := flags.Client()
	if err != nil {
		return nil, err
	}
	tables, err := app.ReadTables(flags.networkFile)
	if err != nil {
		return nil, err
	}
	o.ParameterKey = func(r chain.AtBlock[chain.Runtime]) string {
		return tables.ParameterKey(r.Value.SpecName, r.Value.SpecVersion)
	}
	o.BlockWeight = func(r chain.AtBlock[chain.Runtime]) bool {
		return tables.NeedsBlockWeight(r.Value.SpecName, r.Value.SpecVersion)
	}
	manifest, err := answers.Record(ctx, client, flags.directory, o)
	if err != nil {
		return nil, err
	}
	return ofAnswers(manifest), nil
}

// verifyFlags are the flags of fees archive verify.
type verifyFlags struct {
	cli.Output
	cli.GatewayFlags
	cli.QuietFlag
	authorities string
}

func newVerifyArchive() *cobra.Command {
	var f verifyFlags
	c := cli.New(&cobra.Command{
		Use: "verify <DIR>", Short: "Prove that nothing of an archive has changed", Long: verifyManual, RunE: f.verify,
		Example: "  fees archive verify march\n  fees archive verify proved --trust 199:0xHASH --format json",
		Args:    cli.OneArg("one directory"),
	}, f.AddTrust, f.StdoutForms("table", "json"), f.AddQuiet)
	c.Flags().StringVar(&f.authorities, "tsa-ca", "", "whose timestamps count: a file of certificates in PEM")
	return c
}

func (f *verifyFlags) verify(c *cobra.Command, args []string) error {
	ctx, directory := c.Context(), args[0]
	authorities, err := cli.ReadListed("--tsa-ca", f.authorities, timestamp.MostAuthoritiesBytes, timestamp.ReadAuthorities)
	if err != nil {
		return err
	}
	trusted, err := f.Trusted()
	if err != nil {
		return err
	}
	var found cli.Record
	switch {
	case proofs.Is(directory):
		found, err = verifyProofs(ctx, directory, trusted, f.Progress(c, "blocks").Show)
	case trusted.Known():
		err = fmt.Errorf("--trust: %s: %w (fees archive record --proofs)", directory, source.ErrNoProofs)
	default:
		var manifest *answers.Manifest
		if manifest, err = answers.Verify(ctx, directory, f.Progress(c, "files").Show); err == nil {
			found = ofAnswers(manifest)
		}
	}
	if err != nil {
		return err
	}
	return writeArchive(ctx, &f.Output, directory, found, authorities)
}

// ofAnswers is what an archive of a gateway's answers holds.
func ofAnswers(m *answers.Manifest) cli.Record {
	bytes := int64(0)
	for _, file := range m.Files() {
		bytes += file.Size
	}
	var version chain.Optional[string]
	if m.GatewayVersion != "" {
		version = chain.Some(m.GatewayVersion)
	}
	return cli.Record{
		{"first", m.First}, {"last", m.Last}, {"first_hash", m.FirstHash}, {"last_hash", m.LastHash}, {"accounts", m.Accounts},
		{"gateway_version", version}, {"files", len(m.Files())}, {"bytes", bytes}, {"sha256", m.SHA256},
	}
}

// writeArchive says what an archive holds, and by whose word it was there when. A timestamp
// that does not hold is a finding.
func writeArchive(ctx context.Context, out *cli.Output, directory string, r cli.Record, authorities *x509.CertPool) error {
	_, stamp, err := readStamp(ctx, directory, authorities)
	if err != nil {
		return err
	}
	lines, holds := stamped(stamp, authorities != nil)
	return cli.Found(out.WriteRecord(append(r, lines...)), !holds)
}

func newServe() *cobra.Command {
	var listen string
	c := cli.New(&cobra.Command{
		Use: "serve <DIR|demo>", Short: "Answer from an archive as the gateway did", Long: serveManual, Example: serveExamples, Args: cli.OneArg("one directory, or demo"),
		RunE: func(c *cobra.Command, args []string) error {
			return serveArchive(c.Context(), args[0], listen, c.ErrOrStderr())
		},
	})
	cli.AddListen(c, &listen, gatewayAddress)
	return c
}

// gatewayAddress is where a gateway is looked for where none is named.
const gatewayAddress = "127.0.0.1:8080"

func serveArchive(ctx context.Context, place, listen string, stderr io.Writer) error {
	if proofs.Is(place) {
		return serveProofs(ctx, place, listen, stderr)
	}
	a := demo.Open()
	if place != demo.Name {
		var err error
		if a, err = answers.OpenDirectory(place); err != nil {
			return err
		}
	}
	first, last, err := a.Range()
	if err != nil {
		return err
	}
	listener, err := cli.ListenAt(listen)
	if err != nil {
		return err
	}
	announce(stderr, chain.Heights{First: first, Last: last}, place, listener)
	return answers.Serve(ctx, listener, a)
}

func announce(stderr io.Writer, kept chain.Heights, place string, at net.Listener) {
	fmt.Fprintf(stderr, "fees: serving blocks %d to %d of %s at http://%s\n", kept.First, kept.Last, console.Printable(place), at.Addr())
}
