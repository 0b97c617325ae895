package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

// Month is a month as UTC has it: so many months after 1970 began.
type Month int64

// MonthOf is the month of a time.
func MonthOf(t time.Time) Month { return Month(monthly.number(t.UnixMilli())) }

// Start is when the month begins.
func (m Month) Start() time.Time {
	begin, _ := monthly.times(int64(m))
	return begin
}

// String is the month as YYYY-MM.
func (m Month) String() string { return monthly.name(int64(m)) }

// ErrNoCut says that a book has nothing before a month, or does not have it whole.
var ErrNoCut = failure.New(failure.NotCovered, "nothing can be detached")

// DisorderError says that a book cannot be cut before a month: a block of an earlier time, or
// of none, lies above one of that month or a later one.
type DisorderError struct {
	Month  Month
	Height uint64 // of that block
	Time   chain.Optional[chain.Time]
	First  uint64 // the first block of the month or a later one
}

// Kind is [failure.DoesNotHold].
func (*DisorderError) Kind() failure.Kind { return failure.DoesNotHold }

func (e *DisorderError) Error() string {
	at := "has no time"
	if t, ok := e.Time.Get(); ok {
		at = "is of " + t.String()
	}
	return fmt.Sprintf("the ledger cannot be cut before %v: block %d %s, and lies above block %d, which is of that month or a later one; cut before another month", e.Month, e.Height, at, e.First)
}

// Detachment is a part of a book that is taken out of it.
type Detachment struct {
	Span   chain.Heights
	Months []Month // that have blocks
	Begins uint64  // the block that the book begins with then
	// Bytes are those of the database that are free at once; not known of a file.
	Bytes chain.Optional[uint64]
}

// cut is where a book is cut in two.
type cut struct {
	month  Month  // the first that stays
	first  uint64 // the book's first height
	height uint64 // the first that stays
	months []Month
}

// span is what is detached.
func (c *cut) span() chain.Heights { return chain.Heights{First: c.first, Last: c.height - 1} }

// cutBefore finds where the blocks before a month end. Those of a month that is not over may
// not all be there yet.
func (b *Book) cutBefore(ctx context.Context, month Month) (*cut, error) {
	book, all, err := b.sealedMonths(ctx)
	if err != nil {
		return nil, err
	}
	c := &cut{month: month, first: book.first, height: math.MaxUint64}
	last := uint64(0)
	for _, s := range all {
		if s.number >= int64(month) {
			c.height = min(c.height, s.first)
			continue
		}
		last = max(last, s.last)
		if s.number != noTime {
			c.months = append(c.months, Month(s.number))
		}
	}
	switch {
	case book.sealed == 0:
		return nil, fmt.Errorf("%w: no block is sealed", ErrNoCut)
	case c.height == math.MaxUint64:
		return nil, fmt.Errorf("%w: the ledger is sealed up to block %d, and has no block of %v or later, so %v may not be whole", ErrNoCut, book.next()-1, month, month-1)
	case len(c.months) == 0:
		return nil, fmt.Errorf("%w: the ledger begins with block %d, and has none before %v", ErrNoCut, book.first, month)
	case last > c.height:
		return nil, b.disorder(ctx, c)
	}
	return c, nil
}

// disorder names the first block of an earlier time above the cut.
func (b *Book) disorder(ctx context.Context, c *cut) error {
	have, err := b.sealed(ctx)
	if err != nil {
		return err
	}
	sealed, _ := have.Get()
	var found *DisorderError
	err = b.timesOf(ctx, chain.Heights{First: c.height, Last: sealed.Last}, func(height uint64, at chain.Optional[chain.Time]) {
		if t, ok := at.Get(); found == nil && (!ok || MonthOf(t.Std()) < c.month) {
			found = &DisorderError{c.month, height, at, c.height}
		}
	})
	if err != nil {
		return err
	}
	if found == nil {
		return damaged("table stretches: blocks of months before %v are said to lie above block %d, and none does", c.month, c.height)
	}
	return found
}

