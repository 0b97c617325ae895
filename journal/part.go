package journal

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/feeledger/fees/ledger"
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
			found, err := p.read(ctx, ledger.Span{First: first, Last: last}, withMovements)
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
func (p *Payments) read(ctx context.Context, span ledger.Span, withMovements bool) (*part, error) {
	found := &part{}
	full := func() bool { return span.First < span.Last && found.size() == mostHeld }
	pay := func(t *ledger.Transaction) error {
		if !p.has(t) {
			return nil
		}
		if full() {
			return errFull
		}
		found.payments = append(found.payments, paymentOf(t))
		return nil
	}
	move := func(m *ledger.Movement) error {
		if !p.asked[m.Account] {
			return nil
		}
		if full() {
			return errFull
		}
		found.movements = append(found.movements, m)
		return nil
	}
	err := p.readPayments(ctx, span, pay)
	if err == nil && withMovements {
		err = p.readMovements(ctx, span, move)
	}
	if err != nil && !errors.Is(err, errFull) {
		err = &LedgerError{err}
	}
	found.sort()
	return found, err
}

func (p *Payments) readPayments(ctx context.Context, span ledger.Span, each func(*ledger.Transaction) error) error {
	if len(p.accounts) > fewAccounts {
		return p.book.Transactions(ctx, span, each)
	}
	for _, a := range p.accounts {
		if err := p.book.Payments(ctx, a, span, each); err != nil {
			return err
		}
	}
	return p.book.WithoutPayer(ctx, span, each)
}

func (p *Payments) readMovements(ctx context.Context, span ledger.Span, each func(*ledger.Movement) error) error {
	if len(p.accounts) > fewAccounts {
		return p.book.AllMovements(ctx, span, each)
	}
	for _, a := range p.accounts {
		if err := p.book.Movements(ctx, a, span, each); err != nil {
			return err
		}
	}
	return nil
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
