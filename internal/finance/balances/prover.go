package balances

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Options control how balances are compared.
type Options struct {
	// EveryBlock compares the balance after each block of the range instead of only at the ends. It finds
	// differences that cancel out, and the difference in each block.
	EveryBlock bool
	// FirstOnly looks only for the first difference. If a balance in between is not available, it reports the
	// narrowest known range.
	FirstOnly bool
	// Concurrency is the number of concurrent balance queries; 0 for [DefaultConcurrency].
	Concurrency int
	// Progress is called with the number of balances queried and the number expected.
	Progress func(done, total uint64)
}

// DefaultConcurrency is the default number of concurrent balance queries.
const DefaultConcurrency = 8

// Prover compares an account's balances with its movements. Its errors are of type [ReadError] if a balance is not
// available; others come from the movements.
type Prover struct {
	*Comparison // the result
	Reader      Reader
	Account     chain.Address
	Span        chain.Heights // starts after block 0, whose resulting balance is the opening balance
	// Movements returns the account's movements in some blocks, in chain order, and reads them again on each
	// call.
	Movements func(context.Context, chain.Heights) iter.Seq2[*ledger.Movement, error]
	Options

	asked    uint64 // balances queried
	expected uint64 // balances expected to be queried
}

// point is the balance after the block at a height.
type point struct {
	height uint64
	chain.Balance
}

// section is the range of blocks after one point up to another.
type section struct{ from, to point }

// Ends queries the opening and the closing balance.
func (p *Prover) Ends(ctx context.Context) error {
	opening, closing := p.Span.First-1, p.Span.Last
	p.expected = 2
	if p.EveryBlock {
		p.expected += p.Span.Blocks()
	}
	for at, err := range p.ask(ctx, slices.Values([]uint64{opening, closing})) {
		if err != nil {
			return err
		}
		if at.height == opening && !p.Opening.Known() {
			p.Opening = chain.Some(at.Balance)
		}
		if at.height == closing {
			p.Closing = chain.Some(at.Balance)
		}
	}
	return nil
}

// Prove compares the balances with the movements and locates the blocks that do not match. Unknown are the heights,
// ascending, with a movement for which [IsUnknown] is true. [Comparison.Close] must be called
// before.
func (p *Prover) Prove(ctx context.Context, unknown []uint64) error {
	opening, _ := p.Opening.Get()
	closing, _ := p.Closing.Get()
	whole := section{point{p.Span.First - 1, opening}, point{p.Span.Last, closing}}
	unexplained, _ := p.Unexplained.Get()
	suspects := []section{whole}
	var err error
	switch {
	case p.Span.Blocks() == 0:
		return nil
	case p.EveryBlock || len(unknown) > 0:
		suspects, err = p.compare(ctx, whole.from, p.heights(unknown))
	case unexplained.IsZero():
		p.Proved = 1
		return nil
	}
	for _, s := range suspects {
		if err == nil {
			err = p.bisect(ctx, s)
		}
	}
	slices.SortFunc(p.Differences, func(a, b Difference) int { return cmp.Compare(a.Height, b.Height) })
	return err
}

// heights returns the heights at which the balance is compared: all, or the last and those around each block with
// an unknown change.
func (p *Prover) heights(unknown []uint64) iter.Seq[uint64] {
	if p.EveryBlock {
		return func(yield func(uint64) bool) {
			for h := p.Span.First; h <= p.Span.Last && yield(h); h++ {
			}
		}
	}
	list := []uint64{p.Span.Last}
	for _, h := range unknown {
		list = append(list, h)
		if h > p.Span.First {
			list = append(list, h-1)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	p.expected += uint64(len(list))
	return slices.Values(list)
}

// compare iterates over the heights once and returns the sections of several blocks that do not
// match.
func (p *Prover) compare(ctx context.Context, from point, heights iter.Seq[uint64]) (suspects []section, err error) {
	next, stop := iter.Pull2(p.Movements(ctx, p.Span))
	defer stop()
	m, err, more := next()
	for to, failed := range p.ask(ctx, heights) {
		if failed != nil {
			return nil, failed
		}
		part := section{from, to}
		f := part.fold()
		for ; err == nil && more && m.Height <= to.height; m, err, more = next() {
			if err := f.add(&m.Movement); err != nil {
				return nil, err
			}
		}
		if err != nil {
			return nil, err
		}
		judged, err := p.judge(&f, part)
		if err != nil {
			return nil, err
		}
		if !judged {
			suspects = append(suspects, part)
		}
		from = to
	}
	return suspects, nil
}

// judge reports whether a section needs no bisection: it matches, or it is a single block, whose difference it
// records.
func (p *Prover) judge(f *fold, s section) (judged bool, err error) {
	rest, err := Of(s.to.Balance).Minus(f.Balance)
	if err != nil {
		return false, err
	}
	total, err := rest.Total()
	if err != nil {
		return false, err
	}
	d := Difference{Height: s.to.height, Change: rest, UnknownChange: f.unknown > 0}
	fits := rest.IsZero() || d.UnknownChange && total == f.said
	switch {
	case fits && !d.UnknownChange:
		p.Proved++
		return true, nil
	case s.to.height-s.from.height > 1:
		return false, nil
	case fits:
		p.Proved++
		p.Settled = append(p.Settled, d)
	default:
		p.differ(d)
	}
	if d.UnknownChange {
		if p.outside == nil {
			p.outside = map[uint64]outside{}
		}
		p.outside[d.Height] = outside{rest, fits}
	}
	return true, nil
}

func (p *Prover) differ(d Difference) {
	if len(p.Differences) == MaxDifferences {
		p.More = true
		return
	}
	p.Differences = append(p.Differences, d)
}

// enough reports whether the search for differences is finished.
func (p *Prover) enough() bool { return p.More || p.FirstOnly && len(p.Differences) > 0 }

// bisect locates the blocks of a section that do not match, by querying the balance in the middle and continuing
// with each half that does not match.
func (p *Prover) bisect(ctx context.Context, s section) error {
	if p.enough() {
		return nil
	}
	f := s.fold()
	for m, err := range p.Movements(ctx, chain.Heights{First: s.from.height + 1, Last: s.to.height}) {
		if err == nil {
			err = f.add(&m.Movement)
		}
		if err != nil {
			return err
		}
	}
	if judged, err := p.judge(&f, s); judged || err != nil {
		return err
	}
	p.expected++
	middle := []uint64{s.from.height + (s.to.height-s.from.height)/2}
	for at, err := range p.ask(ctx, slices.Values(middle)) {
		if err != nil && p.FirstOnly {
			rest, err := Of(s.to.Balance).Minus(f.Balance)
			p.differ(Difference{Height: s.to.height, Before: s.to.height - s.from.height - 1, Change: rest})
			return err
		}
		if err == nil {
			err = p.bisect(ctx, section{s.from, at})
		}
		if err == nil {
			err = p.bisect(ctx, section{at, s.to})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fold is the balance before a section plus its movements.
type fold struct {
	Running
	unknown int             // movements with unknown change
	said    chain.SignedWei // total change of free and reserved by these
}

func (s section) fold() fold { return fold{Running: From(chain.Some(s.from.Balance))} }

func (f *fold) add(m *movement.Movement) error {
	if IsUnknown(m) {
		f.unknown++
		by := m.Amount.Signed()
		if m.Kind == movement.KindSlash {
			by = by.Negated()
		}
		said, err := f.said.Add(by)
		if err != nil {
			return err
		}
		f.said = said
	}
	_, _, err := f.Running.Add(m)
	return err
}
