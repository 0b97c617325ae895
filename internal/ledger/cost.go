package ledger

import (
	"context"
	"iter"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// Cost is what there is to add up of a transaction: who paid how much, for what, and
// where that went. [Transaction] has the same and all the rest.
type Cost struct {
	Height      uint64
	Time        chain.Optional[chain.Time] // of the block
	Rules       string                     // that priced it
	Index       int                        // in the block
	Layer       fee.Layer
	Type        string // of an EVM transaction, else ""
	Call        string
	Recipient   chain.Optional[chain.Address]
	Payer       chain.Optional[chain.Address]
	GasPrice    chain.Optional[chain.GasPrice]
	Gas         chain.Optional[chain.Gas]
	Fee         chain.Optional[chain.Wei]
	PriorityFee chain.Optional[chain.Wei] // part of Fee, as is Tip
	Tip         chain.Optional[chain.Wei]
	Outcome     fee.Outcome // "" where it is not known
	Charged     chain.Optional[chain.Wei]
	Verdict     evidence.Verdict
	Burned      chain.Optional[chain.Wei]
	Treasury    chain.Optional[chain.Wei]
	Author      chain.Optional[chain.Wei]
}

// Place is where the transaction is.
func (c *Cost) Place() Place { return Place{c.Height, c.Index} }

// Costs are those that a query asks for. One is valid until the next is asked for.
func (b *Book) Costs(ctx context.Context, q Query) iter.Seq2[*Cost, error] {
	if n := len(q.Accounts); 0 < n && n <= maxAccounts {
		return b.costsOf(ctx, q)
	}
	return sequence(func(yield func(*Cost) bool) error {
		var used sync.Pool // of the costs of parts, which take some megabytes
		sealed, err := b.sealed(ctx)
		if err != nil {
			return err
		}
		payers := map[chain.Address]bool{}
		for _, a := range q.Accounts {
			payers[a] = true
		}
		pages := pager{Query: &q}
		readers := readersAtOnce()
		span := since(q.span(), sealed) // which may be far longer than the book
		highest, err := highestBlock(ctx, b.engine.shared())
		if err != nil {
			return err
		}
		end := uint64(0)
		if highest != nil {
			end = uint64(*highest)
		}
		if s, ok := sealed.Get(); ok {
			end = max(end, s.Last) // also where it is missing
		}
		span.Last = min(span.Last, end)
		for p := range inorder.Map(ctx, costParts(span), readers, func(ctx context.Context, s chain.Heights) *part {
			p, ok := used.Get().(*part)
			if !ok {
				p = new(part)
			}
			p.costs, p.err = b.costs(ctx, s, sealed, p.costs[:0])
			return p
		}) {
			if p.err != nil {
				return b.blameless(ctx, sealed, p.err)
			}
			for i := range p.costs {
				c := &p.costs[i]
				if payer, ok := c.Payer.Get(); len(payers) > 0 && (!ok || !payers[payer]) {
					continue
				}
				if pages.take(c.Place()) && !yield(c) || pages.full() {
					return nil
				}
			}
			used.Put(p)
		}
		return nil
	})
}

// costsOf are those of few accounts.
func (b *Book) costsOf(ctx context.Context, q Query) iter.Seq2[*Cost, error] {
	return sequence(func(yield func(*Cost) bool) error {
		return pass(b.Transactions(ctx, q), func(t *Transaction) bool { return yield(&t.Cost) })
	})
}

// part is what a part of a span holds.
type part struct {
	costs []Cost
	err   error
}

// partHeights is how many heights have their costs read at once.
const partHeights = 400

// costParts are the spans of which this one is made, in their order: none where it ends
// before it begins, as what a statement of block 0 has to look through does.
func costParts(s chain.Heights) iter.Seq[chain.Heights] {
	return func(yield func(chain.Heights) bool) {
		if s.Last < s.First {
			return
		}
		for first := s.First; ; first += partHeights {
			if s.Last-first < partHeights {
				yield(chain.Heights{First: first, Last: s.Last})
				return
			}
			if !yield(chain.Heights{First: first, Last: first + partHeights - 1}) {
				return
			}
		}
	}
}

// provedCosts are a block's costs as its row has them, with what proves them.
type provedCosts struct {
	height uint64
	costs  packedCosts
	leaves []byte
}

var packedFields = []field[provedCosts]{
	{name: "height", mark: state, at: func(p *provedCosts) any { return &p.height }},
	{name: "costs", mark: state, at: func(p *provedCosts) any { return &p.costs }},
	{name: "leaves", mark: state, at: func(p *provedCosts) any { return &p.leaves }},
}

// costs reads a part, and adds it to a list. None of the sealed blocks may be missing.
func (b *Book) costs(ctx context.Context, span chain.Heights, sealed chain.Optional[chain.Heights], found []Cost) ([]Cost, error) {
	present := newPresence(span, sealed)
	var u unpacker
	err := scan(ctx, b.engine.shared(), packedFields, func(p *provedCosts) error {
		if err := present.at(p.height); err != nil {
			return err
		}
		_, err := provedLeaves(p.height, p.leaves, p.costs)
		if err == nil {
			found, err = u.costs(found, p.costs, p.height)
		}
		return err
	}, selectFrom("blocks", columnsOf(packedFields))+" WHERE height BETWEEN ? AND ? ORDER BY height", bounds(span)...)
	if err != nil {
		return found, err
	}
	return found, present.ended()
}
