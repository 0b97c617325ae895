package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// TotalsBy selects how totals are grouped.
type TotalsBy int

// The groupings. Days and months are UTC. A contract is what an EVM transaction called; native calls are
// listed beside them. An account is a payer.
const (
	ByQuarterHour TotalsBy = iota
	ByDay
	ByMonth
	ByContract
	ByAccount
	ByContractDay // by contract and day
	ByAccountDay  // by account and day
)

// kindsBy are the kinds of parts with the totals; partKinds means the stretches' own sums.
var kindsBy = [...]partKind{ByQuarterHour: quarterHours, ByDay: partKinds, ByMonth: partKinds, ByContract: contractSums, ByAccount: accountSums, ByContractDay: contractSums, ByAccountDay: accountSums}

// takes reports whether a whole stretch provides the totals.
func (by TotalsBy) takes(s *stretch) bool {
	kind := kindsBy[by]
	switch {
	case s.unit == monthly && (by == ByQuarterHour || by == ByDay || by == ByContractDay || by == ByAccountDay):
		return false
	case kind == partKinds:
		return true
	}
	return s.number != noTime && s.ended()
}

// Total is the sum of some transactions of a period. Fields that do not apply to the grouping are zero.
type Total struct {
	Start    chain.Optional[chain.Time] // start of the quarter of an hour, day or month
	Layer    fee.Layer
	Call     string
	Contract chain.Optional[chain.Address] // of an EVM transaction; unknown if it was not found
	Account  chain.Optional[chain.Address] // unknown if the payer is unknown
	Sums
}

// Totals calls each with totals of the sealed blocks of a span that belong to a period. Totals of whole months
// and days are read and checked by their leaves; the rest of the period is scanned block by block. A key can
// therefore occur several times, and the caller must add them up. It returns the sorted names of the rules
// that priced the transactions, and reports to progress how many blocks are done. A total is valid until each returns.
func (b *Book) Totals(ctx context.Context, p Period, span chain.Heights, by TotalsBy, each func(*Total) error, progress func(done uint64)) (rules []string, err error) {
	found, done := map[string]bool{}, uint64(0)
	err = b.watchDetaching(ctx, func() error {
		list, err := b.pieces(ctx, p, span, by.takes)
		for i := range list {
			if err := b.totalsOfPiece(ctx, p, span, by, &list[i], found, each); err != nil {
				return err
			}
			done += list[i].span.Blocks()
			progress(done)
		}
		return err
	})
	return slices.Sorted(maps.Keys(found)), err
}

// totalsOfPiece delivers the totals of a piece and notes the rules that priced its transactions. If blocks were
// added to a day or a month since the period was cut into pieces, its totals are gone or include those blocks:
// its original blocks are scanned instead.
func (b *Book) totalsOfPiece(ctx context.Context, p Period, span chain.Heights, by TotalsBy, x *piece, rules map[string]bool, each func(*Total) error) error {
	if !x.whole && !(by == ByQuarterHour && x.byQuarters(p, span)) {
		return b.lookThrough(ctx, p, by, x, rules, each)
	}
	handed := false
	err := b.totalsOfStretch(ctx, p, by, x, rules, func(t *Total) error {
		handed = true
		return each(t)
	})
	if !errors.Is(err, ErrDamaged) || x.changed(ctx, b.engine.shared()) == nil {
		return err
	}
	if handed { // delivered totals cannot be withdrawn
		return fmt.Errorf("%w. Try again.", ErrExtended)
	}
	return b.lookThrough(ctx, p, by, x, rules, each)
}

// totalsOfStretch delivers the totals of a stretch; of its quarters of an hour, those of the period.
func (b *Book) totalsOfStretch(ctx context.Context, p Period, by TotalsBy, x *piece, rules map[string]bool, each func(*Total) error) error {
	note := func() {
		for _, name := range lines(string(x.rules)) {
			rules[name] = true
		}
	}
	if kindsBy[by] == partKinds {
		note()
		return each(&Total{Start: x.start(by), Sums: x.sums})
	}
	if x.whole {
		note()
	}
	var paid uint64
	t := new(Total) // reused
	err := b.eachPart(ctx, x.stretch, kindsBy[by], func(key []byte, s *Sums) error {
		*t = Total{Sums: *s}
		switch by {
		case ByQuarterHour:
			if len(key) != 4 {
				return damaged("table parts: invalid key %q of a quarter of an hour", key)
			}
			t.Start = startAt(time.UnixMilli(int64(binary.BigEndian.Uint32(key)) * quarterHourMS))
			if !x.whole && !p.Has(0, t.Start) {
				return nil
			}
			if s.EVM+s.Native > 0 {
				note()
			}
		case ByContract, ByContractDay:
			parts := strings.SplitN(string(key), "\x00", 3)
			if len(parts) != 3 || parts[2] != "" && len(parts[2]) != chain.AddressSize {
				return damaged("table parts: invalid key %q of a contract", key)
			}
			t.Layer, t.Call = fee.Layer(parts[0]), parts[1]
			if parts[2] != "" {
				t.Contract = chain.Some(chain.Address20([chain.AddressSize]byte([]byte(parts[2]))))
			}
		case ByAccount, ByAccountDay:
			account, err := chain.AddressOf(key)
			if err != nil {
				return damaged("table parts: invalid key %q of an account", key)
			}
			t.Account = chain.Some(account)
			paid += s.EVM + s.Native
		}
		if by == ByContractDay || by == ByAccountDay {
			t.Start = x.start(ByDay)
		}
		return each(t)
	})
	if err != nil || kindsBy[by] != accountSums || paid == x.sums.EVM+x.sums.Native {
		return err
	}
	return b.lookedThrough(ctx, p, x, func(of *Block, c *Cost, s *Sums) error { // transactions without a known payer
		if c == nil || c.Payer.Known() {
			return nil
		}
		return each(totalOf(by, of, c, s))
	})
}

