package evidence

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// AddInherents lists the inherents among the transactions.
func (r *Report) AddInherents(b *chain.Block) {
	inherents := fee.Inherents(b)
	for i := range inherents {
		r.Transactions = append(r.Transactions, Transaction{Transaction: &inherents[i]})
	}
	slices.SortFunc(r.Transactions, func(a, b Transaction) int { return a.Index - b.Index })
}
