package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// once checks that no transaction is in the block twice. The chain accepts each nonce once, so a signed
// transaction cannot repeat; inherents can be identical.
func (s *subject) once() {
	transactions := s.priced.Transactions
	seen := make(map[chain.Hash]int, len(transactions))
	for i := range transactions {
		t := &transactions[i]
		if first, twice := seen[t.Hash]; twice {
			s.brokenAt(t.Index, "extrinsic %d has the same hash, %v", first, t.Hash)
			continue
		}
		seen[t.Hash] = t.Index
		s.held()
	}
}

// order checks that the inherents precede all transactions. An unsigned extrinsic that pays nothing and is not
// Mandatory, such as a heartbeat, may be anywhere.
func (s *subject) order() {
	transactions, extrinsics := s.priced.Transactions, s.block.Extrinsics
	if len(transactions) == 0 {
		return
	}
	next := 0 // of the transactions
	for i := transactions[0].Index; i < len(extrinsics); i++ {
		if next < len(transactions) && transactions[next].Index == i {
			next++
			continue
		}
		outcome, err := extrinsics[i].Outcome()
		if err != nil {
			continue // reported by block.outcome
		}
		switch class, err := outcome.Class(); {
		case errors.Is(err, chain.ErrMissing):
			s.skip(errNoClass.Error())
			return
		case err == nil && class == chain.Mandatory:
			s.brokenAt(i, "it is an inherent but comes after a transaction")
			return
		}
	}
	s.held()
}
