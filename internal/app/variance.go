package app

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/variance"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/network"
)

// VarianceRequest requests why the fees of a period differ from those of another.
type VarianceRequest struct {
	Request
	Against PeriodInput
	Top     chain.Optional[int] // calls shown for each step
}

// Against returns the period that text names to explain this one by; "" is the previous period.
func (in PeriodInput) Against(text string) (other PeriodInput, err error) {
	if text != "" {
		if !IsPeriod(text) {
			return other, notUnderstood("%v %q: want a period such as 2025-02, 2025 or 100..199", FieldAgainst, text)
		}
		other = PeriodInput{Timezone: in.Timezone, Partial: in.Partial}
		other.Set(text)
		return other, nil
	}
	other, err = in.Before()
	if wrong, ok := errors.AsType[*InputError](err); ok {
		for i, arg := range wrong.Args {
			if arg == FieldCompare {
				wrong.Args[i] = FieldAgainst
			}
		}
	}
	return other, err
}

// Variance explains why the fees of a period differ from those of another: of incomplete periods, those of the part that
// the ledger contains of both. It returns a [NotHeldError] for the period that the ledger does not fully contain.
func (d *Ledger) Variance(ctx context.Context, q VarianceRequest) (*variance.Report, error) {
	other, err := q.Against.Parse()
	if err != nil {
		return nil, err
	}
	now, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	before, err := d.Held(ctx, other)
	if err != nil {
		if missing, ok := errors.AsType[*NotHeldError](err); ok {
			missing.Compared = chain.Some(q.Against)
		}
		return nil, err
	}
	c, err := d.commonOf(ctx, &now, &before)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return d.variance(ctx, n, &now, &before, &q)
	case !c.some:
		return nil, notUnderstood("%v: %s and %s are not complete, and the ledger contains no same part of both. Fill the ledger with \"fees sync\", or choose periods that it contains.", FieldAgainst, now.Name, before.Name)
	}
	r, err := d.variance(ctx, n, &c.now, &c.before, &q)
	if err == nil {
		r.Part, r.Period.Part, r.Other.Part = c.both, c.names[0], c.names[1]
		r.Partial = append(r.Partial, console.PeriodName(now.Name)+" and "+console.PeriodName(before.Name)+": "+c.part())
	}
	return r, err
}

// variance explains the difference of two periods of the ledger.
func (d *Ledger) variance(ctx context.Context, n *network.Network, now, before *Held, q *VarianceRequest) (*variance.Report, error) {
	prices, accounts, err := d.resolve(ctx, console.Token(n.Token()), &q.Request)
	if err != nil {
		return nil, err
	}
	r := &variance.Report{
		Network: n.Name, Token: console.Token(n.Token()), Period: sideOf(now), Other: sideOf(before), Accounts: accounts, Labels: q.Labels, Prices: prices,
		Partial: append(now.Notes(), before.Notes()...), Top: q.Top,
	}
	total := blocksOf(now) + blocksOf(before)
	idle := map[chain.Address]bool{} // selected accounts without transactions
	for _, a := range accounts {
		idle[a] = true
	}
	var periods [2]variance.Period
	var notes [2][]string
	for i, one := range []struct {
		*Held
		side *variance.Side
		done uint64
	}{{now, &r.Period, 0}, {before, &r.Other, blocksOf(now)}} {
		v := valuerOf(prices, one.side)
		shown := func(done uint64) { q.Progress.show(one.done+done, total) }
		err := d.readVariance(ctx, one.Held, accounts, &periods[i], shown, func(c *ledger.Cost) {
			v.add(c)
			if payer, known := c.Payer.Get(); known {
				delete(idle, payer)
			}
		})
		if err != nil {
			return nil, err
		}
		if v.Valuer == nil {
			continue
		}
		if err := v.Check(q.Period.Partial); err != nil {
			return nil, err
		}
		notes[i] = v.Notes()
	}
	q.Progress.end()
	for _, note := range notes[0] {
		if !slices.Contains(notes[1], note) {
			note = console.PeriodName(now.Name) + ": " + note
		}
		r.Notes = append(r.Notes, note)
	}
	for _, note := range notes[1] {
		if !slices.Contains(notes[0], note) {
			r.Notes = append(r.Notes, console.PeriodName(before.Name)+": "+note)
		}
	}
	if len(idle) > 0 {
		r.Notes = append(r.Notes, "both periods: "+r.PaidNothing(slices.Collect(maps.Keys(idle))))
	}
	r.Variance, err = variance.Compare(&periods[0], &periods[1])
	return r, d.wrapErr(err)
}

// feesValuer adds up the value of a period's fees.
type feesValuer struct {
	*money.Valuer // nil without prices
	side          *variance.Side
}

func valuerOf(prices *money.List, side *variance.Side) *feesValuer {
	v := &feesValuer{side: side}
	if prices != nil {
		v.Valuer = prices.Valuer()
		side.Worth = chain.Some(money.NothingIn(prices.Currency))
	}
	return v
}

func (v *feesValuer) add(c *ledger.Cost) {
	if v.Valuer != nil && c.Fee.Known() {
		v.side.Worth = money.Sum(v.side.Worth, money.ValueKnown(v.Valuer, c.Fee, c.Time))
	}
}

// readVariance adds up a period's transactions.
func (d *Ledger) readVariance(ctx context.Context, h *Held, accounts []chain.Address, p *variance.Period, shown func(done uint64), each func(*ledger.Cost)) (err error) {
	span, some := h.Span.Get()
	if !some {
		return nil
	}
	for t, err := range d.Book.Transactions(ctx, ledger.Query{Span: span, Accounts: accounts, Progress: func(height uint64) { shown(height - span.First) }}) {
		if err == nil && h.Asked.Has(t.Height, t.Time) {
			each(&t.Cost)
			err = p.Add(t)
		}
		if err != nil {
			return d.wrapErr(err)
		}
	}
	if len(accounts) > 0 {
		p.WithoutPayer, err = d.withoutPayer(ctx, h, accounts)
	}
	return err
}

func blocksOf(h *Held) uint64 {
	if span, some := h.Span.Get(); some {
		return span.Blocks()
	}
	return 0
}

func sideOf(h *Held) variance.Side {
	return variance.Side{Name: h.Name, Length: h.length(), Cover: h.Cover, Evidence: h.Evidence}
}

// length returns how long a period is, in days or blocks.
func (p *Period) length() string {
	if span, ok := p.Asked.Heights.Get(); ok {
		return console.Counted(span.Blocks(), "block")
	}
	return console.Counted(uint64(p.countDays()), "day")
}
