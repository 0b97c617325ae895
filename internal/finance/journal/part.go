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
			found.payments = append(found.payments, paymentOf(t, p.token))
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

// transactions returns the candidates for payments: for few accounts, their own and those without a known payer.
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

// readBy reads the rows of few accounts one after the other, and otherwise all rows.
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
