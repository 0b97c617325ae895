package statement

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// KindFee is the kind of the movements that make up a fee: what was withdrawn for it,
// and what of that was given back.
const KindFee movement.Kind = "fee"

// Line is a line of a statement: a movement, or a fee without one.
type Line struct {
	Height uint64
	Time   chain.Optional[chain.Time] // of the block
	Final  bool                       // the block is
	Where  movement.Where
	// Movement is nil for a fee whose money is not among the movements: it was 0, it is
	// not known what was charged, or the chain had no event for it.
	Movement *movement.Movement
	OfFee    bool // the movement is a part of a fee
	// Payment is the transaction whose fee the account paid, beside the first movement
	// that is a part of the fee. What it paid is Payment.Charged.
	Payment *ledger.Transaction
	// Free and Reserved are by how much the balances changed; not known where the event
	// does not tell.
	Free, Reserved chain.Optional[chain.SignedWei]
	// FreeBalance and ReservedBalance are the balances after the line: the opening and
	// the movements up to it. They are not known from a change that is not told up to
	// the end of its block. Within a block they may be below 0: an event can stand after
	// what it made possible.
	FreeBalance, ReservedBalance chain.Optional[chain.SignedWei]
}

// Kind is what the line was to the account.
func (l *Line) Kind() movement.Kind {
	if l.OfFee || l.Movement == nil {
		return KindFee
	}
	return l.Movement.Kind
}

// ChangeUnknown tells whether the event does not say by how much the balance changed.
func (l *Line) ChangeUnknown() bool {
	return l.Movement != nil && !(l.Free.Known() && l.Reserved.Known())
}

// ForOther is who sent the transaction, where that is not the account, which paid.
func (l *Line) ForOther() (none chain.Optional[chain.Address]) {
	if l.Payment == nil {
		return none
	}
	return PaidFor(l.Payment)
}

// PaidFor is the sender of a transaction for which another account paid.
func PaidFor(t *ledger.Transaction) (none chain.Optional[chain.Address]) {
	sender, sent := t.Sender.Get()
	if payer, paid := t.Payer.Get(); sent && paid && sender != payer {
		return t.Sender
	}
	return none
}

// Place is the block with the extrinsic's index, such as "25-7", or with the hook, such
// as "25-onInitialize".
func (l *Line) Place() string { return l.Where.In(l.Height) }

// Each hands over the statement's lines in the order of the chain: the movements as the
// events are, and a fee without a movement before those of its extrinsic.
func (s *Statement) Each(ctx context.Context, each func(*Line) error) error {
	_, err := s.walk(ctx, each)
	return err
}

// Lines are the same, to be ranged over.
func (s *Statement) Lines(ctx context.Context) iter.Seq2[*Line, error] {
	return sequence(func(each func(*Line) error) error { return s.Each(ctx, each) })
}

// walk goes over the lines, and tells where the balance is in the end.
func (s *Statement) walk(ctx context.Context, each func(*Line) error) (balances.Running, error) {
	r := balances.From(s.Opening)
	nextMovement, stopMovements := iter.Pull2(s.movements(ctx, s.Span))
	defer stopMovements()
	nextPayment, stopPayments := iter.Pull2(s.book.Transactions(ctx, s.query(s.Span)))
	defer stopPayments()
	m, err, more := nextMovement()
	if err != nil {
		return r, ofLedger(err)
	}
	t, err, paid := nextPayment()
	if err != nil {
		return r, ofLedger(err)
	}
	height := s.Span.First
	for more || paid {
		g := group{}
		if g.at = placeOf(m, t); g.at.height != height {
			if err := r.Settle(&s.Comparison, height); err != nil {
				return r, ofLedger(err)
			}
			height = g.at.height
		}
		if paid && placeOf(nil, t) == g.at {
			g.payment = t
			if t, err, paid = nextPayment(); err != nil {
				return r, ofLedger(err)
			}
		}
		for more && placeOf(m, nil) == g.at {
			g.movements = append(g.movements, m)
			if m, err, more = nextMovement(); err != nil {
				return r, ofLedger(err)
			}
		}
		for _, line := range g.lines() {
			if err := line.carry(&r); err != nil {
				return r, err
			}
			if err := each(line); err != nil {
				return r, err
			}
		}
	}
	return r, ofLedger(r.Settle(&s.Comparison, height))
}

// carry adds the line's movement to the balance, and completes the line with what is
// known of both.
func (l *Line) carry(r *balances.Running) (err error) {
	if m := l.Movement; m != nil {
		if l.Free, l.Reserved, err = r.Add(m); err != nil {
			return ofLedger(fmt.Errorf("%s, event %d, %s: %w", l.Place(), m.EventIndex, m.Event, err))
		}
	}
	l.FreeBalance, l.ReservedBalance = r.Free(), r.Reserved()
	return nil
}

// movements are the account's.
func (s *Statement) movements(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
	return s.book.Movements(ctx, s.query(span))
}

// query asks for the account's rows in a span.
func (s *Statement) query(span chain.Heights) ledger.Query {
	return ledger.Query{Accounts: []chain.Address{s.Account}, Span: span}
}

// place is where in the chain something happened.
type place struct {
	height uint64
	where  movement.Where
}

// placeOf is the first of the places of a movement and a payment; nil is none.
func placeOf(m *ledger.Movement, t *ledger.Transaction) place {
	switch {
	case m == nil:
		return place{t.Height, movement.Where(t.Index)}
	case t == nil:
		return place{m.Height, m.Where}
	}
	a, b := placeOf(m, nil), placeOf(nil, t)
	if b.height < a.height || b.height == a.height && b.where < a.where {
		return b
	}
	return a
}
