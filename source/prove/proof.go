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

// Prover configures the verification of blocks.
type Prover struct {
	Reader  *source.Reader
	Options evidence.Options
	// Concurrency is the number of requests, and of blocks being verified, at once.
	Concurrency int
	// Prove verifies one block; nil means Block. It runs for several blocks at once. The balances that it reads, if any,
	// are delivered with the block; an error ends the range.
	Prove func(context.Context, source.Item) (*evidence.Report, []chain.Balance, error)
}

// Proved is a block with the results of its verification.
type Proved struct {
	source.Item
	Report   *evidence.Report
	Balances []chain.Balance // those that Prover.Prove read
}

// Block prices and verifies one block. It requests further data only as needed: the parameter for the split of
// fees, the block's weight as counted by the chain if the multiplier follows from it, the encoded extrinsics
// and, with signature checks, the signers of native ones unless they are in the options, what a node's runtime
// answers if the options ask for it, and more data if an EVM fee drifts, to find the cause. The report states whether the block is proved or only reported by the
// source. A request that fails for now is in the report as a question that can be retried.
//
// An error means that ctx has ended. The report is returned nonetheless, without the missing data.
func Block(ctx context.Context, reader *source.Reader, item source.Item, o evidence.Options) (*evidence.Report, error) {
	priced := fee.Price(item.Block, &item.Rules, item.Multiplier)
	o.Trusted = reader.Proved()
	o.Final = reader.Final()
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
	var noRuntime error
	if indexes := evidence.AsksQueryInfo(item.Block, priced, &item.Rules); o.AskRuntime && len(indexes) > 0 {
		encoded, _ := o.Encoded.Get()
		o.QueryInfos, noRuntime = reader.QueryInfos(ctx, item, encoded, indexes)
	}
	if o.AskRuntime && evidence.AsksReceipts(priced, &item.Rules) && noRuntime == nil {
		o.Receipts, noRuntime = reader.EthReceipts(ctx, item)
	}
	asked.Wait()
	report := evidence.Prove(item.Block, priced, item.Rules, o)
	noAnswer(report, evidence.AboutProportion, item.Block.Number-1, noProportion)
	noAnswer(report, evidence.AboutBlockWeight, item.Block.Number, noWeight)
	noAnswer(report, evidence.AboutExtrinsics, item.Block.Number, noExtrinsics)
	noAnswer(report, evidence.AboutRuntime, item.Block.Number-1, noRuntime)
	if report.DriftsOnEVM() {
		var around evidence.Neighbours
		var err error
		around.Multipliers, around.Rules, err = reader.Neighbours(ctx, item)
		if err != nil {
			report.NotAnswered(evidence.FailedRequest{About: evidence.AboutNeighbours, At: item.Block.Number, Why: err.Error()})
		}
		report.Diagnose(item.Block, item.Rules, around)
	}
	return report, ctx.Err()
}

// Single prices and verifies one block as [Block] does, and compares it with its parent and with the
// multiplier that it stored, which takes two more requests. A comparison that cannot be made is not an error:
// the report's notes name it.
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
	asked.Go(func() { stored, noStored = reader.StoredMultiplier(ctx, item) })
	report, err := Block(ctx, reader, item, o)
	asked.Wait()
	if !source.IsUnsupported(noBefore) {
		noAnswer(report, evidence.AboutParent, height-1, noBefore)
	}
	if !source.IsUnsupported(noStored) {
		noAnswer(report, evidence.AboutMultiplier, height, noStored)
	}
	report.CheckPredecessor(before)
	report.CheckStoredMultiplier(stored)
	report.Notes = append(report.Notes, report.Uncompared()...)
	return report, err
}

// noAnswer records in a report why a request about the state at a height failed.
func noAnswer(r *evidence.Report, about evidence.Subject, at uint64, err error) {
	switch {
	case err == nil:
	case source.IsUnsupported(err):
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %v", about, err))
	default:
		r.NotAnswered(evidence.FailedRequest{About: about, At: at, Why: err.Error()})
	}
}

// Range verifies the blocks of a range and delivers them in order of height. Before is the block below the
// range, if known; otherwise the first block is not checked against it. An error is the last element, after
// all blocks before it, possibly except the last: that block is held back if the multiplier that it stored
// could not be read, because a retry might change its result. When the sequence ends, even early, all its work
// has been cancelled.
//
// The multiplier stored by the last block is read and checked like the others: a wrong response is an error. A
// missing one is not an error but is recorded in the block's report, because the range ends there.
func (p *Prover) Range(ctx context.Context, blocks chain.Heights, before chain.Optional[evidence.Predecessor]) iter.Seq2[Proved, error] {
	return func(yield func(Proved, error) bool) {
		var last *Proved
		sequence := evidence.NewSequence(before)
		for x := range p.results(ctx, blocks) {
			if x.err != nil {
				// After a timeout the request is not retried.
				if last != nil && !httpclient.TimedOut(x.err) {
					if stored, err := p.stored(ctx, last.Item); err == nil {
						if last.Report.CheckStoredMultiplier(stored); !yield(*last, nil) {
							return
						}
					}
				}
				yield(Proved{}, x.err)
				return
			}
			sequence.Add(x.Block, x.Report)
			if last != nil {
				if last.Report.CheckStoredMultiplier(x.Report.Multiplier); !yield(*last, nil) {
					return
				}
			}
			last = &x.Proved
		}
		stored, err := p.stored(ctx, last.Item)
		switch {
		case err == nil:
		case source.IsTransient(err) && ctx.Err() == nil:
			last.Report.NotAnswered(evidence.FailedRequest{About: evidence.AboutMultiplier, At: last.Block.Number, Why: err.Error()})
		default:
			yield(Proved{}, err)
			return
		}
		last.Report.CheckStoredMultiplier(stored)
		yield(*last, nil)
	}
}

