package ledger

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Day is a day as UTC has it: so many days after 1970 began.
type Day int64

// DayOf is the UTC day of a time.
func DayOf(t time.Time) Day {
	return Day(floorDiv(t.UnixMilli(), dayMS))
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// Start is when the day begins.
func (d Day) Start() time.Time { return time.UnixMilli(int64(d) * dayMS).UTC() }

// String is the day as YYYY-MM-DD.
func (d Day) String() string { return d.Start().Format(time.DateOnly) }

// DaySums are the sums of a day.
type DaySums struct {
	Day Day
	Sums
}

// FeesByDay are the sums of all sealed blocks by the days of a time zone, those
// from one day to another, both included, in their order. A block belongs to the
// day of its own time; days without a block are left out.
func (b *Book) FeesByDay(ctx context.Context, zone *time.Location, from, to Day) ([]DaySums, error) {
	sums := map[Day]*DaySums{}
	// A zone is at most a day away from UTC.
	err := b.sumsOfDays(ctx, quarterHours, from-1, to+1, nil, func(key row, s *Sums) error {
		at := time.UnixMilli(key[0].(int64) * quarterHourMS).In(zone)
		day := DayOf(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC))
		if day < from || day > to {
			return nil
		}
		if sums[day] == nil {
			sums[day] = &DaySums{Day: day}
		}
		return sums[day].add(s)
	})
	if err != nil {
		return nil, err
	}
	list := make([]DaySums, 0, len(sums))
	for _, day := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, *sums[day])
	}
	return list, nil
}

// AccountDays are the sums of the sealed transactions that an account paid for, by
// UTC day, those from one day to another, both included, in their order.
func (b *Book) AccountDays(ctx context.Context, account chain.Address, from, to Day) (list []DaySums, err error) {
	digit := firstDigit(account[:])
	err = b.sumsOfDays(ctx, accountDays, from, to, &digit, func(key row, s *Sums) error {
		if equal(key[1], account[:]) && s.EVM+s.Native > 0 {
			list = append(list, DaySums{Day(key[0].(int64)), *s})
		}
		return nil
	})
	return list, err
}

// ContractSums are the sums of the transactions that called a contract, or of a
// native call.
type ContractSums struct {
	Layer    fee.Layer
	Call     string
	Contract chain.Optional[chain.Address] // of an EVM transaction; not known where it was not found
	Sums
}

// FeesByContract are the sums of the sealed transactions by what they called, those
// of UTC days from one to another, both included; the greatest fees first.
func (b *Book) FeesByContract(ctx context.Context, from, to Day) ([]*ContractSums, error) {
	_, byMonth, err := b.sealedStretches(ctx, monthly)
	if err != nil {
		return nil, err
	}
	found := map[string]*ContractSums{}
	add := func(key row, s *Sums) (err error) {
		k := keyOf(key[1:])
		if found[k] == nil {
			if found[k], err = contractOf(key[1:]); err != nil {
				return err
			}
		}
		return found[k].add(s)
	}
	for _, month := range byMonth { // the totals of a whole one, and those of days otherwise
		first, last := daysOfMonth(month.number)
		switch {
		case month.number == noTime || last < from || first > to:
		case month.totals != nil && first >= from && last <= to:
			err = b.sumsOf(ctx, b.engine, contractMonths, month, nil, add)
		default:
			err = b.sumsOfDays(ctx, contractDays, max(first, from), min(last, to), nil, add)
		}
		if err != nil {
			return nil, err
		}
	}
	list := slices.Collect(maps.Values(found))
	slices.SortFunc(list, func(a, b *ContractSums) int {
		if order := b.Fee.Cmp(a.Fee); order != 0 {
			return order
		}
		return a.compare(b)
	})
	return list, nil
}

// daysOfMonth are the first and the last day of a month, by its number.
func daysOfMonth(number int64) (first, last Day) {
	begin := func(number int64) Day { return DayOf(time.Date(1970, time.Month(1+number), 1, 0, 0, 0, 0, time.UTC)) }
	return begin(number), begin(number+1) - 1
}

// contractOf is a contract, or a native call, with nothing in its sums.
func contractOf(key row) (*ContractSums, error) {
	layer, _ := key[0].(string)
	call, _ := key[1].(string)
	c := &ContractSums{Layer: fee.Layer(layer), Call: call}
	switch contract, _ := key[2].([]byte); len(contract) {
	case len(noContract):
	case len(chain.Address{}):
		c.Contract = chain.Some(chain.Address(contract))
	default:
		return c, fmt.Errorf("%w: a total of the contract %#x, which is no address", ErrDamaged, contract)
	}
	return c, nil
}

// compare orders by what was called, first what has no contract.
func (c *ContractSums) compare(x *ContractSums) int {
	a, isA := c.Contract.Get()
	b, isB := x.Contract.Get()
	return cmp.Or(cmp.Compare(c.Layer, x.Layer), cmp.Compare(c.Call, x.Call), bytes.Compare(a[:], b[:]), order(isA)-order(isB))
}

func order(known bool) int {
	if known {
		return 1
	}
	return 0
}

// sumsOfDays reads the rows that a table of totals has of UTC days, checked by their
// leaves, in the order of the days.
func (b *Book) sumsOfDays(ctx context.Context, table int, from, to Day, digit *int, each func(key row, s *Sums) error) error {
	_, all, err := b.sealedStretches(ctx, daily)
	if err != nil {
		return err
	}
	for _, day := range all {
		if day.number == noTime || day.number < int64(from) || day.number > int64(to) {
			continue
		}
		if err := b.sumsOf(ctx, b.engine, table, day, digit, each); err != nil {
			return err
		}
	}
	return nil
}

// sumsOf reads the rows that a table of totals has of a stretch, checked by their leaves.
func (b *Book) sumsOf(ctx context.Context, q querier, table int, s *stretch, digit *int, each func(key row, s *Sums) error) error {
	t := &totals[table]
	rows, err := b.totalsOf(ctx, q, table, s, digit)
	if err != nil {
		return err
	}
	for _, r := range rows {
		var sums Sums
		if err := readRow(t.sums, r[len(t.keys):], &sums); err != nil {
			return err
		}
		if err := each(r[:len(t.keys)], &sums); err != nil {
			return err
		}
	}
	return nil
}
