package pricing

import (
	"context"
	"errors"
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
	which app.TransactionRef
}

func newExplain() *cobra.Command {
	var f explainFlags
	c := cli.New(&cobra.Command{
		Use: "explain <block>-<index>|<hash>", Short: "Show how one fee came about, step by step", Long: explainManual, Example: explainExamples, RunE: f.explain,
		Args:              cli.Arg("one transaction: a block and an index such as 25-7, or a hash", &f.which, f.named),
		ValidArgsFunction: cobra.NoFileCompletions,
	}, f.SourceFlags.Add, f.LedgerFlags.Add, f.LabelFlags.Add, f.Forms("text", "json"), f.AddQuiet)
	c.Flags().StringVar(&f.block, "block", "", "the block of the transaction that a hash names: a height, a hash or head (default: the ledger tells)")
	return c
}

func (f *explainFlags) explain(c *cobra.Command, args []string) error {
	if f.withoutBlock(args[0]) {
		if err := f.lookUp(c.Context(), args[0]); err != nil {
			return err
		}
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
	bill, err := app.Explain(c.Context(), reader, f.which)
	stop()
	if err != nil {
		return err
	}
	return f.Show(cli.Answer{JSON: app.LabelledInvoice(bill, book), Text: func(p *console.Page) { writeInvoice(p, bill, book) }, Finding: !bill.Holds()})
}

// withoutBlock tells whether a transaction is named by a hash, and no block beside it.
func (f *explainFlags) withoutBlock(name string) bool {
	_, err := chain.ParseHash(name)
	return err == nil && f.block == ""
}

// named reads the name of a transaction. Where a hash has no block beside it, the ledger tells that.
func (f *explainFlags) named(name string) (which app.TransactionRef, err error) {
	if f.withoutBlock(name) {
		return which, nil
	}
	return app.ParseTransactionRef(name, f.block)
}

// lookUp asks the ledger, if there is one, for the block of a transaction.
func (f *explainFlags) lookUp(ctx context.Context, hash string) error {
	d, err := f.LedgerFlags.Open(ctx, f.NetworkFile)
	if errors.Is(err, ledger.ErrNone) && !f.LedgerFlags.Named() {
		_, err = app.ParseTransactionRef(hash, "")
	}
	if err != nil {
		return err
	}
	defer d.Close()
	at, err := d.PlaceOf(ctx, hash)
	if err == nil {
		f.which, err = app.ParseTransactionRef(hash, strconv.FormatUint(at.Height, 10))
	}
	return err
}
