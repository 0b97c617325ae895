package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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
	// A zone is at most a day away from UTC.
	first, last := (int64(from)-1)*96, (int64(to)+2)*96
	sums := map[Day]*DaySums{}
	err := b.sums(ctx, quarterHours, func(key row, s *Sums) error {
		at := time.UnixMilli(key[0].(int64) * quarterHourMS).In(zone)
		day := DayOf(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC))
		if day < from || day > to {
			return nil
		}
		if sums[day] == nil {
			sums[day] = &DaySums{Day: day}
		}
		return sums[day].add(s)
	}, "WHERE quarter_hour BETWEEN ? AND ?", first, last)
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
	err = b.sums(ctx, accountDays, func(key row, s *Sums) error {
		list = append(list, DaySums{Day(key[0].(int64)), *s})
		return nil
	}, "WHERE account = ? AND day BETWEEN ? AND ? ORDER BY day", account[:], int64(from), int64(to))
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
	all, err := b.allDays(ctx, from, to)
	if err != nil {
		return nil, err
	}
	var found []*ContractSums
	if all {
		err = b.sums(ctx, contracts, func(key row, s *Sums) error {
			c, err := contractOf(key)
			c.Sums = *s
			found = append(found, c)
			return err
		}, "")
	} else {
		found, err = b.contractsOfDays(ctx, from, to)
	}
	slices.SortFunc(found, func(a, b *ContractSums) int {
		if order := b.Fee.Cmp(a.Fee); order != 0 {
			return order
		}
		return a.compare(b)
	})
	return found, err
}

func (b *Book) contractsOfDays(ctx context.Context, from, to Day) ([]*ContractSums, error) {
	found := map[string]*ContractSums{}
	err := b.sums(ctx, contractDays, func(key row, s *Sums) (err error) {
		k := keyOf(key[1:])
		if found[k] == nil {
			if found[k], err = contractOf(key[1:]); err != nil {
				return err
			}
		}
		return found[k].add(s)
	}, "WHERE day BETWEEN ? AND ?", int64(from), int64(to))
	return slices.Collect(maps.Values(found)), err
}

// contractOf is a contract, or a native call, with nothing in its sums.
func contractOf(key row) (*ContractSums, error) {
	c := &ContractSums{Layer: fee.Layer(key[0].(string)), Call: key[1].(string)}
	switch contract := key[2].([]byte); len(contract) {
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

// allDays tells whether no sealed block is of a day before one or after another.
func (b *Book) allDays(ctx context.Context, from, to Day) (bool, error) {
	var others int64
	_, err := one(ctx, b.engine, []any{&others}, "SELECT count(*) FROM days WHERE day < ? OR day > ?", int64(from), int64(to))
	return others == 0, err
}

// BusiestPayer is the account that paid for the most transactions.
func (b *Book) BusiestPayer(ctx context.Context) (a chain.Address, err error) {
	var account []byte
	_, err = one(ctx, b.engine, []any{&account}, "SELECT account FROM accounts ORDER BY evm + native DESC, account LIMIT 1")
	if err == nil && len(account) != len(a) {
		err = fmt.Errorf("%w: nobody paid", ErrNone)
	}
	copy(a[:], account)
	return a, err
}

// sums reads a table of totals.
func (b *Book) sums(ctx context.Context, table int, each func(key row, s *Sums) error, where string, arguments ...any) error {
	t := &totals[table]
	columns := append(append([]column{}, t.keys...), t.sums...)
	return list(ctx, b.engine, columns, func(r row) error {
		s, err := sumsOf(t, r[len(t.keys):])
		if err != nil {
			return errors.Join(ErrDamaged, err)
		}
		return each(r[:len(t.keys)], &s)
	}, "SELECT "+columnList(columns)+" FROM "+t.name+" "+where, arguments...)
}
