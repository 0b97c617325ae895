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

var explainManual = `Explain one fee like an invoice: each figure with the block and field that it
was read from, each step of the arithmetic with its rule in the specification,
what the chain withdrew and refunded, where the money went, and whether the fee
equals what was charged.

Name the transaction by block and index, such as 25-7, where the block is a
height, a hash or "head". Or name it by its EVM or extrinsic hash: the ledger
looks up the block, unless --block names it. The gateway must have that block.

You can repeat every step with a calculator: all figures are whole numbers, and
floor( ) rounds down.

The exit code is 1 if the fee is undetermined, if the chain charged a different
amount, or if another check failed. Inherents pay no fee and cannot be
explained.

` + cli.LabelsManual

const explainExamples = `  fees explain 25-7 --gateway demo
  fees explain head-4 --gateway http://127.0.0.1:8080
  fees explain 0xdd3bf7a42510a57f7c714754a9d0124292496b2b4d3f2164c146754e61e720d2 --block 25 --gateway demo
  fees explain 0xdd3bf7a42510a57f7c714754a9d0124292496b2b4d3f2164c146754e61e720d2 --ledger demo.db --gateway demo
  fees explain 25-7 --gateway demo --format json
  fees explain 25-6 --gateway demo --rules spec  with the specification's table`

// explainFlags are the flags of fees explain.
type explainFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.LabelFlags
	cli.Output
	cli.QuietFlag
	block   string
	receipt string
	which   app.TransactionRef
}

func newExplain() *cobra.Command {
	var f explainFlags
	c := cli.New(&cobra.Command{
		Use: "explain <block>-<index>|<hash>", Short: "Explain one fee, step by step", Long: explainManual, Example: explainExamples, RunE: f.explain,
		Args:              cli.Arg("a block and index such as 25-7, or a hash", &f.which, f.named),
		ValidArgsFunction: cobra.NoFileCompletions,
	}, f.SourceFlags.AddHead, f.LedgerFlags.Add, f.LabelFlags.Add, f.Forms("text", "json"), f.AddQuiet)
	c.Flags().StringVar(&f.block, "block", "", "the block of the hash: a height, a hash or \"head\" (default: looked up in the ledger)")
	c.Flags().StringVar(&f.receipt, "receipt", "", "the `GAS@PRICE` of an Ethereum transaction's receipt on a chain with pallet revive: the gas used, and the effective gas price in wei (default: asked of a node, if there is one)")
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
	if f.receipt != "" {
		if err := f.which.SetReceipt(f.receipt); err != nil {
			return err
		}
	}
	stop := waiting(c, f.Place(), f.Quiet)
	bill, err := app.Explain(c.Context(), reader, f.which)
	stop()
	if err != nil {
		return err
	}
	if err := book.CheckChain(reader.Tables, bill.Network); err != nil {
		return err
	}
	return f.Show(cli.Answer{JSON: app.LabelledExplanation(bill, book), Text: func(p *console.Page) { writeExplanation(p, bill, book) }, Finding: !bill.Holds()})
}

// withoutBlock reports whether a hash names the transaction and no flag names its block.
func (f *explainFlags) withoutBlock(name string) bool {
	_, err := chain.ParseHash(name)
	return err == nil && f.block == ""
}

// named parses the name of a transaction. It leaves a hash without a block to lookUp.
func (f *explainFlags) named(name string) (which app.TransactionRef, err error) {
	if f.withoutBlock(name) {
		return which, nil
	}
	return app.ParseTransactionRef(name, f.block)
}

// lookUp finds the block of a transaction in the ledger, if there is one.
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
