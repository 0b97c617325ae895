package journal

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// part is what a book has of the accounts in some blocks, in the order of the chain. A
// block is in one part as a whole.
type part struct {
	payments  []*Payment
	movements []*ledger.Movement
}

const (
	// mostHeld is how many records a part has. Only where a single block has more, it has
	// those of that block.
	mostHeld = 10_000
	// firstBlocks is how many blocks are tried first.
	firstBlocks = 1000
	// fewAccounts are read by an index, one after the other. To read all transactions and
	// pass over those of others is faster where there are more.
	fewAccounts = 1000
)

// errFull says that some blocks have more records than a part.
var errFull = errors.New("more records than a part holds")

// parts reads the span part by part: as many blocks at once as have some thousand
// records, which are then put in order.
func (p *Payments) parts(ctx context.Context, withMovements bool) iter.Seq2[*part, error] {
	return func(yield func(*part, error) bool) {
		span, ok := p.span.Get()
		blocks := uint64(firstBlocks)
		for first := span.First; ok; {
			last := span.Last
			if last-first >= blocks {
				last = first + blocks - 1
			}
			found, err := p.read(ctx, chain.Heights{First: first, Last: last}, withMovements)
			if errors.Is(err, errFull) {
				blocks = (last-first)/2 + 1
				continue
			}
			if !yield(found, err) || err != nil || last == span.Last {
				return
			}
			if found.size() < mostHeld/4 && blocks <= span.Last-first {
				blocks *= 2
			}
			first = last + 1
		}
	}
}

// again is parts, and [ErrChanged] at the end where the payments are not those of the
// first reading.
func (p *Payments) again(ctx context.Context, withMovements bool) iter.Seq2[*part, error] {
	return func(yield func(*part, error) bool) {
		var seen tally
		for part, err := range p.parts(ctx, withMovements) {
			if err == nil {
				for _, x := range part.payments {
					count(&seen, *x.Transaction)
				}
			}
			if !yield(part, err) {
				return
			}
		}
		if seen != p.seen {
			yield(nil, &LedgerError{ErrChanged})
		}
	}
}

// read reads all of some blocks. It is errFull where that is too much.
func (p *Payments) read(ctx context.Context, span chain.Heights, withMovements bool) (*part, error) {
	found := &part{}
	full := func() bool { return span.First < span.Last && found.size() == mostHeld }
	read := func() error {
		for t, err := range p.transactions(ctx, span) {
			switch {
			case err != nil:
				return err
			case !p.has(t):
				continue
			case full():
				return errFull
			}
			found.payments = append(found.payments, paymentOf(t))
		}
		if !withMovements {
			return nil
		}
		for m, err := range readBy(p, span, func(q ledger.Query) iter.Seq2[*ledger.Movement, error] { return p.book.Movements(ctx, q) }) {
			switch {
			case err != nil:
				return err
			case !p.asked[m.Account]:
				continue
			case full():
				return errFull
			}
			found.movements = append(found.movements, m)
		}
		return nil
	}
	err := read()
	if err != nil && !errors.Is(err, errFull) {
		err = &LedgerError{err}
	}
	found.sort()
	return found, err
}

// transactions are those that may be payments: of few accounts their own, and nobody's.
func (p *Payments) transactions(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Transaction, error] {
	return func(yield func(*ledger.Transaction, error) bool) {
		for t, err := range readBy(p, span, func(q ledger.Query) iter.Seq2[*ledger.Transaction, error] { return p.book.Transactions(ctx, q) }) {
			if !yield(t, err) || err != nil {
				return
			}
		}
		if len(p.accounts) <= fewAccounts {
			p.book.WithoutPayer(ctx, ledger.Query{Span: span})(yield)
		}
	}
}

// readBy reads rows of few accounts one after the other, and all rows otherwise.
func readBy[T any](p *Payments, span chain.Heights, rows func(ledger.Query) iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	if len(p.accounts) > fewAccounts {
		return rows(ledger.Query{Span: span})
	}
	return func(yield func(*T, error) bool) {
		for _, a := range p.accounts {
			for x, err := range rows(ledger.Query{Accounts: []chain.Address{a}, Span: span}) {
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

func (p *part) size() int { return len(p.payments) + len(p.movements) }

func (p *part) sort() {
	slices.SortFunc(p.payments, func(a, b *Payment) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Index, b.Index))
	})
	slices.SortStableFunc(p.movements, func(a, b *ledger.Movement) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Position, b.Position))
	})
}
