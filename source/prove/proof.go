package prove

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/sys/inorder"
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

// Block prices and proves one block. Where it has transactions, the source is asked for
// the parameter that the split of their fees depends on, where it does; where the
// multiplier follows from it, for what the chain counted as the block's weight; for the
// extrinsics as they are encoded and, with signatures, for the signers of native ones, unless
// the options have them; and only where an EVM fee
// drifts for more, to find out why. The report says whether the source proves the block, or
// gives its word. A question that it does not answer for now is in the
// report, as one that can be asked again.
//
// An error says that ctx has ended. The report is there nonetheless, without what was
// not answered.
func Block(ctx context.Context, reader *source.Reader, item source.Item, o evidence.Options) (*evidence.Report, error) {
	priced := fee.Price(item.Block, item.Rules, item.Multiplier)
	o.Trusted = reader.Source.Proved()
	var noProportion, noWeight, noExtrinsics error
	var asked sync.WaitGroup
	asked.Go(func() { o.BlockWeight, noWeight = reader.BlockWeight(ctx, item) })
	if !o.Encoded.Known() {
		o.Encoded, noExtrinsics = reader.Extrinsics(ctx, item)
	}
	isNative := func(t fee.Transaction) bool { return t.Layer == fee.Native }
	if o.Signatures && !o.NativeSigners.Known() && noExtrinsics == nil && slices.ContainsFunc(priced.Transactions, isNative) {
		o.NativeSigners, noExtrinsics = reader.NativeSigners(ctx, item)
	}
	if len(priced.Transactions) > 0 {
		o.FeesTreasuryProportion, noProportion = reader.FeesTreasuryProportion(ctx, item)
	}
	asked.Wait()
	report := evidence.Prove(item.Block, priced, item.Rules, o)
	noAnswer(report, evidence.AboutProportion, item.Block.Number-1, noProportion)
	noAnswer(report, evidence.AboutBlockWeight, item.Block.Number, noWeight)
	noAnswer(report, evidence.AboutExtrinsics, item.Block.Number, noExtrinsics)
	if report.DriftsOnEVM() {
		var around evidence.Neighbours
		var err error
		around.Multipliers, around.Rules, err = reader.Neighbours(ctx, item)
		if err != nil {
			report.NotAnswered(evidence.Question{About: evidence.AboutNeighbours, At: item.Block.Number, Why: err.Error()})
		}
		report.Diagnose(item.Block, item.Rules, around)
	}
	return report, ctx.Err()
}

// Single prices and proves one block as [Block] does, and compares it with its parent and with
// the multiplier that it left behind, for which it sends two more requests. A comparison that
// cannot be made is no error: the report's notes name it.
func Single(ctx context.Context, reader *source.Reader, item source.Item, o evidence.Options) (*evidence.Report, error) {
	var (
		before             chain.Optional[evidence.Predecessor]
		stored             chain.Optional[chain.StoredMultiplier]
		noBefore, noStored error
		asked              sync.WaitGroup
	)
	height := item.Block.Number
	if height == 0 { // it has no parent, and nothing was executed in it
		return Block(ctx, reader, item, o)
	}
	asked.Go(func() { before, noBefore = Before(ctx, reader, height) })
	asked.Go(func() { stored, noStored = reader.Stored(ctx, item.Block) })
	report, err := Block(ctx, reader, item, o)
	asked.Wait()
	if !source.CannotTell(noBefore) {
		noAnswer(report, evidence.AboutParent, height-1, noBefore)
	}
	if !source.CannotTell(noStored) {
		noAnswer(report, evidence.AboutMultiplier, height, noStored)
	}
	report.Follows(before)
	report.Stored(stored)
	report.Notes = append(report.Notes, report.Uncompared()...)
	return report, err
}

// noAnswer enters into a report why a question about the state at a height has no answer.
func noAnswer(r *evidence.Report, about evidence.Subject, at uint64, err error) {
	switch {
	case err == nil:
	case source.CannotTell(err):
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %v", about, err))
	default:
		r.NotAnswered(evidence.Question{About: about, At: at, Why: err.Error()})
	}
}

// Range proves the blocks of a range and delivers them in the order of the heights.
// Before is the block below the range, where it is known; the first block is not
// checked against it otherwise. An error is the last element, after all blocks before
// it but, perhaps, the last: that is held back where what it stored could not be read,
// and would be judged otherwise the next time. When the sequence has ended, also early,
// nothing of it is running any more: what is under way is broken off.
//
// What the last block stored is read like what the others did, and judged like it: an
// answer that is wrong is an error. Where there is none for now, the block's report says
// so, and it is no error: the range goes no further.
func (p *Prover) Range(ctx context.Context, blocks chain.Heights, before chain.Optional[evidence.Predecessor]) iter.Seq2[Proved, error] {
	return func(yield func(Proved, error) bool) {
		var last *Proved
		sequence := evidence.NewSequence(before)
		for x := range p.results(ctx, blocks) {
			if x.err != nil {
				// Who took all the time that a question has is not asked once more.
				if last != nil && !httpclient.TimedOut(x.err) {
					if stored, err := p.stored(ctx, last.Block); err == nil {
						if last.Report.Stored(stored); !yield(*last, nil) {
							return
						}
					}
				}
				yield(Proved{}, x.err)
				return
			}
			sequence.Add(x.Block, x.Report)
			if last != nil {
				if last.Report.Stored(x.Report.Multiplier); !yield(*last, nil) {
					return
				}
			}
			last = &x.Proved
		}
		stored, err := p.stored(ctx, last.Block)
		switch {
		case err == nil:
		case source.Passes(err) && ctx.Err() == nil:
			last.Report.NotAnswered(evidence.Question{About: evidence.AboutMultiplier, At: last.Block.Number, Why: err.Error()})
		default:
			yield(Proved{}, err)
			return
		}
		last.Report.Stored(stored)
		yield(*last, nil)
	}
}

