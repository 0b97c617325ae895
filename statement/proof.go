package statement

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// prover proves a statement by what the account had.
type prover struct {
	*Statement
	balances Balances
	options  Options
	asked    uint64 // balances
	expected uint64 // balances that will be asked for, as far as is known
}

// point is what the account had when the block at a height was done.
type point struct {
	height uint64
	chain.Balance
}

// ends asks for the opening and the closing balance.
func (p *prover) ends(ctx context.Context) error {
	opening, closing := p.Span.First-1, p.Span.Last
	p.expected = 2
	if p.options.EveryBlock {
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

// prove compares the balances with what the movements make of those before, and finds
// the blocks that do not fit.
func (p *prover) prove(ctx context.Context) error {
	opening, _ := p.Opening.Get()
	closing, _ := p.Closing.Get()
	whole := section{point{p.Span.First - 1, opening}, point{p.Span.Last, closing}}
	unexplained, _ := p.Unexplained.Get()
	suspects := []section{whole}
	var err error
	switch {
	case p.Span.Blocks() == 0:
		return nil
	case p.options.EveryBlock || len(p.untold) > 0:
		suspects, err = p.compare(ctx)
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
// around each block with a change that is not told.
func (p *prover) heights() (heights iter.Seq[uint64]) {
	if p.options.EveryBlock {
		return func(yield func(uint64) bool) {
			for h := p.Span.First; h <= p.Span.Last && yield(h); h++ {
			}
		}
	}
	list := []uint64{p.Span.Last}
	for _, h := range p.untold {
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

// section is the blocks after one point up to another.
type section struct{ from, to point }

// compare goes over the heights once. Sections of several blocks that do not fit are
// returned.
func (p *prover) compare(ctx context.Context) (suspects []section, err error) {
	opening, _ := p.Opening.Get()
	from := point{p.Span.First - 1, opening}
	next, stop := iter.Pull2(p.movements(ctx, p.Span))
	defer stop()
	m, err, more := next()
	for to, failed := range p.ask(ctx, p.heights()) {
		if failed != nil {
			return nil, failed
		}
		f := fold{running: running{balance: Of(from.Balance), known: true}}
		for ; err == nil && more && m.Height <= to.height; m, err, more = next() {
			if err := f.take(m); err != nil {
				return nil, err
			}
		}
		if err != nil {
			return nil, ofLedger(err)
		}
		part := section{from, to}
		known, err := p.judge(&f, part)
		if err != nil {
			return nil, err
		}
		if !known {
			suspects = append(suspects, part)
		}
		from = to
	}
	return suspects, nil
}

// judge tells whether there is nothing to find in a section: it fits, or it is a single
// block, of which it notes what does not.
func (p *prover) judge(f *fold, s section) (known bool, err error) {
	rest, err := Of(s.to.Balance).Plus(f.balance.negated())
	if err != nil {
		return false, ofLedger(err)
	}
	total, err := rest.Total()
	if err != nil {
		return false, ofLedger(err)
	}
	d := Difference{s.to.height, rest, f.untold > 0}
	fits := rest.IsZero() || d.Untold && total == f.said
	switch {
	case fits && !d.Untold:
		p.Proved++
		return true, nil
	case s.to.height-s.from.height > 1:
		return false, nil
	case fits:
		p.Proved++
		p.Settled = append(p.Settled, d)
	case len(p.Differences) == MostDifferences:
		p.More = true
	default:
		p.Differences = append(p.Differences, d)
	}
	if d.Untold {
		p.note(s.to.height, untold{rest, fits})
	}
	return true, nil
}

// note keeps what the balances have of a block with changes that are not told.
func (p *prover) note(height uint64, u untold) {
	if p.rest == nil {
		p.rest = map[uint64]untold{}
	}
	p.rest[height] = u
}

// bisect finds the blocks that do not fit in a section. Where there are several, it
// asks for the balance in the middle and goes on with each half that does not fit.
func (p *prover) bisect(ctx context.Context, s section) error {
	if p.More {
		return nil
	}
	f := fold{running: running{balance: Of(s.from.Balance), known: true}}
	for m, err := range p.movements(ctx, ledger.Span{First: s.from.height + 1, Last: s.to.height}) {
		if err == nil {
			err = f.take(m)
		}
		if err != nil {
			return ofLedger(err)
		}
	}
	if known, err := p.judge(&f, s); known || err != nil {
		return err
	}
	p.expected++
	middle := []uint64{s.from.height + (s.to.height-s.from.height)/2}
	for at, err := range p.ask(ctx, slices.Values(middle)) {
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
	running
	untold int             // movements whose change is not told
	said   chain.SignedWei // by how much these changed free and reserved together
}

func (f *fold) take(m *ledger.Movement) error {
	if !m.Known() && !isSet(&m.Movement) {
		f.untold++
		by := m.Amount.Signed()
		if m.Kind == chain.KindSlash {
			by = by.Negated()
		}
		said, err := f.said.Add(by)
		if err != nil {
			return ofLedger(err)
		}
		f.said = said
	}
	_, err := f.add(&m.Movement)
	return ofLedger(err)
}
