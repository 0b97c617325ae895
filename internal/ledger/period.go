package ledger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
)

// Period is a set of blocks: a span of heights, or the blocks whose own time is at or after From and
// before To.
type Period struct {
	Heights  chain.Optional[chain.Heights] // if known, the times are ignored
	From, To chain.Time
}

// String returns the period for people.
func (p Period) String() string {
	if span, ok := p.Heights.Get(); ok {
		return "blocks " + span.String()
	}
	return fmt.Sprintf("the time from %v to before %v", p.From, p.To)
}

// Has reports whether a block is in the period. A block without a time, such as block 0, is in no period
// of times.
func (p Period) Has(height uint64, at chain.Optional[chain.Time]) bool {
	if span, ok := p.Heights.Get(); ok {
		return height >= span.First && height <= span.Last
	}
	t, ok := at.Get()
	return ok && !t.Std().Before(p.From.Std()) && t.Std().Before(p.To.Std())
}

// ErrPeriod reports that a period ends before it begins.
var ErrPeriod = errors.New("the period ends before it begins")

func (p Period) reversed() bool {
	if span, ok := p.Heights.Get(); ok {
		return span.Last < span.First
	}
	return p.To.Std().Before(p.From.Std())
}

// Cover describes how much of a period the ledger contains.
type Cover struct {
	// Span ranges from the lowest to the highest of the period's sealed blocks; unknown if there are none.
	Span chain.Optional[chain.Heights]
	// Lacks describes, for people, the parts of the period that are not sealed. It is empty if nothing
	// is missing.
	Lacks []string
	// Known is the time of which every block is sealed. For a period of heights it is that of Span.
	Known Known
}

// Known is a stretch of time of which every block is sealed.
type Known struct {
	Some bool // false if no time is known
	// From and To are the times of its first and its last block; unknown if the chain has no blocks before or after.
	From, To chain.Optional[chain.Time]
}

// Part returns the part of a time, from begin to before end, of which every block is sealed, and whether that is all of
// it. The block at an edge may not be the only one of its time, so it does not complete a part.
func (k *Known) Part(begin, end time.Time) (from, to time.Time, some, whole bool) {
	if from, to = begin, end; !k.Some {
		return from, from, false, false
	}
	whole = true
	if at, ok := k.From.Get(); ok && !at.Std().Before(begin) {
		from, whole = at.Std(), false
	}
	if at, ok := k.To.Get(); ok && at.Std().Before(end) {
		to, whole = at.Std(), false
	}
	if some = !to.Before(begin) && from.Before(end) && !to.Before(from); !some {
		return begin, begin, false, false
	}
	return from, to, true, whole
}

// Prefixes of what a period of times lacks.
const (
	lacksBeginning = "its beginning: "
	lacksEnd       = "its end: "
)

// LacksBeginning reports whether a period of times may include blocks before the first sealed one.
func (c *Cover) LacksBeginning() bool { return c.lacks(lacksBeginning) }

// LacksEnd reports whether a period of times may include blocks after the last sealed one.
func (c *Cover) LacksEnd() bool { return c.lacks(lacksEnd) }

func (c *Cover) lacks(what string) bool {
	return slices.ContainsFunc(c.Lacks, func(lack string) bool { return strings.HasPrefix(lack, what) })
}

// Within returns the ends of the part of a time of which every block is sealed; unknown if there is none.
func (k *Known) Within(from, to chain.Time) (first, last chain.Optional[chain.Time]) {
	begin, end, some, _ := k.Part(from.Std(), to.Std())
	if !some {
		return first, last
	}
	if first = chain.Some(from); begin.After(from.Std()) {
		first = k.From
	}
	if last = chain.Some(to); end.Before(to.Std()) {
		last = k.To
	}
	return first, last
}

// Cover finds a period's sealed blocks, and what is missing. Sealed blocks have no gaps, so a period is
// complete if both ends are covered. For a period of times, the ledger's first block must be older than it, or
// be the chain's first, and the last sealed block must be newer, or be the chain's last ([Book.ChainEnds]).
// It returns [ErrPeriod] if the period ends before it begins.
func (b *Book) Cover(ctx context.Context, p Period) (Cover, error) {
	if p.reversed() {
		return Cover{}, fmt.Errorf("%w: %v", ErrPeriod, p)
	}
	sealed, err := b.sealedBy(ctx, b.engine)
	if err != nil {
		return Cover{}, err
	}
	have, ok := sealed.Get()
	if !ok {
		return Cover{Lacks: []string{"all of it: no block is sealed yet"}}, nil
	}
	if span, ok := p.Heights.Get(); ok {
		c := coverHeights(span, have)
		if part, ok := c.Span.Get(); ok {
			c.Known, err = b.known(ctx, part)
		}
		return c, err
	}
	return b.coverTimes(ctx, p, have)
}

// sealedBy returns the span of the sealed blocks.
func (b *Book) sealedBy(ctx context.Context, q querier) (none chain.Optional[chain.Heights], err error) {
	c, err := readBookRow(ctx, q)
	if err != nil {
		return none, err
	}
	return c.sealedHeights(), nil
}

func coverHeights(want, have chain.Heights) (c Cover) {
	if want.First < have.First {
		c.Lacks = append(c.Lacks, fmt.Sprintf("blocks %v: the ledger starts at block %d", chain.Heights{First: want.First, Last: min(want.Last, have.First-1)}, have.First))
	}
	if want.Last > have.Last {
		c.Lacks = append(c.Lacks, fmt.Sprintf("blocks %v: the ledger is sealed up to block %d", chain.Heights{First: max(want.First, have.Last+1), Last: want.Last}, have.Last))
	}
	if first, last := max(want.First, have.First), min(want.Last, have.Last); first <= last {
		c.Span = chain.Some(chain.Heights{First: first, Last: last})
	}
	return c
}

