package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// TotalsBy is what the totals of a book are by.
type TotalsBy int

// The totals that a book has. Days and months are those of UTC. A contract is what an EVM
// transaction called, beside the calls of the native layer; an account is a payer.
const (
	ByQuarterHour TotalsBy = iota
	ByDay
	ByMonth
	ByContract
	ByAccount
	ByContractDay // by contract and day
	ByAccountDay  // by account and day
)

// tablesBy are the tables of the totals of days and of months, -1 where there is none.
var tablesBy = [...][unitCount]int{
	ByQuarterHour: {quarterHours, -1},
	ByDay:         {days, -1},
	ByMonth:       {days, months},
	ByContract:    {contractDays, contractMonths},
	ByAccount:     {accountDays, accountMonths},
	ByContractDay: {contractDays, -1},
	ByAccountDay:  {accountDays, -1},
}

// Total is what some transactions of a period add up to. What does not belong to the question
// holds nothing.
type Total struct {
	Start    chain.Optional[chain.Time] // when the quarter of an hour, the day or the month begins
	Layer    fee.Layer
	Call     string
	Contract chain.Optional[chain.Address] // of an EVM transaction; not known where it was not found
	Account  chain.Optional[chain.Address] // not known where it is not known who paid
	Sums
}

// Totals hands over what the transactions of a span's sealed blocks add up to, of those that are
// of a period. The totals of whole months and days are read, checked by their leaves, and what
// is left of the period is looked through, block by block: so the same key may come several
// times, and the sums of all of them are to be added. It returns the names of the rules that
// priced the transactions, in their order, and tells progress how many blocks are added up.
func (b *Book) Totals(ctx context.Context, p Period, span chain.Heights, by TotalsBy, each func(*Total) error, progress func(done uint64)) (rules []string, err error) {
	list, err := b.pieces(ctx, p, span, func(s *stretch) bool { return s.totalled() && tablesBy[by][s.unit] >= 0 })
	if err != nil {
		return nil, err
	}
	return b.totalsOfPieces(ctx, nil, p, span, by, list, each, progress)
}