// maxBytes is the text of all blocks that are proved at once, and of those that wait for
// their turn: with what is made of it, it takes some times as much memory. One block may
// be larger.
const maxBytes = 32 << 20

// results are those of a range's blocks, several in the making. An error of the source
// is the last. Whoever ends early waits for nothing.
func (p *Prover) results(ctx context.Context, blocks chain.Heights) iter.Seq[result] {
	read := func(yield func(result) bool) {
		// Blocks come in their order: while one is waited for, those behind it go on. So more
		// are begun than questions are under way, which the source limits itself.
		for item, err := range p.Reader.Range(ctx, blocks, 2*p.Concurrency) {
			if !yield(result{Proved{Item: item}, err}) {
				return
			}
		}
	}
	size := func(x result) int {
		if x.err != nil {
			return 0
		}
		return x.Block.Size
	}
	return inorder.Weighed(ctx, read, p.Concurrency, maxBytes, size, func(ctx context.Context, x result) result {
		if x.err != nil {
			return x
		}
		return p.prove(ctx, x.Item)
	})
}

// Follow proves the blocks of a chain as it grows; see source.Reader.Follow. What the
// proof needs and the source does not answer for now is asked for 10 times; then the
// block comes without it, and its report says so. Where the source's answer is wrong as
// often, that is an error. Where before is not known, the source is asked for the block below
// the first one.
func (p *Prover) Follow(ctx context.Context, heads source.Heads, o source.FollowOptions, before chain.Optional[evidence.Predecessor]) iter.Seq2[Proved, error] {
	ctx = httpclient.Briefly(ctx) // it asks again itself
	return func(yield func(Proved, error) bool) {
		var sequence *evidence.Sequence
		for item, err := range p.Reader.Follow(ctx, heads, o) {
			if err != nil {
				yield(Proved{}, err)
				return
			}
			x := p.patiently(ctx, item, o.Trouble)
			if x.err != nil {
				yield(Proved{}, x.err)
				return
			}
			if sequence == nil {
				if !before.Known() && x.Block.Number > 0 {
					if before, _ = Before(ctx, p.Reader, x.Block.Number); !before.Known() {
						x.Report.Follows(before)
					}
				}
				sequence = evidence.NewSequence(before)
			}
			sequence.Add(x.Block, x.Report)
			if !yield(x.Proved, nil) {
				return
			}
		}
	}
}

const (
	// maxAgain is how often a source that did not answer is asked again.
	maxAgain = 9
	// againAfter is how long it is left alone before.
	againAfter = time.Second
)

// patiently proves a block, and asks again for what was not answered. An error of
// [Prover.Prove] that passes is waited for however long it takes. Trouble is told once
// what is waited for.
func (p *Prover) patiently(ctx context.Context, item source.Item, trouble func(error)) result {
	told := false
	for again := 0; ; again++ {
		x := p.prove(ctx, item)
		missing := x.err
		if x.err == nil {
			missing = p.whole(ctx, &x)
		}
		waits := source.Passes(x.err) || (x.err == nil || source.Doubtful(x.err)) && again < maxAgain
		if missing == nil || !waits || ctx.Err() != nil {
			return x
		}
		if !told && trouble != nil {
			trouble(missing)
		}
		told = true
		select {
		case <-ctx.Done():
		case <-time.After(againAfter):
		}
	}
}

// whole checks a block by what it stored, and tells what is missing of its proof.
func (p *Prover) whole(ctx context.Context, x *result) (missing error) {
	stored, err := p.stored(ctx, x.Block)
	switch {
	case err == nil:
		x.Report.Stored(stored)
	case source.Passes(err) && ctx.Err() == nil:
		x.Report.NotAnswered(evidence.Question{About: evidence.AboutMultiplier, At: x.Block.Number, Why: err.Error()})
		x.Report.Stored(stored)
		return err
	default:
		x.err = err
		return err
	}
	if len(x.Report.Unanswered) > 0 {
		return errors.New(x.Report.Unanswered[0].String())
	}
	return nil
}

// Before is the block below a height. It is not known below block 0, and where the source
// lacks it.
func Before(ctx context.Context, reader *source.Reader, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	if height == 0 {
		return none, nil
	}
	b, err := reader.Source.Block(ctx, height-1)
	if source.Lacks(err) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	made, _ := b.Time() // one that cannot be read is not known; the hash is
	return chain.Some(evidence.Predecessor{Number: b.Number, Hash: b.Hash, Time: made}), nil
}

// stored is the multiplier that a block left behind, not known where an archive lacks
// it.
func (p *Prover) stored(ctx context.Context, b *chain.Block) (none chain.Optional[chain.StoredMultiplier], err error) {
	stored, err := p.Reader.Stored(ctx, b)
	if errors.Is(err, chain.ErrNotKept) {
		return none, nil
	}
	return stored, err
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