// takes is the condition for the rows of a table that are before the cut, and are no blocks': none
// where there is no cut.
func (c *cut) takes(table string) (where string, arguments []any) {
	switch {
	case c == nil:
		return "", nil
	case table == "rejudgements":
		return " WHERE height < ?", []any{int64(c.height)}
	}
	return " WHERE unit = ? AND number < ? OR unit = ? AND number < ?", []any{unitNames[daily], int64(DayOf(c.month.Start())), unitNames[monthly], int64(c.month)}
}

// copyProved copies which blocks before the cut are proved.
func (c *cut) copyProved(ctx context.Context, from querier, tx transaction) error {
	have, err := provedAround(ctx, from, c.span())
	if err != nil {
		return err
	}
	var rows []row
	for _, s := range have.without(chain.Heights{First: c.height, Last: everyBlock.Last}) {
		rows = append(rows, signedRow(provedFields, &s))
	}
	return tx.insert(ctx, "proved", provedColumns, rows)
}

// Detachable tells what Detach would take out of the book.
func (b *Book) Detachable(ctx context.Context, before Month) (d Detachment, err error) {
	c, err := b.cutBefore(ctx, before)
	if err != nil {
		return d, err
	}
	d = Detachment{Span: c.span(), Months: c.months, Begins: c.height}
	d.Bytes, err = b.engine.partitionBytes(ctx, c.height)
	return d, err
}

// DetachProgress is told how many blocks of how many a detachment has copied, verified and
// removed.
type DetachProgress struct {
	Copied, Verified, Removed func(done, total uint64)
}

// Detach takes the blocks before a month out of the book, into a new file: a ledger of its
// own, with the same digests and seals. The book begins with the first block of the month
// then, as if it had been begun there. No other month changes.
//
// Nothing is removed before the file is on the disk, was verified, and has the book's seals.
// Who is stopped before that leaves the book as it was, and after that one that begins with
// the month: the next one who writes it, or detaches from it, removes the rows that are left.
// Where the file is there already, and has just those blocks, the book is cut as by one who
// was stopped in between. The book must have been opened by one who writes it alone.
func (b *Book) Detach(ctx context.Context, before Month, path string, progress DetachProgress) (d Detachment, err error) {
	left, err := b.clear(ctx, progress.Removed)
	if err != nil {
		return d, err
	}
	c, err := b.cutBefore(ctx, before)
	if left != nil && errors.Is(err, ErrNoCut) { // it was this that was left to do
		return Detachment{Span: *left, Begins: left.Last + 1}, nil
	}
	if err != nil {
		return d, err
	}
	d = Detachment{Span: c.span(), Months: c.months, Begins: c.height}
	if d.Bytes, err = b.engine.partitionBytes(ctx, c.height); err != nil {
		return d, err
	}
	check := func(path string) error { return b.checkDetached(ctx, path, c, progress.Verified) }
	there := free(path)
	switch {
	case there == nil:
		err = newFile(path, ".detach", func(temporary string) error {
			if err := b.copyTo(ctx, temporary, c, progress.Copied); err != nil {
				return err
			}
			return check(temporary)
		})
	case check(path) != nil:
		err = cmp.Or(ctx.Err(), fmt.Errorf("%w, and it has not just blocks %v of this ledger", there, c.span()))
	}
	if err != nil {
		return d, err
	}
	if err := b.cutOff(ctx, c); err != nil {
		return d, err
	}
	if _, err = b.clear(ctx, progress.Removed); err != nil {
		err = fmt.Errorf("blocks %v are in %s, and the ledger begins with block %d; what is left of them in the ledger is removed when this is run again, or by the next sync: %w", c.span(), path, c.height, err)
	}
	return d, err
}

