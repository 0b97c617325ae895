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

const verifyManual = `Prove the fees of a range, A..B with both included or A:+N, against what the
chain itself recorded: what it withdrew from each payer and gave back, whom it
credited, who signed what, and how its blocks and its multiplier follow from
each other.

The summary has a line for each check, with how often it held, how often it did
not, and how often it could not be made and why; then the first finding of each
kind. With --format json every finding is a line, and the summary is the last.
Where an error or Ctrl-C ends it early, the table is of the blocks before that,
and json has their findings and no summary.

What was checked is proved where the gateway is an archive that proves its
blocks up to a trusted one, and else recorded: by the gateway's word. The summary
says of how many blocks, and the JSON of each check. Where every check that was
made holds, it ends with the kinds of data that no check proves.

The exit code is 1 where a fee drifts or anything else does not hold. Where the
gateway did not answer in time what only a check needs, the summary says so, the
check is not made, and the exit code is 3.`

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
	node       nodeFlag
	accounts   []string
}

func newVerify() *cobra.Command {
	var f verifyFlags
	return cli.New(&cobra.Command{
		Use: "verify <A..B|A:+N>", Short: "Prove the fees of a range against the chain's own records", Long: verifyManual, Example: verifyExamples,
		Args: cli.Arg("one range: A..B or A:+N", &f.blocks, source.ParseRange), RunE: f.verify,
	}, f.SourceFlags.Add, f.Forms("table", "json"), f.Concurrent, f.add, f.node.add, f.LabelFlags.Add, f.AddQuiet)
}

func (f *verifyFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	c.Flags().StringVar(&f.against, "against", "", "compare every block with what this gateway says too: a URL, a directory or demo")
	c.Flags().StringSliceVar(&f.accounts, "accounts", nil, "check the balances of these accounts at every block too"+cli.AccountsUsage)
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
	done, err := f.node.open(c.Context(), &f.SourceFlags, &e, f.signatures)
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
		trust := source.TrustIn(e.Reader.Source, summary.Evidence.Level == evidence.LevelProved, e.Node != nil)
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
