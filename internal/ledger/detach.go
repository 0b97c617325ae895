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

// Month is a UTC month, as the number of months since January 1970.
type Month int64

// MonthOf returns the UTC month of a time.
func MonthOf(t time.Time) Month { return Month(monthly.number(t.UnixMilli())) }

// Start returns when the month begins.
func (m Month) Start() time.Time {
	begin, _ := monthly.times(int64(m))
	return begin
}

// String returns the month as YYYY-MM.
func (m Month) String() string { return monthly.name(int64(m)) }

// ErrNoCut reports that the ledger has nothing before a month, or the months before it are incomplete.
var ErrNoCut = failure.New(failure.NotCovered, "nothing can be detached")

// DisorderError reports that a ledger cannot be cut before a month: a block with an earlier time, or
// without a time, is above a block of that month or a later one.
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
		at = "has the time " + t.String()
	}
	return fmt.Sprintf("the ledger cannot be cut before %v: block %d %s, but is above block %d, which belongs to that month or a later one. Cut before another month.", e.Month, e.Height, at, e.First)
}

// Detachment describes the part of a ledger that is moved out of it.
type Detachment struct {
	Span   chain.Heights
	Months []Month // with blocks
	Begins uint64  // the ledger's first block afterwards
	// Bytes is the database space freed at once; unknown for a file.
	Bytes chain.Optional[uint64]
}

// cut is where a ledger is cut in two.
type cut struct {
	month  Month  // the first to stay
	first  uint64 // the ledger's first height
	height uint64 // the first to stay
	months []Month
}

// span returns the heights to be detached.
func (c *cut) span() chain.Heights { return chain.Heights{First: c.first, Last: c.height - 1} }

// number returns the number of the first day or month to stay.
func (c *cut) number(u unit) int64 { return u.number(c.month.Start().UnixMilli()) }

// cutBefore finds where the blocks before a month end. A month that is not over may still lack blocks.
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
		return nil, fmt.Errorf("%w: the ledger is sealed up to block %d, which is before %v, so %v may be incomplete", ErrNoCut, book.next()-1, month, month-1)
	case len(c.months) == 0:
		return nil, fmt.Errorf("%w: the ledger starts at block %d and has no blocks before %v", ErrNoCut, book.first, month)
	case last > c.height:
		return nil, b.disorder(ctx, c, book.next()-1)
	}
	return c, nil
}

// disorder returns an error that names the first block above the cut, up to a height, that has an earlier time.
func (b *Book) disorder(ctx context.Context, c *cut, last uint64) error {
	for r, err := range walk(ctx, b, nil, chain.Heights{First: c.height, Last: last}, whole) {
		if err != nil {
			return err
		}
		if t, ok := r.time.Get(); !ok || MonthOf(t.Std()) < c.month {
			return &DisorderError{c.month, r.height, r.time, c.height}
		}
	}
	return damaged("table stretches: blocks of months before %v are listed above block %d, but none is there", c.month, c.height)
}