// firstHeights are block 0, which has no time and no transactions, and block 1: nothing comes before them.
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
		c.Lacks = append(c.Lacks, fmt.Sprintf(lacksBeginning+"the ledger starts at block %d%s", have.First, inParentheses(first)))
	}
	if t, ok := last.Get(); !b.ended(have.Last) && (!ok || t.Std().Before(p.To.Std())) {
		c.Lacks = append(c.Lacks, fmt.Sprintf(lacksEnd+"the ledger is sealed up to block %d%s", have.Last, inParentheses(last)))
	}
	c.knowBetween(first, last)
	c.Span, err = b.blocksOf(ctx, p)
	return c, err
}

// knowBetween finds the known time of a period of times from those of the first and the last sealed block: it ends at them
// only where the period lacks something.
func (c *Cover) knowBetween(first, last chain.Optional[chain.Time]) {
	c.Known = Known{Some: true}
	if c.LacksBeginning() {
		c.Known.From, c.Known.Some = first, first.Known()
	}
	if c.LacksEnd() {
		c.Known.To, c.Known.Some = last, c.Known.Some && last.Known()
	}
}

// CoverThen returns the cover of a period as it was when the ledger contained a span of its blocks and lacked something.
func (b *Book) CoverThen(ctx context.Context, p Period, span chain.Heights, lacks []string) (c Cover, err error) {
	c.Span, c.Lacks = chain.Some(span), lacks
	if p.Heights.Known() {
		c.Known, err = b.known(ctx, span)
		return c, err
	}
	first, err := b.timeAt(ctx, b.engine, span.First)
	if err != nil {
		return c, err
	}
	last, err := b.timeAt(ctx, b.engine, span.Last)
	c.knowBetween(first, last)
	return c, err
}

// known returns the time of which a span of sealed blocks contains every block.
func (b *Book) known(ctx context.Context, span chain.Heights) (k Known, err error) {
	first, err := b.timeAt(ctx, b.engine, span.First)
	if err != nil {
		return k, err
	}
	last, err := b.timeAt(ctx, b.engine, span.Last)
	if span.First > firstHeights {
		k.From = first
	}
	if !b.ended(span.Last) {
		k.To = last
	}
	k.Some = (first.Known() || span.First <= firstHeights) && (last.Known() || b.ended(span.Last))
	return k, err
}

// ChainEnds records the chain's last block. A ledger that has sealed it lacks nothing of a later time.
func (b *Book) ChainEnds(last uint64) { b.lastBlock = chain.Some(last) }

func (b *Book) ended(sealed uint64) bool {
	last, ended := b.lastBlock.Get()
	return ended && sealed >= last
}

// blocksOf returns the range, from lowest to highest, of the sealed blocks whose own time is in a period of
// times. Blocks inside that range may be outside the period, because times can go backwards. Whole days and
// months know the range of their blocks; partial ones are scanned.
func (b *Book) blocksOf(ctx context.Context, p Period) (found chain.Optional[chain.Heights], err error) {
	span := chain.Heights{First: math.MaxUint64}
	widen := func(first, last uint64) {
		span = chain.Heights{First: min(span.First, first), Last: max(span.Last, last)}
		found = chain.Some(span)
	}
	err = b.inPeriod(ctx, p, everyBlock, func(s *stretch) { widen(s.first, s.last) }, func(height uint64) { widen(height, height) })
	return found, err
}

// inPeriod calls all for the days and months of a span that a period includes as a whole, and one for each block of
// the others that is in the period.
func (b *Book) inPeriod(ctx context.Context, p Period, span chain.Heights, all func(*stretch), one func(height uint64)) error {
	list, err := b.pieces(ctx, p, span, anyStretch)
	if err != nil {
		return err
	}
	for i := range list {
		x := &list[i]
		if x.whole {
			all(x.stretch)
			continue
		}
		for r, err := range walk(ctx, b, nil, x.span, whole) {
			if err != nil {
				return err
			}
			if x.has(p, r.height, r.time) {
				one(r.height)
			}
		}
	}
	return nil
}

// inParentheses formats a block's time, if known.
func inParentheses(at chain.Optional[chain.Time]) string {
	if t, ok := at.Get(); ok {
		return " (" + t.String() + ")"
	}
	return ""
}

// Sealed returns the span of the sealed blocks as a period of heights, or [ErrNone] if there are none.
func (b *Book) Sealed(ctx context.Context) (Period, error) {
	sealed, err := b.sealedBy(ctx, b.engine)
	if err == nil && !sealed.Known() {
		err = fmt.Errorf("%w: no block is sealed yet", ErrNone)
	}
	return Period{Heights: sealed}, err
}

// Outside returns the heights of blocks in a span whose own time is not in the period, which happens when
// times go backwards. At most 5 are listed.
func (b *Book) Outside(ctx context.Context, p Period, span chain.Heights) (heights []uint64, err error) {
	const few = 5
	if p.Heights.Known() {
		return nil, nil
	}
	var within uint64 // how many blocks of the span are in the period, usually all
	err = b.inPeriod(ctx, p, span, func(s *stretch) { within += s.sums.Blocks }, func(uint64) { within++ })
	if err != nil || within == span.Blocks() {
		return nil, err
	}
	for r, err := range walk(ctx, b, nil, span, whole) {
		if err != nil {
			return nil, err
		}
		if !p.Has(r.height, r.time) && len(heights) < few {
			heights = append(heights, r.height)
		}
	}
	return heights, nil
}
