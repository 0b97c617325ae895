package endpoints

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/source"
)

const archiveManual = `Record the responses of a gateway or node for a range of blocks, verify later
that nothing changed, and serve them again.

An archive is evidence: all figures can be recomputed from it when the gateway
is gone. Every command reads an archive with --gateway DIR, and checks what it
reads.

With --proofs, an archive contains a node's blocks with their proofs: one
trusted block hash (--trust HEIGHT:HASH) proves all earlier blocks. Without
--proofs it contains the exact responses of a gateway, each with a checksum, as
plain files; above 300 blocks, or with --segments, as one zip file of zstd
frames per thousand heights. Fees are the same from either form.`

const archiveExamples = `  fees archive record 100..199 -o proved --proofs --gateway wss://HOST
  fees archive verify proved --trust 199:0xHASH
  fees archive record 100..199 -o march --gateway http://127.0.0.1:8080
  fees archive verify march
  fees block 150 --gateway march
  fees archive serve march --listen 127.0.0.1:8080`

const recordManual = `Record the final blocks of a range with headers, multipliers, runtimes where
they change, the treasury's share where governance sets it, block weights where
the multiplier depends on them (Moonbeam networks, from runtime 2600), and the
balances of --accounts. A range is A..B (inclusive) or A:+N (N blocks, starting
at A). Each response is checked before it is stored, and each block must be the
parent of the next. Share and weights are left out if the gateway does not have
them; any other error ends the recording.

With --proofs, the source is a node or another archive with proofs. The archive
contains headers, extrinsics, and from each block's state everything that
prices and proves fees, each with its proof. Recording goes down from the last
block, or from the block of --trust, so each block is proved when it is
written.

--finality adds evidence that the last block is final: validators' signatures,
for fees archive verify --trust-set. A parachain needs --relay, a node of its
relay chain. The head is read in the newest relay block, or in --relay-block,
which is needed after a parachain has left (Moonbeam: 32492252 of Polkadot,
Moonriver: 34748075 of Kusama). The evidence starts from --trust-set, or else
from the set that signs, as the relay's node states it.

--timestamp gets a timestamp from an RFC 3161 authority, which only sees the
hash of the manifest, and stores it in manifest.json.tsr.

Run the same command again to continue a stopped recording or to repair a
damaged archive. Valid files are not requested again (of segments, only
complete ones). The same range gives the same bytes. Runtimes are requested at
the ends of the range and of each thousand, and between them only if they
differ.`

const recordExamples = `  fees archive record 100..199 -o march
  fees archive record 11728459:+100 -o evidence --gateway https://HOST --rps 5
  fees archive record 3..20 -o treasury --accounts 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac
  fees archive record 100..199 -o march --concurrency 16 --format json
  fees archive record 0..99999 -o long --concurrency 16   segments of 1,000 heights`

const verifyManual = `Compare every file of an archive with its manifest. Changed, missing and added
files are listed, and the exit code is 4.

An archive recorded with --proofs is proved completely: the chain of headers,
and through them extrinsics and state. --trust names the checkpoint, unless the
network table knows one. Without one, the result depends on the hash of the
last block, which is shown: compare it with an explorer's. --trust-set needs no
explorer: signatures of validators, recorded with --finality, prove the block
final. The file is a chain specification, or the root of fees proof finality.

--tsa-ca names the accepted time-stamping authorities. If the timestamp is not
valid, the exit code is 1.`

const serveManual = `Serve an archive, recorded responses or the demo like the original gateway: the
same paths, bodies and errors, for the recorded blocks. Press Ctrl-C to stop.`

const serveExamples = `  fees archive serve march
  fees archive serve demo --listen 127.0.0.1:0     pick and print a free port
  fees block 25 --gateway http://127.0.0.1:8080    from another terminal`

func newArchive() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "archive", Short: "Record responses as evidence; verify and serve them", Long: archiveManual, Example: archiveExamples},
		"unknown command %q; fees archive --help lists the commands", newRecord(), newVerifyArchive(), newJoin(), newServe())
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
	finality    bool
	relay       string
	relayBlock  string
	final       app.FinalityRecording
	dryRun      bool
	authority   string
}

func newRecord() *cobra.Command {
	var f recordFlags
	return cli.New(&cobra.Command{
		Use: "record <A..B|A:+N> -o DIR", Short: "Record a gateway's or node's data on a range of blocks", Long: recordManual, Example: recordExamples,
		Args: cli.Arg("a range, A..B or A:+N", &f.blocks, source.ParseRange), RunE: f.record,
	}, cli.Resumes, f.gatewayOnly.Add, f.StdoutForms("table", "json"), f.add, cli.NamesPath("output"), f.AddTrust, f.Concurrent, f.AddQuiet)
}

func (f *recordFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.networkFile, "network-file", "", "a file with your own network tables, which select the treasury's share and the block weights to record")
	c.Flags().StringVarP(&f.directory, "output", "o", "", "the directory to record into, created if necessary")
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, "record the balances of these accounts"+cli.AccountsUsage)
	f.LabelFlags.Add(c)
	c.Flags().BoolVar(&f.proofs, "proofs", false, "record a node's blocks with proofs instead of a gateway's responses")
	f.addFinality(c)
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --proofs, only estimate requests, hours and gigabytes from a few blocks")
	c.Flags().StringVar(&f.authority, "timestamp", "", "get a timestamp from the RFC 3161 authority at this URL")
	c.Flags().BoolVar(&f.segments, "segments", false, "write segments of 1,000 heights (default above 300 blocks)")
}

