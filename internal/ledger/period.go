package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Period is a set of blocks: those of a span of heights, or those whose own time is
// not before From and is before To.
type Period struct {
	Heights  chain.Optional[chain.Heights] // where it is known, the times say nothing
	From, To chain.Time
}

// String is the period for people.
func (p Period) String() string {
	if span, ok := p.Heights.Get(); ok {
		return "blocks " + span.String()
	}
	return fmt.Sprintf("the time from %v to before %v", p.From, p.To)
}

// Has tells whether a block is in the period. One without a time, as block 0, is in no
// period of times.
func (p Period) Has(height uint64, at chain.Optional[chain.Time]) bool {
	if span, ok := p.Heights.Get(); ok {
		return height >= span.First && height <= span.Last
	}
	t, ok := at.Get()
	return ok && !t.Std().Before(p.From.Std()) && t.Std().Before(p.To.Std())
}

// ErrPeriod says that a period ends before it begins.
var ErrPeriod = errors.New("the period ends before it begins")

func (p Period) reversed() bool {
	if span, ok := p.Heights.Get(); ok {
		return span.Last < span.First
	}
	return p.To.Std().Before(p.From.Std())
}

// Cover is what a book has of a period.
type Cover struct {
	// Span has all of the period's sealed blocks, from the lowest to the highest. It is
	// not known where there is none.
	Span chain.Optional[chain.Heights]
	// Lacks says, for people, what of the period is not sealed in the book. Nothing is
	// missing where it is empty.
	Lacks []string
}

// What the lacks of a period of times begin with.
const (
	lacksBeginning = "its beginning: "
	lacksEnd       = "its end: "
)

// LacksBeginning tells whether a period of times may have blocks before the first that is sealed.
func (c *Cover) LacksBeginning() bool { return c.lacks(lacksBeginning) }

// LacksEnd tells whether a period of times may have blocks after the last that is sealed.
func (c *Cover) LacksEnd() bool { return c.lacks(lacksEnd) }

func (c *Cover) lacks(what string) bool {
	return slices.ContainsFunc(c.Lacks, func(lack string) bool { return strings.HasPrefix(lack, what) })
}

// Cover finds a period's sealed blocks, and what is missing of them. There are no gaps
// among sealed blocks, so the period is there as a whole where both of its ends are: a
// period of times where the book's first block is older than it, or the chain's first,
// and the last sealed one is not, or is the chain's last ([Book.ChainEnds]). It is
// [ErrPeriod] where the period ends before it begins.
func (b *Book) Cover(ctx context.Context, p Period) (Cover, error) {
	if p.reversed() {
		return Cover{}, fmt.Errorf("%w: %v", ErrPeriod, p)
	}
	sealed, err := b.sealed(ctx)
	if err != nil {
		return Cover{}, err
	}
	have, ok := sealed.Get()
	if !ok {
		return Cover{Lacks: []string{"all of it: no block is sealed"}}, nil
	}
	if span, ok := p.Heights.Get(); ok {
		return coverHeights(span, have), nil
	}
	return b.coverTimes(ctx, p, have)
}

// sealed is the span of the sealed blocks.
func (b *Book) sealed(ctx context.Context) (chain.Optional[chain.Heights], error) {
	return b.sealedBy(ctx, b.engine)
}

func (b *Book) sealedBy(ctx context.Context, q querier) (none chain.Optional[chain.Heights], err error) {
	c, err := readBookRow(ctx, q)
	if err != nil || c.sealed == 0 {
		return none, err
	}
	return chain.Some(chain.Heights{First: c.first, Last: c.next() - 1}), nil
}

func coverHeights(want, have chain.Heights) (c Cover) {
	if want.First < have.First {
		c.Lacks = append(c.Lacks, fmt.Sprintf("blocks %v: the ledger begins with block %d", chain.Heights{First: want.First, Last: min(want.Last, have.First-1)}, have.First))
	}
	if want.Last > have.Last {
		c.Lacks = append(c.Lacks, fmt.Sprintf("blocks %v: the ledger is sealed up to block %d", chain.Heights{First: max(want.First, have.Last+1), Last: want.Last}, have.Last))
	}
	if first, last := max(want.First, have.First), min(want.Last, have.Last); first <= last {
		c.Span = chain.Some(chain.Heights{First: first, Last: last})
	}
	return c
}

// firstHeights are block 0, which has no time and no transaction, and the one after it:
// before them is nothing.
const firstHeights = 1

