// Package proof prices and proves many blocks: those of a range, several at a time
// and in order, or those of a chain as it grows. What a block shares with its
// neighbours is checked too.
package proof

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/inorder"
	"github.com/feeledger/fees/source"
)

// Prover says how blocks are proved.
type Prover struct {
	Reader  *source.Reader
	Options evidence.Options
	// Concurrency is how many questions are asked, and how many blocks proved, at
	// once.
	Concurrency int
	// Prove proves one block; nil for Block. It runs for several blocks at once. What
	// it returns beside the report comes with the block; an error ends the range.
	Prove func(context.Context, source.Item) (report *evidence.Report, more any, err error)
}

// Proved is a block with what was found about it.
type Proved struct {
	source.Item
	Report *evidence.Report
	More   any // what Prover.Prove returned beside it
}

// Block prices and proves one block. The source is asked for the parameter that the
// split of its fees depends on, where it does; and only where an EVM fee drifts is
// the source asked for more, to find out why.
//
// An error says that the source could not answer for the moment. The report is there
// nonetheless, without what it did not answer.
func Block(ctx context.Context, reader *source.Reader, item source.Item, o evidence.Options) (*evidence.Report, error) {
	var trouble error
	o.FeesTreasuryProportion, trouble = reader.FeesTreasuryProportion(ctx, item)
	report := evidence.Prove(item.Block, fee.Price(item.Block, item.Rules, item.Multiplier), item.Rules, o)
	if report.DriftsOnEVM() {
		var around evidence.Neighbours
		var err error
		around.Multipliers, around.Rules, err = reader.Neighbours(ctx, item)
		trouble = errors.Join(trouble, err)
		report.Diagnose(item.Block, item.Rules, around)
	}
	return report, trouble
}

// Range proves the blocks of a range and delivers them in the order of the heights.
// Before is the block below the range, where it is known; the first block is not
// checked against it otherwise. An error is the last element, after all blocks
// before it.
func (p *Prover) Range(ctx context.Context, blocks source.Range, before chain.Optional[evidence.Predecessor]) iter.Seq2[Proved, error] {
	return func(yield func(Proved, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // what is under way is not waited for
		var last *Proved
		done := func(stored chain.Optional[chain.StoredMultiplier]) bool {
			last.Report.Stored(stored)
			return yield(*last, nil)
		}
		for x := range p.results(ctx, blocks) {
			if x.err != nil {
				if last != nil { // it is whole with what it stored, and held back otherwise
					stored, err := p.stored(ctx, last.Block.Number)
					if err == nil && !done(stored) {
						return
					}
				}
				yield(Proved{}, x.err)
				return
			}
			if last != nil {
				before = chain.Some(last.Report.Predecessor())
			}
			if b, ok := before.Get(); ok {
				x.Report.Follows(b)
			}
			if last != nil && !done(x.Report.Multiplier) {
				return
			}
			last = &x.Proved
		}
		stored, err := p.stored(ctx, blocks.Last)
		if err != nil {
			yield(Proved{}, err)
			return
		}
		done(stored)
	}
}

// results are those of a range's blocks, several in the making. An error of the source
// is the last.
func (p *Prover) results(ctx context.Context, blocks source.Range) iter.Seq[result] {
	read := func(yield func(result) bool) {
		for item, err := range p.Reader.Range(ctx, blocks, p.Concurrency) {
			if !yield(result{Proved{Item: item}, err}) {
				return
			}
		}
	}
	return inorder.Map(read, p.Concurrency, func(x result) result {
		if x.err != nil {
			return x
		}
		return p.prove(ctx, x.Item)
	})
}

// Follow proves the blocks of a chain as it grows; see source.Reader.Follow. A source
// that cannot answer for the moment what the proof needs is waited for too.
func (p *Prover) Follow(ctx context.Context, heads source.Heads, o source.FollowOptions, before chain.Optional[evidence.Predecessor]) iter.Seq2[Proved, error] {
	return func(yield func(Proved, error) bool) {
		for item, err := range p.Reader.Follow(ctx, heads, o) {
			if err != nil {
				yield(Proved{}, err)
				return
			}
			x, stored := p.patiently(ctx, item, o.Trouble)
			if x.err != nil {
				yield(Proved{}, x.err)
				return
			}
			if b, ok := before.Get(); ok {
				x.Report.Follows(b)
			}
			x.Report.Stored(stored)
			before = chain.Some(x.Report.Predecessor())
			if !yield(x.Proved, nil) {
				return
			}
		}
	}
}

// patiently proves a block, and asks again until what passes has passed. Trouble is
// told once what is waited for.
func (p *Prover) patiently(ctx context.Context, item source.Item, trouble func(error)) (x result, stored chain.Optional[chain.StoredMultiplier]) {
	for told := false; ; told = true {
		x = p.prove(ctx, item)
		if x.err == nil {
			stored, x.err = p.stored(ctx, item.Block.Number)
		}
		if !source.Passes(x.err) || ctx.Err() != nil {
			return x, stored
		}
		if !told && trouble != nil {
			trouble(x.err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(againAfter):
		}
	}
}

// againAfter is how long a source that could not answer is left alone.
const againAfter = time.Second

// Before is the block below a height. It is not known below block 0, and where an
// archive lacks it.
func Before(ctx context.Context, reader *source.Reader, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	if height == 0 {
		return none, nil
	}
	b, err := reader.Source.Block(ctx, height-1)
	if errors.Is(err, archive.ErrLacks) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	made, err := b.Time()
	if err != nil { // the block's own checks say so
		return none, nil
	}
	return chain.Some(evidence.Predecessor{Number: b.Number, Hash: b.Hash, Time: made}), nil
}

// stored is the multiplier that a block left behind, not known where the source
// lacks it.
func (p *Prover) stored(ctx context.Context, height uint64) (none chain.Optional[chain.StoredMultiplier], err error) {
	m, err := p.Reader.Source.Multiplier(ctx, height)
	switch {
	case source.Passes(err):
		return none, err
	case err != nil:
		return none, nil
	}
	return chain.Some(m.StoredMultiplier), nil
}

// result is a block that was proved, or why there is none.
type result struct {
	Proved
	err error
}

func (p *Prover) prove(ctx context.Context, item source.Item) result {
	if p.Prove == nil {
		report, err := Block(ctx, p.Reader, item, p.Options)
		return result{Proved{Item: item, Report: report}, err}
	}
	report, more, err := p.Prove(ctx, item)
	return result{Proved{item, report, more}, err}
}
