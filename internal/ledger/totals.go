package ledger

import (
	"cmp"
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

// start returns when the quarter of an hour, day or month of a time begins; unknown if totals are not grouped by them.
func (by TotalsBy) start(at time.Time) (none chain.Optional[chain.Time]) {
	switch by {
	case ByQuarterHour:
		return startAt(at.UnixMilli() / quarterHourMS * quarterHourMS)
	case ByDay, ByContractDay, ByAccountDay:
		return startAt(at.UnixMilli() / dayMS * dayMS)
	case ByMonth:
		return startAt(MonthOf(at).Start().UnixMilli())
	}
	return none
}

// startAt returns a time in milliseconds, if it can be represented.
func startAt(ms int64) (none chain.Optional[chain.Time]) {
	t, err := chain.TimeAt(uint64(ms))
	if err != nil {
		return none
	}
	return chain.Some(t)
}

// totaling is a call of Totals.
type totaling struct {
	book   *Book
	period Period
	span   chain.Heights
	by     TotalsBy
	each   func(*Total) error
	rules  map[string]bool // found so far
}

// Totals calls each with totals of the sealed blocks of a span that belong to a period. Totals of whole months
// and days are read and checked by their leaves; the rest of the period is scanned block by block. A key can
// therefore occur several times, and the caller must add them up. It returns the sorted names of the rules
// that priced the transactions, and reports to progress how many blocks are done. A total is valid until each returns.
func (b *Book) Totals(ctx context.Context, p Period, span chain.Heights, by TotalsBy, each func(*Total) error, progress func(done uint64)) (rules []string, err error) {
	t, done := &totaling{b, p, span, by, each, map[string]bool{}}, uint64(0)
	err = b.watchDetaching(ctx, func() error {
		list, err := b.pieces(ctx, p, span, by.takes)
		for i := range list {
			if err := t.piece(ctx, &list[i]); err != nil {
				return err
			}
			done += list[i].span.Blocks()
			progress(done)
		}
		return err
	})
	return slices.Sorted(maps.Keys(t.rules)), err
}

// piece delivers the totals of a piece and notes the rules that priced its transactions. If blocks were
// added to a day or a month since the period was cut into pieces, its totals are gone or include those blocks:
// its original blocks are scanned instead.
func (t *totaling) piece(ctx context.Context, x *piece) error {
	all := func(*Cost) bool { return true }
	if !x.whole && !(t.by == ByQuarterHour && x.byQuarters(t.period, t.span)) {
		return t.scan(ctx, x, all)
	}
	delivered := false
	err := t.stretch(ctx, x, func(total *Total) error {
		delivered = true
		return t.each(total)
	})
	if !errors.Is(err, ErrDamaged) || x.changed(ctx, t.book.engine.shared()) == nil {
		return err
	}
	if delivered { // it cannot be withdrawn
		return fmt.Errorf("%w. Try again.", ErrExtended)
	}
	return t.scan(ctx, x, all)
}

// stretch delivers the totals of a stretch; of its quarters of an hour, those of the period.
func (t *totaling) stretch(ctx context.Context, x *piece, each func(*Total) error) error {
	note := func() {
		for _, name := range lines(string(x.rules)) {
			t.rules[name] = true
		}
	}
	var start chain.Optional[chain.Time]
	if x.number != noTime {
		begin, _ := x.unit.times(x.number)
		start = t.by.start(begin)
	}
	kind := kindsBy[t.by]
	if x.whole || kind == partKinds {
		note()
	}
	if kind == partKinds {
		return each(&Total{Start: start, Sums: x.sums})
	}
	var paid uint64
	total := new(Total) // reused
	err := t.book.eachPart(ctx, x.stretch, kind, func(key []byte, s *Sums) error {
		*total = Total{Start: start, Sums: *s}
		switch kind {
		case quarterHours:
			if len(key) != 4 {
				return damaged("table parts: invalid key %q of a quarter of an hour", key)
			}
			total.Start = startAt(int64(binary.BigEndian.Uint32(key)) * quarterHourMS)
			if !x.whole && !t.period.Has(0, total.Start) {
				return nil
			}
			if s.EVM+s.Native > 0 {
				note()
			}
		case contractSums:
			parts := strings.SplitN(string(key), "\x00", 3)
			if len(parts) != 3 || parts[2] != "" && len(parts[2]) != chain.AddressSize {
				return damaged("table parts: invalid key %q of a contract", key)
			}
			total.Layer, total.Call = fee.Layer(parts[0]), parts[1]
			if parts[2] != "" {
				total.Contract = chain.Some(chain.Address20([chain.AddressSize]byte([]byte(parts[2]))))
			}
		case accountSums:
			account, err := chain.AddressOf(key)
			if err != nil {
				return damaged("table parts: invalid key %q of an account", key)
			}
			total.Account = chain.Some(account)
			paid += s.EVM + s.Native
		}
		return each(total)
	})
	if err != nil || kind != accountSums || paid == x.sums.EVM+x.sums.Native {
		return err
	}
	return t.scan(ctx, x, func(c *Cost) bool { return !c.Payer.Known() })
}

// partsAtOnce is the number of parts in one query. Their uncompressed bytes are held at once.
const partsAtOnce = 4

// eachPart calls each with the sums of all parts of a kind.
func (b *Book) eachPart(ctx context.Context, s *stretch, kind partKind, each func(key []byte, s *Sums) error) error {
	q := b.engine.shared()
	type read struct {
		bodies [][]byte
		err    error
	}
	for r := range inorder.Map(ctx, slices.Chunk(kind.all(), partsAtOnce), readersAtOnce(), func(ctx context.Context, parts []int) (r read) {
		for body, err := range readParts(ctx, q, []*stretch{s}, kind, parts) {
			r.bodies, r.err = append(r.bodies, body), cmp.Or(r.err, err)
		}
		return r
	}) {
		if r.err != nil {
			return r.err
		}
		for _, body := range r.bodies {
			if err := eachSum(body, each); err != nil {
				return err
			}
		}
	}
	return nil
}

// byQuarters reports whether the totals by quarter of an hour suffice for a part of a day: the period begins and
// ends on a quarter, a single rule priced the day, and its blocks are in the span.
func (x *piece) byQuarters(p Period, span chain.Heights) bool {
	quarter := func(t chain.Time) bool { return t.Std().UnixMilli()%quarterHourMS == 0 }
	return !p.Heights.Known() && x.inside(span) && quarter(p.From) && quarter(p.To) && x.unit == daily && x.ended() && len(lines(string(x.rules))) < 2
}

// scan delivers what each block of a piece and its wanted transactions add, and notes the rules that priced them.
func (t *totaling) scan(ctx context.Context, x *piece, wanted func(*Cost) bool) error {
	kind := kindsBy[t.by]
	for c, err := range t.book.contents(ctx, nil, x.span, withSums) {
		if err != nil {
			return err
		}
		if !x.has(t.period, c.Height, c.Time) {
			continue
		}
		var start chain.Optional[chain.Time]
		if at, timed := c.Time.Get(); timed {
			start = t.by.start(at.Std())
		}
		if kind != contractSums && kind != accountSums {
			err = t.each(&Total{Start: start, Sums: Sums{Blocks: 1, Inherents: c.Inherents}})
		}
		for i := range c.Transactions {
			cost := &c.Transactions[i].Cost
			if err != nil || !wanted(cost) {
				continue
			}
			t.rules[cost.Rules] = true
			total := &Total{Start: start, Sums: c.each[i]}
			switch kind {
			case contractSums:
				if total.Layer, total.Call = cost.Layer, cost.Call; cost.Layer == fee.EVM {
					total.Contract = cost.Recipient
				}
			case accountSums:
				total.Account = cost.Payer
			}
			err = t.each(total)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
