package evidence

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// inherents checks that the block contains the inherents that the runtime requires of every author: without
// them, extrinsics were left out.
func (s *subject) inherents() {
	if s.block.Number == 0 { // no extrinsic was executed in it
		return
	}
	timed := 0
	for i := range s.block.Extrinsics {
		if s.block.Extrinsics[i].SetsTime() {
			timed++
		}
	}
	switch {
	case s.priced.Totals.Inherents == 0:
		s.broken("the block has %d extrinsics and no inherent. Every block contains timestamp.set, so extrinsics are missing.", len(s.block.Extrinsics))
	case timed != 1:
		s.broken("the block contains timestamp.set %d times, but every block contains it exactly once", timed)
	default:
		s.held()
	}
}

// AddInherents adds the inherents to the list of transactions.
func (r *Report) AddInherents(b *chain.Block) {
	inherents := fee.Inherents(b, r.rules.EVM)
	for i := range inherents {
		r.Transactions = append(r.Transactions, Transaction{Transaction: &inherents[i]})
	}
	slices.SortFunc(r.Transactions, func(a, b Transaction) int { return a.Index - b.Index })
	r.assign()
}
