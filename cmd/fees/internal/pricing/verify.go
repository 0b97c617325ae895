package pricing

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

const verifyManual = `Verify the fees of a range against what the chain itself recorded: amounts
withdrawn, refunded and credited, signers, and how blocks and the multiplier
follow from each other. A range is A..B (inclusive) or A:+N (N blocks, starting
at A).

The summary shows how often each check passed, failed or was not possible, and
why, then the first finding of each kind. With --format json each finding is
one line, and the last line is the summary. If an error or Ctrl-C ends the
command early, the table covers the blocks before it; json has their findings
and no summary.

Results are proved if the gateway is an archive that proves its blocks up to a
checkpoint; otherwise they are recorded (reported by the gateway, not proved).
If every check passed, the summary ends with the kinds of data that no check
proves.

The exit code is 1 if a fee drifts or another check failed, and 3 if the
gateway did not answer in time a request that only a check needs.`

const verifyExamples = `  fees verify 3..27 --gateway demo
  fees verify 1:+48 --concurrency 16
  fees verify 1..24 --gateway ./gateway --format json -o findings.jsonl
  fees verify 3..27 --gateway demo --signatures=false`

// verifyFlags are the flags of fees verify.
type verifyFlags struct {
	cli.SourceFlags
	cli.LabelFlags
	cli.Output
	cli.QuietFlag
	blocks     chain.Heights
	signatures bool
	against    string
	accounts   []string
}

func newVerify() *cobra.Command {
	var f verifyFlags
	return cli.New(&cobra.Command{
		Use: "verify <A..B|A:+N>", Short: "Verify the fees of a range against the chain's records", Long: verifyManual, Example: verifyExamples,
		Args: cli.Arg("a range, A..B or A:+N", &f.blocks, source.ParseRange), RunE: f.verify,
	}, f.SourceFlags.Add, f.Forms("table", "json"), f.Concurrent, f.add, describeNode, f.LabelFlags.Add, f.AddQuiet)
}

func (f *verifyFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	c.Flags().StringVar(&f.against, "against", "", "also compare every block with this source: a URL, an archive, a directory of recorded responses, or demo")
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, "also check the balances of these accounts at every block"+cli.AccountsUsage)
}

func (f *verifyFlags) verify(c *cobra.Command, _ []string) (err error) {
	blocks, e := f.blocks, app.Examination{Concurrency: f.Concurrency, Signatures: f.signatures}
	if e.Reader, err = f.Reader(); err != nil {
		return err
	}
	if f.against != "" {
		if e.Against, err = f.OpenOther(f.against); err != nil {
			return fmt.Errorf("--against: %w", err)
		}
	}
	if e.Accounts, err = f.Addresses(f.accounts, f.Quiet, c.ErrOrStderr()); err != nil {
		return err
	}
	done, err := addNode(c.Context(), &f.SourceFlags, &e, f.signatures)
	if err != nil {
		return err
	}
	defer done()
	p := f.Progress(c, "blocks")
	var summary *evidence.Summary
	var priced *network.Network // by its table
	err = f.Stream(func(w io.Writer) (err error) {
		summary, err = app.Examine(c.Context(), blocks, e, func(r *evidence.Report) error {
			p.Show(r.Number-blocks.First+1, blocks.Last-blocks.First+1)
			priced, _ = e.Reader.Tables.Named(r.Network)
			if f.Format != "json" {
				return nil
			}
			for _, found := range r.Findings {
				if err := jsontext.WriteLine(w, cli.Record{{"finding", found}}); err != nil {
					return err
				}
			}
			return nil
		})
		p.End()
		trust := source.TrustIn(e.Reader.Source, summary.Evidence.Level.Proves(), e.Node != nil)
		switch {
		case f.Format != "json" && summary.Blocks > 0: // also what was done before an error
			return cmp.Or(err, writeSummary(w, blocks, summary, trust, f.Width()))
		case err != nil:
			return err
		case f.Format == "json":
			return jsontext.WriteLine(w, cli.Record{{"summary", summaryRecord(summary, trust, priced)}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return cmp.Or(cli.Found(nil, !summary.Holds()), notAnswered(summary.Unanswered))
}
