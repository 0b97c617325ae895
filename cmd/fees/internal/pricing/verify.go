package pricing

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
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
	signatures bool
	against    string
	node       nodeFlag
	accounts   []string
	quiet      bool
}

func newVerify(stdout, stderr io.Writer) *cobra.Command {
	flags := verifyFlags{Output: cli.Output{Stdout: stdout}}
	c := &cobra.Command{
		Use:     "verify <A..B|A:+N>",
		Short:   "Prove the fees of a range against the chain's own records",
		Long:    verifyManual,
		Example: verifyExamples,
		Args:    cli.OneArg("one range: A..B or A:+N"),
		RunE: func(c *cobra.Command, args []string) error {
			return verify(c.Context(), args[0], flags, stderr)
		},
	}
	flags.SourceFlags.Add(c)
	flags.Output.Add(c, "table", "json")
	flags.AddConcurrency(c)
	c.Flags().BoolVar(&flags.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	c.Flags().StringVar(&flags.against, "against", "", "compare every block with what this gateway says too: a URL, a directory or demo")
	flags.node.add(c)
	c.Flags().StringSliceVar(&flags.accounts, "accounts", nil, "check the balances of these accounts at every block too"+cli.AccountsUsage)
	flags.LabelFlags.Add(c)
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func verify(ctx context.Context, text string, flags verifyFlags, stderr io.Writer) error {
	blocks, err := source.ParseRange(text)
	if err != nil {
		return err
	}
	if err := flags.CheckConcurrency(); err != nil {
		return err
	}
	reader, err := flags.Reader()
	if err != nil {
		return err
	}
	var against source.Source
	if flags.against != "" {
		if against, err = flags.OpenOther(flags.against); err != nil {
			return fmt.Errorf("--against: %w", err)
		}
	}
	if err := flags.Output.Check(); err != nil {
		return err
	}
	accounts, err := flags.LabelFlags.Addresses(flags.accounts, flags.quiet, stderr)
	if err != nil {
		return err
	}
	e := app.Examination{Reader: reader, Concurrency: flags.Concurrency, Signatures: flags.signatures, Against: against, Accounts: accounts}
	done, err := flags.node.open(ctx, &flags.SourceFlags, &e, flags.signatures)
	if err != nil {
		return err
	}
	defer done()
	p := cli.NewProgress(stderr, "blocks", flags.quiet)
	defer p.End()
	var summary *evidence.Summary
	var priced *network.Network // by its table
	err = flags.Output.Stream(func(w io.Writer) (err error) {
		summary, err = app.Examine(ctx, blocks, e, func(r *evidence.Report) error {
			p.Show(r.Number-blocks.First+1, blocks.Last-blocks.First+1)
			priced, _ = reader.Tables.Named(r.Network)
			if flags.Format != "json" {
				return nil
			}
			for _, f := range r.Findings {
				if err := jsontext.WriteLine(w, cli.Record{{"finding", f}}); err != nil {
					return err
				}
			}
			return nil
		})
		p.End()
		trust := source.TrustIn(reader.Source, summary.Evidence.Level == evidence.LevelProved, e.Node != nil)
		switch {
		case flags.Format != "json" && summary.Blocks > 0: // also what was done before an error
			return cmp.Or(err, writeSummary(w, blocks, summary, trust, flags.Width()))
		case err != nil:
			return err
		case flags.Format == "json":
			return jsontext.WriteLine(w, cli.Record{{"summary", summaryRecord(summary, trust, priced)}})
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case !summary.Holds():
		return cli.ErrFinding
	case summary.Unanswered > 0:
		return fmt.Errorf("%s %s %w", console.Counted(summary.Unanswered, "question"), console.Verb(summary.Unanswered, "was", "were"), app.ErrUnanswered)
	}
	return nil
}
