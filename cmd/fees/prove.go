package main

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/source"
)

// prove prices a block and proves the fees. The source is asked for the parameter
// that their split depends on, where it does; and only where an EVM fee drifts is the
// source asked for more, to find out why.
func prove(ctx context.Context, reader *source.Reader, item source.Item, o evidence.Options) *evidence.Report {
	o.FeesTreasuryProportion = reader.FeesTreasuryProportion(ctx, item)
	report := evidence.Prove(item.Block, fee.Price(item.Block, item.Rules, item.Multiplier), item.Rules, o)
	if report.DriftsOnEVM() {
		var around evidence.Neighbours
		around.Multipliers, around.Rules = reader.Neighbours(ctx, item)
		report.Diagnose(item.Block, item.Rules, around)
	}
	return report
}

// addInherents lists the inherents among the transactions.
func addInherents(r *evidence.Report, b *chain.Block) {
	inherents := fee.Inherents(b)
	for i := range inherents {
		r.Transactions = append(r.Transactions, evidence.Transaction{Transaction: &inherents[i]})
	}
	slices.SortFunc(r.Transactions, func(a, b evidence.Transaction) int { return a.Index - b.Index })
}