// takes returns the condition for the rows of a table, other than blocks, that are before the cut: none
// without a cut.
func (c *cut) takes(table string) (where string, arguments []any) {
	switch {
	case c == nil, table == "source":
		return "", nil
	case table == "rejudgements":
		return " WHERE height < ?", []any{int64(c.height)}
	}
	return " WHERE unit = ? AND number < ? OR unit = ? AND number < ?", []any{unitNames[daily], c.number(daily), unitNames[monthly], c.number(monthly)}
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

// Detachable returns what Detach would move out of the ledger.
func (b *Book) Detachable(ctx context.Context, before Month) (d Detachment, err error) {
	c, err := b.cutBefore(ctx, before)
	if err != nil {
		return d, err
	}
	return b.detachment(ctx, c)
}

func (b *Book) detachment(ctx context.Context, c *cut) (Detachment, error) {
	bytes, err := b.engine.partitionBytes(ctx, c.height)
	return Detachment{c.span(), c.months, c.height, bytes}, err
}

// DetachProgress receives how many blocks a detachment has copied, verified and removed.
type DetachProgress struct {
	Copied, Verified, Removed func(done, total uint64)
}

// Detach moves the blocks before a month out of the ledger into a new file: a complete ledger with the
// same digests and seals. The ledger then starts at the first block of the month, as if it had been
// created there. No other month changes.
//
// Nothing is removed before the file is on disk, is verified, and has the ledger's seals. An interruption
// before that leaves the ledger unchanged; after it, the ledger starts at the month, and the next writer
// or detachment removes the remaining rows. If the file already exists and contains exactly those blocks,
// the detachment continues as after an interruption. The ledger must have been opened with OpenWriter.
func (b *Book) Detach(ctx context.Context, before Month, path string, progress DetachProgress) (d Detachment, err error) {
	left, err := b.clear(ctx, progress.Removed)
	if err != nil {
		return d, err
	}
	c, err := b.cutBefore(ctx, before)
	if left != nil && errors.Is(err, ErrNoCut) { // only the removal was left
		return Detachment{Span: *left, Begins: left.Last + 1}, nil
	}
	if err != nil {
		return d, err
	}
	if d, err = b.detachment(ctx, c); err != nil {
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
		err = cmp.Or(ctx.Err(), fmt.Errorf("%w and does not contain exactly blocks %v of this ledger", there, c.span()))
	}
	if err != nil {
		return d, err
	}
	if err := b.cutOff(ctx, c); err != nil {
		return d, err
	}
	if _, err = b.clear(ctx, progress.Removed); err != nil {
		err = fmt.Errorf("blocks %v are in %s and the ledger starts at block %d, but removing them from the ledger did not finish. Run the command again, or sync: %w", c.span(), path, c.height, err)
	}
	return d, err
}

// checkDetached checks that a file is an undamaged ledger of what is before a cut, with the same seals.
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
		return damaged("%v. Nothing was detached.", first)
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
		return fmt.Errorf("%w: %s does not contain exactly blocks %v of this ledger", ErrDamaged, path, c.span())
	}
	for u := range unitCount {
		copied, err := readStretches(ctx, detached.engine, u, "number >= ?", noTime)
		if err != nil {
			return err
		}
		kept, err := readStretches(ctx, b.engine, u, "number < ?", c.number(u))
		if err != nil {
			return err
		}
		if !slices.EqualFunc(copied, kept, func(a, b *stretch) bool { return a.digest() == b.digest() }) {
			return fmt.Errorf("%w: the seals in %s differ from the ledger's", ErrDamaged, path)
		}
	}
	return nil
}

// cutOff moves the ledger's first height to the cut. The rows below it stay until clear removes them.
func (b *Book) cutOff(ctx context.Context, c *cut) error {
	return b.changeBook(ctx, func(tx transaction, book *bookRow) error {
		if book.first != c.first || book.next() <= c.height {
			return fmt.Errorf("the ledger was changed meanwhile; run the command again")
		}
		for _, table := range []string{"stretches", "parts", "rejudgements"} {
			where, arguments := c.takes(table)
			if err := tx.exec(ctx, "DELETE FROM "+table+where, arguments...); err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
		if err := unprove(ctx, tx, chain.Heights{First: 0, Last: c.height - 1}); err != nil { // including unsealed blocks below
			return err
		}
		book.removing = chain.Some(c.first)
		book.first, book.sealed = c.height, book.next()-c.height
		return book.keep(ctx, tx)
	})
}

// removedAtOnce is how many heights are removed in one change.
const removedAtOnce = 2_000

// clear removes the rows below the ledger's first height that a detachment left, and returns their
// heights; nil if there are none. After an interruption, the next call continues.
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
		from = part.Last + 1 // do not scan deleted rows again
		progress(from-span.First, span.Blocks())
	}
	err = b.change(ctx, func(tx transaction) error {
		if err := removeRows(ctx, tx, chain.Heights{First: 0, Last: span.Last}); err != nil { // including unsealed blocks below
			return err
		}
		c, err := readBookRow(ctx, tx) // now: others may seal meanwhile
		if err != nil {
			return err
		}
		c.removing = chain.Optional[uint64]{}
		return c.keep(ctx, tx)
	})
	progress(span.Blocks(), span.Blocks())
	return &span, err
}