func (f *recordFlags) record(c *cobra.Command, _ []string) error {
	ctx := c.Context()
	switch {
	case f.dryRun && !f.proofs:
		return errors.New("--dry-run needs --proofs; add --proofs")
	case f.directory == "" && !f.dryRun:
		return errors.New("-o is missing; name the directory to record into with -o DIR")
	}
	if err := f.checkFinality(); err != nil {
		return err
	}
	authority, err := cli.Authority(f.authority)
	if err != nil {
		return err
	}
	accounts, err := f.Addresses(f.accounts, f.Quiet, c.ErrOrStderr())
	if err != nil {
		return err
	}
	trusted, err := f.Trusted()
	switch {
	case err != nil:
		return err
	case trusted.Known() && !f.proofs:
		return errors.New("--trust needs --proofs; add --proofs")
	}
	tables, err := app.ReadTables(f.networkFile)
	if err != nil {
		return err
	}
	q := app.Recording{
		Directory: f.directory, Blocks: f.blocks, Accounts: accounts, Tables: tables, Concurrency: f.Concurrency, Progress: f.Progress(c, "blocks").Show,
		Segments: f.segments, Trusted: trusted,
	}
	if f.finality {
		f.final.Nodes = f.nodes
		q.Finality = &f.final
	}
	made, err := f.made(ctx, q)
	if err != nil {
		return err
	}
	if f.dryRun {
		return f.WriteRecord(made)
	}
	if authority != nil {
		if err := app.StampArchive(ctx, f.directory, authority); err != nil {
			return err
		}
	}
	return writeArchive(ctx, &f.Output, f.directory, made, nil)
}

// made records the range, or estimates the effort, and returns the contents or the estimate.
func (f *recordFlags) made(ctx context.Context, q app.Recording) (cli.Record, error) {
	if !f.proofs {
		client, err := f.Client()
		if err != nil {
			return nil, err
		}
		return app.RecordAnswers(ctx, client, q)
	}
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	from, closer, err := app.ProofOrigin(ctx, f.Place(), options)
	f.Closes(closer)
	switch {
	case err != nil:
		return nil, err
	case f.dryRun:
		return app.ForecastProofs(ctx, from, q, f.RPS)
	}
	return app.RecordProofs(ctx, from, q)
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
		Use: "verify <DIR>", Short: "Check that an archive was not changed", Long: verifyManual, RunE: f.verify,
		Example: "  fees archive verify march\n  fees archive verify proved --trust 199:0xHASH --format json",
		Args:    cli.OneArg("a directory"),
	}, f.AddTrust, f.StdoutForms("table", "json"), f.AddQuiet)
	c.Flags().StringVar(&f.authorities, "tsa-ca", "", "a PEM file of accepted time-stamping authorities")
	return c
}

func (f *verifyFlags) verify(c *cobra.Command, args []string) error {
	ctx, directory := c.Context(), args[0]
	authorities, err := cli.ReadListed("--tsa-ca", f.authorities, timestamp.MaxAuthoritiesBytes, timestamp.ReadAuthorities)
	if err != nil {
		return err
	}
	final, err := f.Final(directory)
	if err != nil {
		return err
	}
	trusted, err := f.TrustedBy(final)
	if err != nil {
		return err
	}
	found, err := app.VerifyArchive(ctx, directory, trusted, final, func(what string) func(done, total uint64) { return f.Progress(c, what).Show })
	if err != nil {
		return err
	}
	return writeArchive(ctx, &f.Output, directory, found, authorities)
}

// writeArchive writes the contents and the timestamp of an archive. An invalid timestamp is a finding.
func writeArchive(ctx context.Context, out *cli.Output, directory string, r cli.Record, authorities *x509.CertPool) error {
	lines, holds, err := app.CheckArchiveStamp(ctx, directory, authorities)
	if err != nil {
		return err
	}
	return cli.Found(out.WriteRecord(append(r, lines...)), !holds)
}

func newServe() *cobra.Command {
	var listen string
	c := cli.New(&cobra.Command{
		Use: "serve <DIR|demo>", Short: "Serve an archive like the original gateway", Long: serveManual, Example: serveExamples, Args: cli.OneArg("a directory, or demo"),
		RunE: func(c *cobra.Command, args []string) error {
			return serveArchive(c.Context(), args[0], listen, c.ErrOrStderr())
		},
	})
	cli.AddListen(c, &listen, gatewayAddress)
	return c
}

// gatewayAddress is the default address of a gateway.
const gatewayAddress = "127.0.0.1:8080"

func serveArchive(ctx context.Context, place, listen string, stderr io.Writer) error {
	handler, kept, err := app.ArchiveHandler(place)
	if err != nil {
		return cli.SuggestDemo(place, err)
	}
	listener, err := cli.ListenAt(listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "fees: serving blocks %d to %d of %s at http://%s\n", kept.First, kept.Last, plain.Line(place), listener.Addr())
	return app.Serve(ctx, listener, handler)
}
