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
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
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
	cli.QuietFlag
	block string
}

func newExplain() *cobra.Command {
	var f explainFlags
	c := cli.New(&cobra.Command{
		Use: "explain <block>-<index>|<hash>", Short: "Show how one fee came about, step by step", Long: explainManual, Example: explainExamples, RunE: f.explain,
		Args:              cli.OneArg("one transaction: a block and an index such as 25-7, or a hash"),
		ValidArgsFunction: cobra.NoFileCompletions,
	}, f.SourceFlags.Add, f.LedgerFlags.Add, f.LabelFlags.Add, f.Forms("text", "json"), f.AddQuiet)
	c.Flags().StringVar(&f.block, "block", "", "the block of the transaction that a hash names: a height, a hash or head (default: the ledger tells)")
	return c
}

func (f *explainFlags) explain(c *cobra.Command, args []string) error {
	which, err := f.transaction(c.Context(), args[0], c.ErrOrStderr())
	if err != nil {
		return err
	}
	book, err := f.ReadBook(&f.LedgerFlags, f.Quiet, c.ErrOrStderr())
	if err != nil {
		return err
	}
	reader, err := f.Reader()
	if err != nil {
		return err
	}
	stop := waiting(c, f.Place(), f.Quiet)
	bill, err := app.Explain(c.Context(), reader, which)
	stop()
	if err != nil {
		return err
	}
	return f.Show(cli.Answer{JSON: app.LabelledInvoice(bill, book), Text: func(p *console.Page) { writeInvoice(p, bill, book) }, Finding: !bill.Holds()})
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
