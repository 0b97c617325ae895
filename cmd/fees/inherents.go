package main

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
)

// addInherents lists the inherents among the transactions.
func addInherents(r *evidence.Report, b *chain.Block) {
	inherents := fee.Inherents(b)
	for i := range inherents {
		r.Transactions = append(r.Transactions, evidence.Transaction{Transaction: &inherents[i]})
	}
	slices.SortFunc(r.Transactions, func(a, b evidence.Transaction) int { return a.Index - b.Index })
}