// totalsOfPieces reads by a querier, or where it is nil by several readers at once, as walk does.
func (b *Book) totalsOfPieces(ctx context.Context, q querier, p Period, span chain.Heights, by TotalsBy, list []piece, each func(*Total) error, progress func(done uint64)) (rules []string, err error) {
	found := map[string]bool{}
	done := uint64(0)
	for run := range runsOf(list, by) {
		if err := b.totalsOfPart(ctx, q, p, span, by, run, found, each); err != nil {
			return nil, err
		}
		for i := range run {
			done += min(run[i].blocks, run[i].span.Blocks())
		}
		progress(done)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// totalsOfPart hands over those of pieces that come together. Where the book was extended
// downwards since it was cut into pieces, the totals of a day and of a month have other blocks,
// too: the blocks that it had are looked through instead.
func (b *Book) totalsOfPart(ctx context.Context, q querier, p Period, span chain.Heights, by TotalsBy, run []piece, rules map[string]bool, each func(*Total) error) error {
	handed := false
	err := b.totalsOfRun(ctx, q, p, span, by, run, rules, func(t *Total) error {
		handed = true
		return each(t)
	})
	if q != nil || !errors.Is(err, ErrDamaged) || !slices.ContainsFunc(run, func(x piece) bool { return b.extendedBelow(ctx, x.stretch) }) {
		return err
	}
	if handed { // what was handed over cannot be taken back
		return fmt.Errorf("%w: ask again", ErrExtended)
	}
	for i := range run {
		if err := b.lookThrough(ctx, q, p, by, &run[i], rules, each); err != nil {
			return err
		}
	}
	return nil
}

// totalsOfRun hands over those of pieces that come together, and notes the rules that priced them.
func (b *Book) totalsOfRun(ctx context.Context, q querier, p Period, span chain.Heights, by TotalsBy, run []piece, rules map[string]bool, each func(*Total) error) error {
	x := &run[0]
	note := func() {
		for i := range run {
			for _, name := range lines(string(run[i].noted.rules)) {
				rules[name] = true
			}
		}
	}
	switch {
	case x.whole && (by == ByAccount || by == ByAccountDay):
		note()
		return b.accountTotals(ctx, q, p, x, by, each)
	case x.whole:
		note()
		return b.wholeTotals(ctx, q, tablesBy[by][x.unit], run, func(t *total, key row, s *Sums) error {
			return t.read(by, key, s, each)
		})
	case by == ByQuarterHour && x.byQuarters(p, span):
		return b.wholeTotals(ctx, q, quarterHours, run, func(t *total, key row, s *Sums) error {
			return t.read(by, key, s, func(x *Total) error {
				if !p.Has(0, x.Start) {
					return nil
				}
				if x.EVM+x.Native > 0 {
					note()
				}
				return each(x)
			})
		})
	}
	return b.lookThrough(ctx, q, p, by, x, rules, each)
}

// lookThrough hands over what the blocks of a piece add, and notes the rules that priced them.
func (b *Book) lookThrough(ctx context.Context, q querier, p Period, by TotalsBy, x *piece, rules map[string]bool, each func(*Total) error) error {
	return b.lookedThrough(ctx, q, p, x, func(block *Block, c *Cost, s *Sums) error {
		if c != nil {
			rules[c.Rules] = true
		} else if !by.ofTime() {
			return nil
		}
		return each(totalOf(by, block, c, s))
	})
}

// totalled tells whether the stretch has ended, so that its totals have leaves.
func (s *stretch) totalled() bool { return s.totals != nil }

// byQuarters tells whether the totals by quarter of an hour say what a period has of a day: the
// period begins and ends with one, one rule alone priced the day, and its blocks are in the span.
func (x *piece) byQuarters(p Period, span chain.Heights) bool {
	quarter := func(t chain.Time) bool { return t.Std().UnixMilli()%quarterHourMS == 0 }
	return !p.Heights.Known() && x.inside(span) && quarter(p.From) && quarter(p.To) && x.unit == daily && x.totalled() && len(lines(string(x.noted.rules))) < 2
}

// runLength is how many stretches have their totals read by one query, where each has few.
const runLength = 32

// runsOf are pieces in their order: whole ones whose numbers follow each other come together.
func runsOf(list []piece, by TotalsBy) iter.Seq[[]piece] {
	return func(yield func([]piece) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && by.ofTime() && list[n-1].whole && list[n].whole &&
				list[n].unit == list[n-1].unit && list[n].number == list[n-1].number+1 {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// ofTime tells whether a stretch has few totals.
func (by TotalsBy) ofTime() bool { return by == ByQuarterHour || by == ByDay || by == ByMonth }

// wholeTotals reads the rows that a table has of some stretches, checked by their leaves: by a
// querier, or where it is nil by several readers at once.
func (b *Book) wholeTotals(ctx context.Context, q querier, table int, pieces []piece, each func(t *total, key row, s *Sums) error) error {
	readers := 1
	if q == nil {
		q, readers = b.engine.shared(), readersAtOnce()
	}
	t := &totals[table]
	type part struct {
		run   []*stretch
		digit *int // of the accounts
		rows  []totalRow
		err   error
	}
	var parts []part
	for few := range slices.Chunk(pieces, runLength) {
		var run []*stretch
		for i := range few {
			run = append(run, few[i].stretch)
		}
		if t.byAccount() && t.unit == monthly { // there may be very many
			for digit := range firstDigits {
				parts = append(parts, part{run: run, digit: &digit})
			}
		} else {
			parts = append(parts, part{run: run})
		}
	}
	read := func(ctx context.Context, p part) part {
		rows, err := b.totalsOf(ctx, q, table, p.run, p.digit)
		if err == nil {
			p.rows, err = t.readRows(slices.Concat(rows...))
		}
		p.err = err
		return p
	}
	for p := range inorder.Map(ctx, slices.Values(parts), readers, read) {
		if p.err != nil {
			return p.err
		}
		for i := range p.rows {
			if err := each(t, p.rows[i].key, &p.rows[i].sums); err != nil {
				return err
			}
		}
	}
	return nil
}

// totalRow is a row of a table of totals.
type totalRow struct {
	key  row
	sums Sums
}

func (t *total) readRows(rows []row) ([]totalRow, error) {
	list := make([]totalRow, len(rows))
	for i, r := range rows {
		list[i].key = slices.Clone(r[:len(t.keys)])
		if err := readRow(t.sums, r[len(t.keys):], &list[i].sums); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// accountTotals reads those of a stretch. They lack what nobody is known to have paid for: where
// the stretch has more transactions, those are looked for.
func (b *Book) accountTotals(ctx context.Context, q querier, p Period, x *piece, by TotalsBy, each func(*Total) error) error {
	var all, paid uint64
	err := b.wholeTotals(ctx, q, tablesBy[ByMonth][x.unit], []piece{*x}, func(_ *total, _ row, s *Sums) error {
		all += s.EVM + s.Native
		return nil
	})
	if err != nil {
		return err
	}
	err = b.wholeTotals(ctx, q, tablesBy[by][x.unit], []piece{*x}, func(t *total, key row, s *Sums) error {
		if s.EVM+s.Native == 0 { // it paid for nothing
			return nil
		}
		paid += s.EVM + s.Native
		return t.read(by, key, s, each)
	})
	if err != nil || paid == all {
		return err
	}
	return b.lookedThrough(ctx, q, p, x, func(of *Block, c *Cost, s *Sums) error {
		if c == nil || c.Payer.Known() {
			return nil
		}
		return each(totalOf(by, of, c, s))
	})
}

// read hands over a row.
func (t *total) read(by TotalsBy, key row, s *Sums, each func(*Total) error) error {
	x := &Total{Sums: *s}
	number := key[0].(int64) // it is of a stretch
	if by == ByContractDay || by == ByAccountDay {
		x.Start = startAt(Day(number).Start())
	}
	switch by {
	case ByQuarterHour:
		x.Start = startAt(time.UnixMilli(number * quarterHourMS))
	case ByDay:
		x.Start = startAt(Day(number).Start())
	case ByMonth:
		if t.unit == daily {
			number = monthly.number(Day(number).Start().UnixMilli())
		}
		begin, _ := monthly.times(number)
		x.Start = startAt(begin)
	case ByContract, ByContractDay:
		layer, _ := key[1].(string)
		x.Layer = fee.Layer(layer)
		x.Call, _ = key[2].(string)
		switch contract, _ := key[3].([]byte); len(contract) {
		case len(noContract):
		case len(chain.Address{}):
			x.Contract = chain.Some(chain.Address(contract))
		default:
			return fmt.Errorf("%w: table %s: a total of the contract %#x, which is no address", ErrDamaged, t.name, contract)
		}
	case ByAccount, ByAccountDay:
		account, _ := key[1].([]byte)
		if len(account) != len(chain.Address{}) {
			return fmt.Errorf("%w: table %s: a total of the account %#x, which is no address", ErrDamaged, t.name, account)
		}
		x.Account = chain.Some(chain.Address(account))
	}
	return each(x)
}

// startAt is when something begins that has blocks, whose times can be told.
func startAt(at time.Time) (none chain.Optional[chain.Time]) {
	t, err := chain.TimeAt(uint64(at.UnixMilli()))
	if err != nil {
		return none
	}
	return chain.Some(t)
}

// lookedThrough hands over what each block adds that is of a piece and of a period: first itself,
// without a cost, then its transactions.
func (b *Book) lookedThrough(ctx context.Context, q querier, p Period, x *piece, each func(*Block, *Cost, *Sums) error) error {
	var u unpacker
	var costs []Cost
	for r, err := range b.walk(ctx, q, x.span, nil) {
		if err != nil {
			return err
		}
		of, err := r.block()
		if err != nil {
			return err
		}
		if !x.has(p, of.Height, of.Time) {
			continue
		}
		if _, err := provedLeaves(of.Height, of.leaves, of.costs); err != nil {
			return err
		}
		if costs, err = u.costs(costs[:0], of.costs, of.Height); err != nil {
			return err
		}
		if err := each(&of.Block, nil, &Sums{Blocks: 1, Inherents: of.Inherents}); err != nil {
			return err
		}
		for i := range costs {
			sums, err := SumsOf(&costs[i])
			if err == nil {
				err = each(&of.Block, &costs[i], &sums)
			}
			if err != nil {
				return fmt.Errorf("block %d, extrinsic %d: %w", of.Height, costs[i].Index, err)
			}
		}
	}
	return nil
}

// totalOf is that of one transaction, or of a block without one.
func totalOf(by TotalsBy, of *Block, c *Cost, s *Sums) *Total {
	t := &Total{Sums: *s}
	at, timed := of.Time.Get()
	switch ms := at.Std().UnixMilli(); {
	case by == ByQuarterHour && timed:
		t.Start = startAt(time.UnixMilli(ms / quarterHourMS * quarterHourMS))
	case (by == ByDay || by == ByContractDay || by == ByAccountDay) && timed:
		t.Start = startAt(DayOf(at.Std()).Start())
	case by == ByMonth && timed:
		begin, _ := monthly.times(monthly.number(ms))
		t.Start = startAt(begin)
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