// start returns when the stretch, or the month it belongs to, begins.
func (s *stretch) start(by TotalsBy) (none chain.Optional[chain.Time]) {
	if s.number == noTime {
		return none
	}
	begin, _ := s.unit.times(s.number)
	if by == ByMonth {
		begin, _ = monthly.times(monthly.number(begin.UnixMilli()))
	}
	return startAt(begin)
}

// eachPart calls each with the sums of all parts of a kind.
func (b *Book) eachPart(ctx context.Context, s *stretch, kind partKind, each func(key []byte, s *Sums) error) error {
	q := b.engine.shared()
	type read struct {
		body []byte
		err  error
	}
	parts := make([]int, partsOf[kind])
	for i := range parts {
		parts[i] = i
	}
	for r := range inorder.Map(ctx, slices.Values(parts), readersAtOnce(), func(ctx context.Context, part int) (r read) {
		r.body, r.err = s.body(ctx, q, kind, part)
		return r
	}) {
		if r.err == nil {
			r.err = eachSum(r.body, each)
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// lookThrough delivers what each block of a piece adds, and notes the rules that priced it.
func (b *Book) lookThrough(ctx context.Context, p Period, by TotalsBy, x *piece, rules map[string]bool, each func(*Total) error) error {
	return b.lookedThrough(ctx, p, x, func(block *Block, c *Cost, s *Sums) error {
		if c != nil {
			rules[c.Rules] = true
		} else if by != ByQuarterHour && by != ByDay && by != ByMonth {
			return nil
		}
		return each(totalOf(by, block, c, s))
	})
}

// byQuarters reports whether the totals by quarter of an hour suffice for a part of a day: the period begins and
// ends on a quarter, a single rule priced the day, and its blocks are in the span.
func (x *piece) byQuarters(p Period, span chain.Heights) bool {
	quarter := func(t chain.Time) bool { return t.Std().UnixMilli()%quarterHourMS == 0 }
	return !p.Heights.Known() && x.inside(span) && quarter(p.From) && quarter(p.To) && x.unit == daily && x.ended() && len(lines(string(x.rules))) < 2
}

// startAt returns a begin time, if it can be represented.
func startAt(at time.Time) (none chain.Optional[chain.Time]) {
	t, err := chain.TimeAt(uint64(at.UnixMilli()))
	if err != nil {
		return none
	}
	return chain.Some(t)
}

// lookedThrough calls each for every block of a piece that belongs to a period: first for the block itself,
// without a cost, then for its transactions.
func (b *Book) lookedThrough(ctx context.Context, p Period, x *piece, each func(*Block, *Cost, *Sums) error) error {
	for c, err := range b.contents(ctx, nil, x.span, withSums) {
		if err != nil {
			return err
		}
		if !x.has(p, c.Height, c.Time) {
			continue
		}
		err := each(c.Block, nil, &Sums{Blocks: 1, Inherents: c.Inherents})
		for i := range c.Transactions {
			if err == nil {
				err = each(c.Block, &c.Transactions[i].Cost, &c.each[i])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// totalOf returns the total of one transaction, or of a block without one.
func totalOf(by TotalsBy, of *Block, c *Cost, s *Sums) *Total {
	t := &Total{Sums: *s}
	if at, timed := of.Time.Get(); timed {
		switch ms := at.Std().UnixMilli(); by {
		case ByQuarterHour:
			t.Start = startAt(time.UnixMilli(ms / quarterHourMS * quarterHourMS))
		case ByDay, ByContractDay, ByAccountDay:
			t.Start = startAt(time.UnixMilli(ms / dayMS * dayMS))
		case ByMonth:
			t.Start = startAt(MonthOf(at.Std()).Start())
		}
	}
	switch {
	case c == nil:
	case by == ByContract || by == ByContractDay:
		t.Layer, t.Call = c.Layer, c.Call
		if c.Layer == fee.EVM {
			t.Contract = c.Recipient
		}
	case by == ByAccount || by == ByAccountDay:
		t.Account = c.Payer
	}
	return t
}
