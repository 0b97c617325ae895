package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// State is what a ledger has sealed, or what of that a period has. What is sealed never changes:
// two answers about it by one program, at one state, are the same.
type State struct {
	Network  string
	Span     chain.Optional[chain.Heights] // not known where nothing is sealed
	Hash     chain.Hash                    // of the last of these blocks
	Evidence evidence.Evidence             // how well they are known
}

// String says it for people.
func (s State) String() string {
	span, ok := s.Span.Get()
	if !ok {
		return s.Network + ": nothing is sealed"
	}
	return fmt.Sprintf("%s, sealed blocks %v, the last is %v; %v", s.Network, span, s.Hash, s.Evidence)
}

// StateOf tells what the ledger has sealed of a period that is over: a block after it is sealed, and
// no later one can be in it. Answers about such a period stay the same while the chain goes on. Of
// any other period, and of one that the ledger has nothing of, it is the whole State.
func (d *Desk) StateOf(ctx context.Context, p Period) (State, error) {
	s, err := d.State(ctx)
	span, some := s.Span.Get()
	if err != nil || !some || p.All {
		return s, err
	}
	cover, err := d.Book.Cover(ctx, p.Asked)
	if err != nil {
		return s, d.of(err)
	}
	of, some := cover.Span.Get()
	if !some || of.Last >= span.Last {
		return s, nil
	}
	end, err := d.Block(ctx, span.Last)
	if err != nil {
		return s, err
	}
	if p.Asked.Has(end.Height, end.Time) {
		return s, nil
	}
	last, err := d.Block(ctx, of.Last)
	if err != nil {
		return s, err
	}
	s.Span, s.Hash = cover.Span, last.Hash
	s.Evidence, err = d.Book.Evidence(ctx, of)
	return s, d.of(err)
}

// Readable tells what keeps the ledger from being read where it is kept.
func (d *Desk) Readable(ctx context.Context) error {
	_, err := d.Book.Sealed(ctx)
	none := errors.Is(err, ledger.ErrNone)
	if err == nil || none {
		err = d.Book.Reread(ctx, func(b *ledger.Book) error {
			_, err := (&Desk{Book: b, Place: d.Place, Tables: d.Tables}).State(ctx)
			return err
		})
	}
	if err != nil && !(none && errors.Is(err, ledger.ErrNone)) {
		return errors.New("the ledger cannot be read")
	}
	return nil
}

// State tells what the ledger has sealed. It is quick, however large the ledger is.
func (d *Desk) State(ctx context.Context) (s State, err error) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return s, d.of(err)
	}
	s.Network, s.Evidence = id.Network, evidence.Recorded(0)
	sealed, err := d.Book.Sealed(ctx)
	if errors.Is(err, ledger.ErrNone) {
		return s, nil
	}
	if err != nil {
		return s, d.of(err)
	}
	span, _ := sealed.Heights.Get()
	last, err := d.Block(ctx, span.Last)
	if err != nil {
		return s, err
	}
	s.Span, s.Hash = chain.Some(span), last.Hash
	s.Evidence, err = d.Book.Evidence(ctx, span)
	return s, d.of(err)
}
