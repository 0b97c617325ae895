package pricing

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/jsontext"
)

var explainManual = `Show one fee like an invoice: every figure that it follows from with the block
and the field that it was read from, each step of the arithmetic with the number
of its rule in the specification, what the chain withdrew and gave back, where
the money went, and whether the two agree.

The transaction is named by its block and its index, such as 25-7; the block can
be a height, a hash or head. Or it is named by a hash, the EVM's or the
extrinsic's: then the ledger tells its block, or --block does. The gateway has to
have that block.

` + cli.LabelsManual + `

Every step can be done again with a calculator: all of them are whole numbers,
and floor( ) rounds down.

The exit code is 1 where the fee is undetermined, where the chain charged
something else, or where anything else does not hold. An inherent pays no fee
and cannot be explained.`

const explainExamples = `  fees explain 25-7 --gateway demo
  fees explain head-4 --gateway http://127.0.0.1:8080
  fees explain 0xdd3bf7a42510a57f7c714754a9d0124292496b2b4d3f2164c146754e61e720d2 --block 25 --gateway demo
  fees explain 0xdd3bf7a42510a57f7c714754a9d0124292496b2b4d3f2164c146754e61e720d2 --ledger demo.db --gateway demo
  fees explain 25-7 --gateway demo --format json
  fees explain 25-6 --gateway demo --rules spec   by the specification's table`

// explainFlags are the flags of fees explain.
type explainFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.LabelFlags
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
		Args:    cli.OneArg("one transaction: a block and an index such as 25-7, or a hash"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			return explainFee(c.Context(), args[0], flags, stderr)
		},
	}
	flags.SourceFlags.Add(c)
	flags.LedgerFlags.Add(c)
	flags.LabelFlags.Add(c)
	flags.Output.Add(c, "text", "json")
	c.Flags().StringVar(&flags.block, "block", "", "the block of the transaction that a hash names: a height, a hash or head (default: the ledger tells)")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func explainFee(ctx context.Context, name string, flags explainFlags, stderr io.Writer) error {
	which, err := flags.transaction(ctx, name, stderr)
	if err != nil {
		return err
	}
	book, err := flags.LabelFlags.ReadBook(&flags.LedgerFlags, flags.quiet, stderr)
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
	bill, err := app.Explain(ctx, reader, which)
	stop()
	if err != nil {
		return err
	}
	if err := flags.Output.Write(func(w io.Writer) error {
		if flags.Format == "json" {
			return jsontext.Write(w, app.LabelledInvoice(bill, book))
		}
		return writeInvoice(w, bill, book, flags.Width())
	}); err != nil {
		return err
	}
	if !bill.Holds() {
		return cli.ErrFinding
	}
	return nil
}

// transaction is the one that is named. Where a hash has no block beside it, the ledger tells
// that, if there is one.
func (f *explainFlags) transaction(ctx context.Context, name string, stderr io.Writer) (app.TransactionRef, error) {
	which, err := app.ParseTransactionRef(name, f.block)
	if _, noHash := chain.ParseHash(name); noHash != nil || f.block != "" {
		return which, err
	}
	d, missing := f.LedgerFlags.Open(ctx, f.NetworkFile)
	if errors.Is(missing, ledger.ErrNone) && !f.LedgerFlags.Named() {
		return which, err
	}
	if missing != nil {
		return which, missing
	}
	defer d.Close()
	at, err := d.PlaceOf(ctx, name)
	if err != nil {
		return which, err
	}
	return app.ParseTransactionRef(name, strconv.FormatUint(at.Height, 10))
}