func (b *Book) coverTimes(ctx context.Context, p Period, have chain.Heights) (c Cover, err error) {
	first, err := b.timeAt(ctx, b.engine, have.First)
	if err != nil {
		return c, err
	}
	last, err := b.timeAt(ctx, b.engine, have.Last)
	if err != nil {
		return c, err
	}
	if t, ok := first.Get(); have.First > firstHeights && !(ok && t.Std().Before(p.From.Std())) {
		c.Lacks = append(c.Lacks, fmt.Sprintf(lacksBeginning+"the ledger begins with block %d%s", have.First, of(first)))
	}
	if t, ok := last.Get(); !b.ended(have.Last) && (!ok || t.Std().Before(p.To.Std())) {
		c.Lacks = append(c.Lacks, fmt.Sprintf(lacksEnd+"the ledger is sealed up to block %d%s", have.Last, of(last)))
	}
	c.Span, err = b.blocksOf(ctx, p)
	return c, err
}

// ChainEnds says that the chain has ended with the block at a height: nothing of a later
// time is missing in a book that has sealed it.
func (b *Book) ChainEnds(last uint64) { b.lastBlock = chain.Some(last) }

func (b *Book) ended(sealed uint64) bool {
	last, ended := b.lastBlock.Get()
	return ended && sealed >= last
}

// blocksOf are the heights, from the lowest to the highest, of the sealed blocks whose own
// time is in a period of times. They need not be all blocks of that span: a block whose
// time goes backwards is in the period of its time. A day or a month that is in the period as a
// whole says where its blocks are, and those of another are looked through.
func (b *Book) blocksOf(ctx context.Context, p Period) (found chain.Optional[chain.Heights], err error) {
	widen := func(first, last uint64) {
		span, ok := found.Get()
		if !ok {
			span = chain.Heights{First: first, Last: last}
		}
		found = chain.Some(chain.Heights{First: min(span.First, first), Last: max(span.Last, last)})
	}
	list, err := b.pieces(ctx, p, everyBlock, anyStretch)
	if err != nil {
		return found, err
	}
	for i := range list {
		x := &list[i]
		if x.whole {
			widen(x.first, x.last)
			continue
		}
		err := b.timesOf(ctx, x.span, func(height uint64, at chain.Optional[chain.Time]) {
			if x.has(p, height, at) {
				widen(height, height)
			}
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// timesOf tells when the blocks of a span were made.
func (b *Book) timesOf(ctx context.Context, span chain.Heights, each func(height uint64, at chain.Optional[chain.Time])) error {
	for r, err := range walk(ctx, b, nil, span, whole) {
		if err != nil {
			return err
		}
		at, err := r.at()
		if err != nil {
			return err
		}
		each(r.height, at)
	}
	return nil
}

// of says of when a block is.
func of(at chain.Optional[chain.Time]) string {
	if t, ok := at.Get(); ok {
		return " of " + t.String()
	}
	return ""
}

// Sealed is the span of the sealed blocks, as a period of heights. It is [ErrNone]
// where there are none.
func (b *Book) Sealed(ctx context.Context) (Period, error) {
	sealed, err := b.sealed(ctx)
	if err == nil && !sealed.Known() {
		err = fmt.Errorf("%w: no block is sealed", ErrNone)
	}
	return Period{Heights: sealed}, err
}

// Outside are the heights of blocks in a span whose own time is not in the period: a
// time that goes backwards can put some there. At most a few are listed.
func (b *Book) Outside(ctx context.Context, p Period, span chain.Heights) (heights []uint64, err error) {
	const few = 5
	if p.Heights.Known() {
		return nil, nil
	}
	list, err := b.pieces(ctx, p, span, anyStretch)
	if err != nil {
		return nil, err
	}
	var within uint64 // how many blocks of the span are in the period: mostly all
	for i := range list {
		x := &list[i]
		if x.whole {
			within += x.sums.Blocks
			continue
		}
		err = b.timesOf(ctx, x.span, func(height uint64, at chain.Optional[chain.Time]) {
			if x.has(p, height, at) {
				within++
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if within == span.Blocks() {
		return nil, nil
	}
	err = b.timesOf(ctx, span, func(height uint64, at chain.Optional[chain.Time]) {
		if !p.Has(height, at) && len(heights) < few {
			heights = append(heights, height)
		}
	})
	return heights, err
}
