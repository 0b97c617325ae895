package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// State identifies the sealed blocks of a ledger or a period. Sealed blocks never change, so two answers by one
// program at the same state are identical.
type State struct {
	Network  string
	Span     chain.Optional[chain.Heights] // unknown if nothing is sealed
	Hash     chain.Hash                    // of the last block
	Evidence evidence.Evidence             // the level of evidence of the blocks
}

// String returns a line for display.
func (s State) String() string {
	span, ok := s.Span.Get()
	if !ok {
		return s.Network + ": nothing is sealed"
	}
	return fmt.Sprintf("%s, sealed blocks %v, last hash %v; %v", s.Network, span, s.Hash, s.Evidence)
}

// StateOf returns the state of a period that is complete, with a sealed block after it. Answers about it stay the
// same while the chain grows. For any other period, or one without blocks in the ledger, it returns the state of
// the whole ledger.
func (d *Ledger) StateOf(ctx context.Context, p Period) (State, error) {
	s, err := d.State(ctx)
	span, some := s.Span.Get()
	if err != nil || !some || p.All {
		return s, err
	}
	cover, err := d.Book.Cover(ctx, p.Asked)
	if err != nil {
		return s, d.wrapErr(err)
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
	return s, d.wrapErr(err)
}

// Readable returns an error if the ledger cannot be read. The error contains no location.
func (d *Ledger) Readable(ctx context.Context) error {
	_, err := d.Book.Sealed(ctx)
	none := errors.Is(err, ledger.ErrNone)
	if err == nil || none {
		err = d.Book.Reread(ctx, func(b *ledger.Book) error {
			_, err := (&Ledger{Book: b, Place: d.Place, Tables: d.Tables}).State(ctx)
			return err
		})
	}
	if err != nil && !(none && errors.Is(err, ledger.ErrNone)) {
		return errors.New("the ledger cannot be read")
	}
	return nil
}

// State returns what the ledger has sealed. It is fast for ledgers of any size.
func (d *Ledger) State(ctx context.Context) (s State, err error) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return s, d.wrapErr(err)
	}
	s.Network, s.Evidence = id.Network, evidence.Recorded(0)
	sealed, err := d.Book.Sealed(ctx)
	if errors.Is(err, ledger.ErrNone) {
		return s, nil
	}
	if err != nil {
		return s, d.wrapErr(err)
	}
	span, _ := sealed.Heights.Get()
	last, err := d.Block(ctx, span.Last)
	if err != nil {
		return s, err
	}
	s.Span, s.Hash = chain.Some(span), last.Hash
	s.Evidence, err = d.Book.Evidence(ctx, span)
	return s, d.wrapErr(err)
}
