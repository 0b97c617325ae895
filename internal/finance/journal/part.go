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

// part contains the payments and movements of the accounts in some blocks, in chain order. A block is never split
// between parts.
type part struct {
	payments  []*Payment
	movements []*ledger.Movement
}

const (
	// maxHeld limits the records of a part. Only a single block may exceed it.
	maxHeld = 10_000
	// firstBlocks is the number of blocks tried first.
	firstBlocks = 1000
	// fewAccounts is the number of accounts up to which they are read by index, one after the other. Above it, reading
	// all transactions and skipping those of others is faster.
	fewAccounts = 1000
)

// errFull reports that some blocks contain more records than a part may hold.
var errFull = errors.New("too many records for a part")

// parts reads the span in parts: as many blocks at once as contain some thousand records, which it then
// sorts.
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
			if found.size() < maxHeld/4 && blocks <= span.Last-first {
				blocks *= 2
			}
			first = last + 1
		}
	}
}

// again returns the parts, and ends with [ErrChanged] if the payments differ from those of the first
// pass.
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

// read reads all records of some blocks, or returns errFull if there are too many.
func (p *Payments) read(ctx context.Context, span chain.Heights, withMovements bool) (*part, error) {
	found := &part{}
	full := func() bool { return span.First < span.Last && found.size() == maxHeld }
	pay := func(t *ledger.Transaction) error {
		if !p.has(t) {
			return nil
		}
		if full() {
			return errFull
		}
		found.payments = append(found.payments, paymentOf(t, p.token))
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
	err := p.candidates(ctx, span, withMovements, pay, move)
	if err != nil && !errors.Is(err, errFull) {
		err = &LedgerError{err}
	}
	found.sort()
	return found, err
}

// candidates reads all rows; for few accounts, their own rows and the transactions without a known payer.
func (p *Payments) candidates(ctx context.Context, span chain.Heights, withMovements bool, pay func(*ledger.Transaction) error, move func(*ledger.Movement) error) error {
	if len(p.accounts) > fewAccounts {
		err := each(p.book.Transactions(ctx, ledger.Query{Span: span}), pay)
		if err == nil && withMovements {
			err = each(p.book.Movements(ctx, ledger.Query{Span: span}), move)
		}
		return err
	}
	for _, a := range p.accounts {
		var err error
		if withMovements { // each block is read once
			err = each(p.book.Activity(ctx, a, span, false), func(block *ledger.Activity) error {
				for _, t := range block.Transactions {
					if err := pay(t); err != nil {
						return err
					}
				}
				for _, m := range block.Movements {
					if err := move(m); err != nil {
						return err
					}
				}
				return nil
			})
		} else {
			err = each(p.book.Transactions(ctx, ledger.Query{Accounts: []chain.Address{a}, Span: span}), pay)
		}
		if err != nil {
			return err
		}
	}
	return each(p.book.WithoutPayer(ctx, ledger.Query{Span: span}), pay)
}

func each[T any](rows iter.Seq2[*T, error], do func(*T) error) error {
	for x, err := range rows {
		if err == nil {
			err = do(x)
		}
		if err != nil {
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
