package statement

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/movement"
)

// Totals are the sums of a statement's lines.
type Totals struct {
	Count    uint64 // lines
	NotFinal uint64 // lines of blocks that are not final
	// Kinds are the sums of the movements by kind; movements of fees count only as KindFee. Opening, Kinds,
	// the settled and the unexplained differences add up to the closing balance.
	Kinds []KindTotal
	// ByLine are the sums of the movements and fees by the line that [Options] name; nil if they name none.
	ByLine map[string]*Sum
	Fees   []LayerFees // by layer, EVM first
	// Others are the fees paid for transactions of other senders. They are included in Fees.
	Others LayerFees
	// AssetFees are the fees that were paid in assets, by asset. They are in no other sum.
	AssetFees fee.AssetTotals
	// PassedOut are the deposits of the account that others got back, PassedIn those of others that it got back. They are in no
	// other sum.
	PassedOut, PassedIn chain.Wei
	// Unmatched are the deposits whose payer is not known. They are in no other sum.
	Unmatched deposits.Unmatched
	// WithoutPayer is the number of transactions outside the statement whose payer is unknown and may be the
	// account.
	WithoutPayer uint64

	unknown []uint64 // heights with unknown changes, ascending
}

// KindTotal is the sum of the movements of a kind.
type KindTotal struct {
	Kind movement.Kind `json:"kind"`
	Sum
}

// Sum is the sum of some movements and fees.
type Sum struct {
	Movements       uint64 `json:"movements"` // of a fee: transactions
	balances.Change        // sum of the known changes
	Unknown         uint64 `json:"not_stated"` // movements whose change is not known
}

// LayerFees are the fees of the transactions of a layer.
type LayerFees struct {
	Layer        fee.Layer `json:"layer"`
	Transactions uint64    `json:"transactions"`
	Charged      chain.Wei `json:"charged"`       // charged on chain
	Unknown      uint64    `json:"unknown"`       // transactions whose charge is not known
	Drifting     uint64    `json:"drifting"`      // transactions not charged by the rules
	Apart        uint64    `json:"apart"`         // transactions with a charge above 0 that no movements cover
	Failed       uint64    `json:"failed_checks"` // transactions with failed checks
}

func (f *LayerFees) add(l *Line) (err error) {
	f.Transactions++
	charged, known := l.Payment.Charged.Get()
	if !known {
		f.Unknown++
	} else if l.Movement == nil && !charged.IsZero() {
		f.Apart++
	}
	if l.Payment.Verdict == evidence.Drift {
		f.Drifting++
	}
	if l.Payment.Failed != "" {
		f.Failed++
	}
	f.Charged, err = f.Charged.Add(charged)
	return err
}

// total sums up the lines.
func (s *Statement) total(ctx context.Context, lines func() LineOf) error {
	s.Totals = Totals{}
	if err := s.countWithoutPayer(ctx); err != nil {
		return err
	}
	var lineOf LineOf
	if lines != nil {
		lineOf, s.ByLine = lines(), map[string]*Sum{}
	}
	kinds := map[movement.Kind]*Sum{}
	layers := map[fee.Layer]*LayerFees{}
	end, err := s.walk(ctx, func(l *Line) error {
		s.Count++
		if !l.Final {
			s.NotFinal++
		}
		if l.Movement != nil && balances.IsUnknown(l.Movement) && (len(s.unknown) == 0 || s.unknown[len(s.unknown)-1] != l.Height) {
			s.unknown = append(s.unknown, l.Height)
		}
		if l.Movement != nil {
			if err := errorsAt(l, errors.Join(addTo(kinds, l.Kind(), l), s.addPassed(l))); err != nil {
				return err
			}
		}
		if lineOf != nil {
			if err := addLine(ctx, s.ByLine, lineOf, l); err != nil {
				return err
			}
		}
		if l.Payment == nil {
			return nil
		}
		if layers[l.Payment.Layer] == nil {
			layers[l.Payment.Layer] = &LayerFees{Layer: l.Payment.Layer}
		}
		if l.ForOther().Known() {
			if err := errorsAt(l, s.Others.add(l)); err != nil {
				return err
			}
		}
		if l.Payment.InAsset() {
			if err := errorsAt(l, s.AssetFees.Add(&l.Payment.AssetFee)); err != nil {
				return err
			}
		}
		return errorsAt(l, layers[l.Payment.Layer].add(l))
	})
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		s.Kinds = append(s.Kinds, KindTotal{kind, *kinds[kind]})
	}
	for _, layer := range slices.Sorted(maps.Keys(layers)) {
		s.Fees = append(s.Fees, *layers[layer])
	}
	return ofLedger(s.Close(end))
}

// addPassed adds a deposit that passed, or whose payer is not known.
func (t *Totals) addPassed(l *Line) (err error) {
	switch l.Kind() {
	case movement.KindDepositPassedOut:
		t.PassedOut, err = t.PassedOut.Add(l.Movement.Amount)
	case movement.KindDepositPassedIn:
		t.PassedIn, err = t.PassedIn.Add(l.Movement.Amount)
	}
	if l.Movement != nil && err == nil {
		err = t.Unmatched.Add(l.Movement)
	}
	return err
}

// passedNotes returns notes on the deposits that passed, and on those whose payer is not known.
func (t *Totals) passedNotes(amount func(chain.Wei) string) (notes []string) {
	if !t.PassedOut.IsZero() {
		notes = append(notes, "deposits of "+amount(t.PassedOut)+" that this account had paid passed to the accounts that cleared them; no balance changed")
	}
	if !t.PassedIn.IsZero() {
		notes = append(notes, "deposits of "+amount(t.PassedIn)+" that other accounts had paid were given back to this account")
	}
	return append(notes, t.Unmatched.Notes("this account", amount)...)
}

// addTo adds a line to the sum of its kind.
func addTo[K comparable](sums map[K]*Sum, kind K, l *Line) (err error) {
	if sums[kind] == nil {
		sums[kind] = new(Sum)
	}
	k := sums[kind]
	if l.Kind() != KindFee || l.Payment != nil { // what was given back is part of the same fee
		k.Movements++
	}
	if l.ChangeUnknown() {
		k.Unknown++
	}
	free, _ := l.Free.Get()
	reserved, _ := l.Reserved.Get()
	k.Change, err = k.Plus(balances.Change{Free: free, Reserved: reserved})
	return err
}

// addLine adds a line to the sum that lineOf names.
func addLine(ctx context.Context, sums map[string]*Sum, lineOf LineOf, l *Line) error {
	name, err := lineOf(ctx, l)
	if err != nil {
		return err
	}
	return errorsAt(l, addTo(sums, name, l))
}

// SumLines returns the sums of the movements and fees by the line that lineOf names: those of [Totals] if it has them.
func (s *Statement) SumLines(ctx context.Context, lineOf LineOf) (map[string]*Sum, error) {
	if s.ByLine != nil {
		return s.ByLine, nil
	}
	sums := map[string]*Sum{}
	return sums, s.Each(ctx, func(l *Line) error { return addLine(ctx, sums, lineOf, l) })
}

// errorsAt adds the line at which a sum overflows.
func errorsAt(l *Line, err error) error {
	if err == nil {
		return nil
	}
	return ofLedger(fmt.Errorf("%s: the sum: %w", l.Place(), err))
}
