package endpoints

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// callFlags are the flags for estimating a call.
type callFlags struct {
	cli.ChainFlags
	from, tip string
	blocks    uint64
	watch     bool
}

func (f *callFlags) add(c *cobra.Command) {
	f.ChainFlags.Add(c)
	c.Flags().StringVar(&f.from, "from", "", "for a call, the account that would sign it")
	c.Flags().StringVar(&f.tip, "tip", "", "for a call, the tip, such as 0.01GLMR or wei")
	c.Flags().Uint64Var(&f.blocks, "blocks", 0, "for a call, also list the hours of this many newest blocks, cheapest first")
	c.Flags().BoolVar(&f.watch, "then-watch", false, "for a call, wait until it is in a final block, and compare")
}

// maxBlocks is a week of blocks.
const maxBlocks = 100_800

func (f *estimateFlags) estimateCall(c *cobra.Command, args []string) error {
	call := &f.call
	if call.from == "" {
		return errors.New("--from is missing; name the account that would sign")
	}
	from, err := chain.ParseAccount(call.from)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if call.blocks > maxBlocks {
		return fmt.Errorf("--blocks %d must be at most %d", call.blocks, maxBlocks)
	}
	client, err := f.Client()
	if err != nil {
		return err
	}
	stated, tables, err := call.Chain(c)
	if err != nil {
		return err
	}
	q := app.EstimateRequest{Node: client, Tables: tables, Chain: stated, Call: args[0], Arguments: args[1:], From: from, Tip: call.tip, Blocks: call.blocks}
	e, err := app.EstimateCall(c.Context(), q)
	if err != nil {
		return err
	}
	r := estimateRecord(e)
	if !call.watch || f.Format != "json" { // with --then-watch, JSON is one document
		if err := f.WriteRecord(r); err != nil || !call.watch {
			return err
		}
	}
	in, err := e.Watch(c.Context(), q, 0)
	if err != nil {
		return err
	}
	bill, err := in.Charged(c.Context(), client, tables)
	if err != nil {
		return err
	}
	charged := cli.Record{{"block", in.Height}, {"index", in.Index}, {"charged", bill.Transaction.Fee}, {"estimated", e.Total}, {"difference", e.Beside(bill.Transaction.Fee)}, {"proof", bill.VerdictText()}}
	return f.Show(cli.Answer{JSON: append(r, cli.Field{Name: "then", Value: charged}), Text: func(page *console.Page) {
		page.WriteString("\n")
		cli.RecordText(charged)(page)
	}})
}

func estimateRecord(e *app.Estimate) cli.Record {
	bids := []cli.Record{}
	for _, b := range e.Bids {
		bids = append(bids, cli.Record{{"speed", b.Speed}, {"max_priority_fee_per_gas", b.MaxPriorityFeePerGas}, {"evm_priority_fee", b.EVMPriorityFee}, {"native_tip", b.NativeTip}})
	}
	hours := []cli.Record{}
	for _, h := range e.Hours {
		hours = append(hours, cli.Record{{"hour", h.Begin.Format("2006-01-02T15Z")}, {"blocks", h.Blocks}, {"multiplier", console.Plain(console.Scaled(h.Multiplier, 18))}})
	}
	r := cli.Record{
		{"at", e.At.Height}, {"fee", e.Native.Fee}, {"fee_token", e.Token.Tokens(e.Native.Fee)}, {"tip", e.Tip}, {"total", e.Total}, {"total_token", e.Token.Tokens(e.Total)}, {"symbol", e.Token.Symbol},
		{"class", e.Native.Class}, {"ref_time", e.Native.Weight.RefTime}, {"proof_size", e.Native.Weight.ProofSize}, {"fee_per_gas", e.FeePerGas},
	}
	evm := cli.Record{{"evm_fee", nil}, {"evm_fee_token", nil}, {"evm_gas", nil}, {"evm_base_fee_per_gas", nil}}
	if e.EVM != nil {
		evm = cli.Record{{"evm_fee", e.EVM.Fee}, {"evm_fee_token", e.Token.Tokens(e.EVM.Fee)}, {"evm_gas", e.EVM.Gas}, {"evm_base_fee_per_gas", e.EVM.BaseFeePerGas}}
	}
	r = append(r, evm...)
	notes := append([]string{}, e.Notes...)
	notes = append(notes, "the fee is a maximum: less is charged if weight is refunded", "nothing was signed or sent")
	return append(r, cli.Record{{"priority", bids}, {"hours", hours}, {"notes", notes}}...)
}
