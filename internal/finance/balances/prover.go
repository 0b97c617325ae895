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

// Options say how balances are compared.
type Options struct {
	// EveryBlock asks for the balance after each block of the span, where otherwise it
	// is asked for at the ends alone: then two wrongs that cancel out are seen too, and
	// what is wrong in each block.
	EveryBlock bool
	// FirstOnly looks for the first difference alone. Where a balance in between cannot be
	// had, that is the narrowest span that is known.
	FirstOnly bool
	// Concurrency is how many balances are asked for at once; 0 is for
	// [DefaultConcurrency].
	Concurrency int
	// Progress is told how many balances were asked for, of how many.
	Progress func(done, total uint64)
}

// DefaultConcurrency is how many balances are asked for at once.
const DefaultConcurrency = 8

// Prover compares what an account had with what its movements make of it. Its errors
// are [ReadError] where a balance could not be had; any other is of the movements.
type Prover struct {
	*Comparison // what it finds
	Reader      Reader
	Account     chain.Address
	Span        chain.Heights // it begins after block 0: what that left is the opening
	// Movements are the account's in some blocks, in the order of the chain, each time
	// read anew.
	Movements func(context.Context, chain.Heights) iter.Seq2[*ledger.Movement, error]
	Options

	asked    uint64 // balances
	expected uint64 // balances that will be asked for, as far as is known
}

// point is what the account had when the block at a height was done.
type point struct {
	height uint64
	chain.Balance
}

// section is the blocks after one point up to another.
type section struct{ from, to point }

// Ends asks for the opening and the closing balance.
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

// Prove compares the balances with what the movements make of those before, and finds
// the blocks that do not fit. It wants the heights, rising, at which a movement
// [IsUnknown], and [Comparison.Close] before it.
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

// heights are those at which the balance is compared: all, or the last and those
// around each block with a change that is not known.
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

// compare goes over the heights once. Sections of several blocks that do not fit are
// returned.
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

// judge tells whether there is nothing to look for in a section: it fits, or it is a
// single block, of which it notes what does not.
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

// enough tells whether no more differences are looked for.
func (p *Prover) enough() bool { return p.More || p.FirstOnly && len(p.Differences) > 0 }

// bisect finds the blocks that do not fit in a section. Where there are several, it
// asks for the balance in the middle and goes on with each half that does not fit.
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

// fold is what the movements of a section make of the balance before it.
type fold struct {
	Running
	unknown int             // movements whose change is not known
	said    chain.SignedWei // by how much these changed free and reserved together
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
