package pricing

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
	"github.com/feeledger/fees/internal/jsontext"
)

const explainManual = `Show one fee like an invoice: every figure that it follows from with the block
and the field that it was read from, each step of the arithmetic with the number
of its rule in the specification, what the chain withdrew and gave back, where
the money went, and whether the two agree.

The transaction is named by its block and its index, such as 25-7; the block can
be a height, a hash or head. Or it is named by a hash, the EVM's or the
extrinsic's, with its block in --block.

Every step can be done again with a calculator: all of them are whole numbers,
and floor( ) rounds down.

The exit code is 1 where the fee is undetermined, where the chain charged
something else, or where anything else does not hold. An inherent pays no fee
and cannot be explained.`

const explainExamples = `  fees explain 25-7 --gateway demo
  fees explain head-4 --gateway http://127.0.0.1:8080
  fees explain 0xdd3bf7a42510a57f7c714754a9d0124292496b2b4d3f2164c146754e61e720d2 --block 25 --gateway demo
  fees explain 25-7 --gateway demo --format json
  fees explain 25-7 --gateway demo --rules spec   by the specification's table`

// explainFlags are the flags of fees explain.
type explainFlags struct {
	cli.SourceFlags
	cli.Output
	block string
	quiet bool
}

func newExplain(stdout, stderr io.Writer) *cobra.Command {
	flags := explainFlags{Output: cli.Output{Stdout: stdout}}
	c := &cobra.Command{
		Use:     "explain <block>-<index>|<hash>",
		Short:   "Show how one fee came about, step by step",
		Long:    explainManual,
		Example: explainExamples,
		Args:    cli.OneArg("one transaction: a block and an index such as 25-7, or a hash with --block"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			return explainFee(c.Context(), args[0], flags, stderr)
		},
	}
	flags.SourceFlags.Add(c)
	flags.Output.Add(c, "text", "json")
	c.Flags().StringVar(&flags.block, "block", "", "the block of the transaction that a hash names: a height, a hash or head")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func explainFee(ctx context.Context, name string, flags explainFlags, stderr io.Writer) error {
	which, err := desk.ParseTransactionRef(name, flags.block)
	if err != nil {
		return err
	}
	reader, err := flags.Reader()
	if err != nil {
		return err
	}
	if err := flags.Output.Check(); err != nil {
		return err
	}
	stop := waiting(stderr, flags.Place(), flags.quiet)
	bill, err := desk.Explain(ctx, reader, which)
	stop()
	if err != nil {
		return err
	}
	if err := flags.Output.Write(func(w io.Writer) error {
		if flags.Format == "json" {
			return jsontext.Write(w, bill)
		}
		return writeInvoice(w, bill, flags.Width())
	}); err != nil {
		return err
	}
	if !bill.Holds() {
		return cli.ErrFinding
	}
	return nil
}