// checkDetached wants a file to be a ledger without damage of what lies before a cut, with the
// seals that the book has of that.
func (b *Book) checkDetached(ctx context.Context, path string, c *cut, progress func(done, total uint64)) error {
	detached, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer detached.Close()
	var first *Damage
	err = detached.Verify(ctx, func(d Damage) {
		if first == nil {
			first = &d
		}
	}, progress)
	if err != nil {
		return err
	}
	if first != nil {
		return damaged("%v; nothing was detached", first)
	}
	have, err := readBookRow(ctx, detached.engine)
	if err != nil {
		return err
	}
	want, err := readBookRow(ctx, b.engine)
	if err != nil {
		return err
	}
	if want.sealed, want.removing = c.height-c.first, have.removing; have != want {
		return fmt.Errorf("%w: %s has not just blocks %v of this ledger", ErrDamaged, path, c.span())
	}
	for u := range unitCount {
		number := int64(c.month)
		if u == daily {
			number = int64(DayOf(c.month.Start()))
		}
		copied, err := readStretches(ctx, detached.engine, u, "number >= ?", noTime)
		if err != nil {
			return err
		}
		kept, err := readStretches(ctx, b.engine, u, "number < ?", number)
		if err != nil {
			return err
		}
		if !slices.EqualFunc(copied, kept, func(a, b *stretch) bool { return a.digest() == b.digest() }) {
			return fmt.Errorf("%w: %s has other seals than the ledger", ErrDamaged, path)
		}
	}
	return nil
}

// cutOff has the book begin at the cut. The rows below it stay for clear.
func (b *Book) cutOff(ctx context.Context, c *cut) error {
	return b.change(ctx, func(tx transaction) error {
		book, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		if book.first != c.first || book.next() <= c.height {
			return fmt.Errorf("the ledger was changed meanwhile: run it again")
		}
		for _, table := range []string{"stretches", "parts", "rejudgements"} {
			where, arguments := c.takes(table)
			if err := tx.exec(ctx, "DELETE FROM "+table+where, arguments...); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
		if err := unprove(ctx, tx, chain.Heights{First: 0, Last: c.height - 1}); err != nil { // also of what was stored below, and not sealed yet
			return err
		}
		book.removing = chain.Some(c.first)
		book.first, book.sealed = c.height, book.next()-c.height
		return book.keep(ctx, tx)
	})
}

// removedAtOnce is how many heights are removed in one change.
const removedAtOnce = 2_000

// clear removes the rows below the book's first height that a detachment left, and returns
// what it was of; nil where there are none. Who is stopped leaves the rest for the next one.
func (b *Book) clear(ctx context.Context, progress func(done, total uint64)) (left *chain.Heights, err error) {
	book, err := readBookRow(ctx, b.engine)
	if err != nil {
		return nil, err
	}
	span, removing := book.removed()
	if !removing {
		return nil, nil
	}
	if err := b.engine.dropPartitions(ctx, book.first); err != nil {
		return nil, err
	}
	for from := span.First; from <= span.Last; {
		var lowest *int64
		if _, err := one(ctx, b.engine, []any{&lowest}, "SELECT min(height) FROM blocks WHERE height >= ? AND height <= ?", bounds(chain.Heights{First: from, Last: span.Last})...); err != nil {
			return nil, err
		}
		if lowest == nil {
			break
		}
		part := chain.Heights{First: from, Last: min(uint64(*lowest)+removedAtOnce-1, span.Last)}
		if err := b.change(ctx, func(tx transaction) error { return removeRows(ctx, tx, part) }); err != nil {
			return nil, err
		}
		from = part.Last + 1 // what was deleted is not looked through again
		progress(from-span.First, span.Blocks())
	}
	err = b.change(ctx, func(tx transaction) error {
		if err := removeRows(ctx, tx, chain.Heights{First: 0, Last: span.Last}); err != nil { // also what was stored below, and not sealed
			return err
		}
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		c.removing = chain.Optional[uint64]{}
		return c.keep(ctx, tx)
	})
	progress(span.Blocks(), span.Blocks())
	return &span, err
}
