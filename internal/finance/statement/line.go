package statement

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

// KindFee is the kind of the movements that make up a fee: the withdrawal and the refund.
const KindFee movement.Kind = "fee"

// Line is a line of a statement: a movement, or a fee without one.
type Line struct {
	Height uint64
	Time   chain.Optional[chain.Time] // of the block
	Final  bool                       // the block is final
	Where  movement.Where
	// Movement is nil for a fee that no movement covers: the fee was 0, the amount charged is not
	// known, or the chain emitted no event for it.
	Movement *movement.Movement
	OfFee    bool // the movement is part of a fee
	// Payment is the transaction whose fee the account paid; it is set on the first movement that is part of the
	// fee. The amount paid is Payment.Charged.
	Payment *ledger.Transaction
	// Cause is the transaction that the line is of; nil for a hook and for an inherent.
	Cause *ledger.Transaction
	// Free and Reserved are the changes of the balances; unknown if the event does not state
	// them.
	Free, Reserved chain.Optional[chain.SignedWei]
	// FreeBalance and ReservedBalance are the balances after the line: the opening balance plus the
	// movements up to it. They are unknown from a change that is not stated until the end of its block.
	// Within a block they may be negative, because an event can follow the movement that it enabled.
	FreeBalance, ReservedBalance chain.Optional[chain.SignedWei]
}

// Kind returns the kind of the line for the account.
func (l *Line) Kind() movement.Kind {
	if l.OfFee || l.Movement == nil {
		return KindFee
	}
	return l.Movement.Kind
}

// ChangeUnknown reports whether the event does not state the change of the balance.
func (l *Line) ChangeUnknown() bool {
	return l.Movement != nil && !(l.Free.Known() && l.Reserved.Known())
}

// ForOther returns the sender of the transaction if the account paid for another sender.
func (l *Line) ForOther() (none chain.Optional[chain.Address]) {
	if l.Payment == nil {
		return none
	}
	return PaidFor(l.Payment)
}

// PaidFor returns the sender of a transaction that another account paid for.
func PaidFor(t *ledger.Transaction) (none chain.Optional[chain.Address]) {
	sender, sent := t.Sender.Get()
	if payer, paid := t.Payer.Get(); sent && paid && !sender.Is(payer) {
		return t.Sender
	}
	return none
}

// Place returns the block with the extrinsic's index, such as "25-7", or with the hook, such
// as "25-onInitialize".
func (l *Line) Place() string { return l.Where.In(l.Height) }

// Each calls each for the statement's lines in chain order: movements in event order, and a fee without movements
// before those of its extrinsic.
func (s *Statement) Each(ctx context.Context, each func(*Line) error) error {
	_, err := s.walk(ctx, each)
	return err
}

// Lines returns the same lines as an iterator.
func (s *Statement) Lines(ctx context.Context) iter.Seq2[*Line, error] {
	return table.Sequence(func(each func(*Line) error) error { return s.Each(ctx, each) })
}

// EachFee calls each for the same lines, with the movements of a fee as one: what was withheld less what was given back.
// Its Movement is the first of them. Balances are those after the lines up to it.
func (s *Statement) EachFee(ctx context.Context, each func(*Line) error) error {
	var lines []Line // of one extrinsic or hook
	pass := func() error {
		joined, err := byFee(lines)
		for i := range joined {
			if err == nil {
				err = each(&joined[i])
			}
		}
		lines = lines[:0]
		return err
	}
	err := s.Each(ctx, func(l *Line) error {
		if len(lines) > 0 && lines[0].Place() != l.Place() {
			if err := pass(); err != nil {
				return err
			}
		}
		lines = append(lines, *l)
		return nil
	})
	if err != nil {
		return err
	}
	return pass()
}

// byFee joins the movements of the fee in an extrinsic, unless a change in it is unknown.
func byFee(lines []Line) ([]Line, error) {
	first := slices.IndexFunc(lines, func(l Line) bool { return l.OfFee })
	if first < 0 || slices.ContainsFunc(lines, func(l Line) bool { return l.ChangeUnknown() }) {
		return lines, nil
	}
	rest := Line{Free: chain.Some(chain.SignedWei{}), Reserved: chain.Some(chain.SignedWei{})} // the parts of the fee that follow
	for i := len(lines) - 1; i >= first; i-- {
		l := &lines[i]
		var err error
		if i > first && l.OfFee {
			err = errors.Join(add(&rest.Free, l.Free), add(&rest.Reserved, l.Reserved))
		} else {
			err = errors.Join(add(&l.FreeBalance, rest.Free), add(&l.ReservedBalance, rest.Reserved))
		}
		if i == first {
			err = errors.Join(err, add(&l.Free, rest.Free), add(&l.Reserved, rest.Reserved))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Place(), err)
		}
	}
	others := slices.DeleteFunc(lines[first+1:], func(l Line) bool { return l.OfFee })
	return lines[:first+1+len(others)], nil
}

// add adds to an amount, if both are known.
func add(to *chain.Optional[chain.SignedWei], more chain.Optional[chain.SignedWei]) error {
	sum, known := to.Get()
	by, also := more.Get()
	if !known || !also {
		return nil
	}
	sum, err := sum.Add(by)
	*to = chain.Some(sum)
	return err
}

// walk iterates over the lines and returns the final balance.
func (s *Statement) walk(ctx context.Context, each func(*Line) error) (balances.Running, error) {
	r := balances.From(s.Opening)
	height := s.Span.First
	for block, err := range s.book.Activity(ctx, s.Account, s.Span, ledger.WithCauses) {
		if err != nil {
			return r, ofLedger(err)
		}
		if block.Height != height {
			if err := r.Settle(&s.Comparison, height); err != nil {
				return r, ofLedger(err)
			}
			height = block.Height
		}
		for g := range groups(block) {
			for _, line := range g.lines() {
				if err := line.carry(&r); err != nil {
					return r, err
				}
				if err := each(line); err != nil {
					return r, err
				}
			}
		}
	}
	return r, ofLedger(r.Settle(&s.Comparison, height))
}

// carry adds the line's movement to the running balance and completes the line with the known
// values.
func (l *Line) carry(r *balances.Running) (err error) {
	if m := l.Movement; m != nil {
		if l.Free, l.Reserved, err = r.Add(m); err != nil {
			return ofLedger(fmt.Errorf("%s, event %d, %s: %w", l.Place(), m.EventIndex, m.Event, err))
		}
	}
	l.FreeBalance, l.ReservedBalance = r.Free(), r.Reserved()
	return nil
}

// movements returns the account's movements.
func (s *Statement) movements(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Movement, error] {
	return s.book.Movements(ctx, s.query(span))
}

// query selects the account's rows in a range.
func (s *Statement) query(span chain.Heights) ledger.Query {
	return ledger.Query{Accounts: []chain.Address{s.Account}, Span: span}
}