// maxBytes limits the size of all blocks that are being verified or waiting for their turn: together with
// derived data they take several times as much memory. A single block may be larger.
const maxBytes = 32 << 20

// results yields the results for a range's blocks, several of which are in progress. An error of the source is
// last. A caller that stops early does not wait.
func (p *Prover) results(ctx context.Context, blocks chain.Heights) iter.Seq[*result] {
	read := func(yield func(*result) bool) {
		// Blocks are delivered in order: while one is pending, later ones proceed. So more are started than there are
		// requests in flight, which the source limits itself.
		for item, err := range p.Reader.Range(ctx, blocks, 2*p.Concurrency) {
			if !yield(&result{Proved{Item: item}, err}) {
				return
			}
		}
	}
	size := func(x *result) int {
		if x.err != nil {
			return 0
		}
		return x.Block.Size
	}
	return inorder.Weighed(ctx, read, p.Concurrency, maxBytes, size, func(ctx context.Context, x *result) *result {
		if x.err == nil {
			p.prove(ctx, x)
		}
		return x
	})
}

// Follow verifies the blocks of a chain as it grows; see source.Reader.Follow. Data that the source does not
// return is requested 10 times; then the block is delivered without it, and its report says so. After as many
// wrong responses Follow returns an error. If before is unknown, Follow requests the block below the first
// one.
func (p *Prover) Follow(ctx context.Context, heads source.Heads, o source.FollowOptions, before chain.Optional[evidence.Predecessor]) iter.Seq2[Proved, error] {
	ctx = httpclient.Briefly(ctx) // it retries itself
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
						x.Report.CheckPredecessor(before)
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
	// maxRetries is the number of retries after a failed request.
	maxRetries = 9
	// retryPause is the pause before a retry.
	retryPause = time.Second
)

// patiently verifies a block, and retries failed requests. It waits out transient errors of [Prover.Prove]
// without limit. It calls trouble once with the reason for waiting.
func (p *Prover) patiently(ctx context.Context, item source.Item, trouble func(error)) *result {
	reported := false
	for again := 0; ; again++ {
		x := &result{Proved: Proved{Item: item}}
		p.prove(ctx, x)
		missing := x.err
		if x.err == nil {
			missing = p.whole(ctx, x)
		}
		waits := source.IsTransient(x.err) || (x.err == nil || source.IsBadResponse(x.err)) && again < maxRetries
		if missing == nil || !waits || ctx.Err() != nil {
			return x
		}
		if !reported && trouble != nil {
			trouble(missing)
		}
		reported = true
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// whole checks a block against the multiplier that it stored, and returns what its proof lacks.
func (p *Prover) whole(ctx context.Context, x *result) (missing error) {
	stored, err := p.stored(ctx, x.Item)
	switch {
	case err == nil:
		x.Report.CheckStoredMultiplier(stored)
	case source.IsTransient(err) && ctx.Err() == nil:
		x.Report.NotAnswered(evidence.FailedRequest{About: evidence.AboutMultiplier, At: x.Block.Number, Why: err.Error()})
		x.Report.CheckStoredMultiplier(stored)
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

// Before returns the block below a height. It is unknown for block 0, and if the source does not have it.
func Before(ctx context.Context, reader *source.Reader, height uint64) (none chain.Optional[evidence.Predecessor], err error) {
	if height == 0 {
		return none, nil
	}
	b, err := reader.Source.Block(ctx, height-1)
	if source.IsMissing(err) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	made, _ := b.Time() // unknown if it cannot be decoded; the hash is known
	return chain.Some(evidence.Predecessor{Number: b.Number, Hash: b.Hash, Time: made}), nil
}

// stored returns the multiplier that a block stored; unknown if an archive does not have it.
func (p *Prover) stored(ctx context.Context, item source.Item) (none chain.Optional[chain.StoredMultiplier], err error) {
	stored, err := p.Reader.StoredMultiplier(ctx, item)
	if errors.Is(err, chain.ErrNotKept) {
		return none, nil
	}
	return stored, err
}

// result is a verified block, or an error.
type result struct {
	Proved
	err error
}

// prove verifies the result's block.
func (p *Prover) prove(ctx context.Context, x *result) {
	if p.Prove == nil {
		x.Report, x.err = Block(ctx, p.Reader, x.Item, p.Options)
	} else {
		x.Report, x.Balances, x.err = p.Prove(ctx, x.Item)
	}
}
