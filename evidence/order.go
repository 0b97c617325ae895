package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// once checks that no transaction is in the block twice. A transaction is signed
// with a nonce, which the chain takes once; inherents can be the same to the byte.
func (p *prover) once() {
	seen := make(map[chain.Hash]int, len(p.report.Transactions))
	for i := range p.report.Transactions {
		t := &p.report.Transactions[i]
		if first, twice := seen[t.Hash]; twice {
			p.broken(extrinsicOnce, t.Index, "extrinsic %d has the same hash, %v", first, t.Hash)
			continue
		}
		seen[t.Hash] = t.Index
		p.held(extrinsicOnce)
	}
}

// order checks that the inherents stand before all transactions. What is unsigned,
// pays nothing and is not Mandatory, such as a heartbeat, stands anywhere.
func (p *prover) order(b *chain.Block) {
	if len(p.report.Transactions) == 0 {
		return
	}
	next := 0 // of the transactions
	for i := p.report.Transactions[0].Index; i < len(b.Extrinsics); i++ {
		if next < len(p.report.Transactions) && p.report.Transactions[next].Index == i {
			next++
			continue
		}
		outcome, err := b.Extrinsics[i].Outcome()
		if err != nil {
			continue // block.outcome says so
		}
		switch class, err := outcome.Class(); {
		case errors.Is(err, chain.ErrMissing):
			p.skip(extrinsicOrder, errNoClass.Error())
			return
		case err == nil && class == chain.Mandatory:
			p.broken(extrinsicOrder, i, "it is an inherent, and stands after a transaction")
			return
		}
	}
	p.held(extrinsicOrder)
}
