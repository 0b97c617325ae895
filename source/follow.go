package source

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
)

// FollowOptions configures Follow. Zero values mean the defaults.
type FollowOptions struct {
	// From is the first height, in the past or the future; by default the first head received.
	From chain.Optional[uint64]
	// Concurrency is the number of blocks to read at once during catch-up, as in [Reader.Range].
	Concurrency int
	// Patience is the time without a new block after which trouble is reported; a minute by default, several times
	// as long as it takes to produce and finalize a block. It must be longer than the interval between heads.
	Patience time.Duration
	// Trouble is called with the reason for waiting, unless that is just the next block: once, not for each
	// attempt, until the reason changes or a block is delivered. A source that is behind the head is reported only
	// after Patience. Trouble is called between two blocks, never at the same time as the loop's body.
	Trouble func(error)
	// Doubt runs after Patience without progress. It reports whether heads and source are on the same chain; an
	// error ends the sequence. If nil, they are assumed to be.
	Doubt func(context.Context) error
}

// DefaultPatience is the default of [FollowOptions].
const DefaultPatience = time.Minute

// Follow delivers each final block once, in order, as Read would return it, checks that each is the parent of
// the next, and waits for more. It ends only after the last block of a source that never grows, or of a chain
// that has ended according to its table (network.Rules.LastBlock). It never reads blocks that are not final,
// even with Unfinalized.
//
// Heads report the final blocks available; they are read as in [Reader.Range]. A block that arrives alone
// takes three requests: for the block, its multiplier, and the runtime after its parent.
//
// Follow waits out transient conditions, without limit: a gateway or a node that is unreachable, busy or
// failing, a block that is announced but not yet available or not yet final, a head that is stuck or goes
// back, or is above what the source contains. It retries wrong responses (malformed, for a different block, no such endpoint, a web page, a rejected
// key) 10 times within a minute. Anything else is an error, the last element: a different chain ([ForkError]),
// a head that is not the block already delivered at its height, an unknown network, a request that the gateway rejects, a
// first block missing from an archive. The end of ctx is an error too. When the sequence ends, all its work has stopped.
func (r *Reader) Follow(ctx context.Context, heads Heads, o FollowOptions) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		ctx, cancel := context.WithCancel(httpclient.Briefly(ctx)) // it retries itself
		f := follower{reader: *r, heads: heads, options: o, yield: yield, lastGrowth: time.Now()}
		f.reader.Unfinalized = false
		f.options.Patience = cmp.Or(o.Patience, DefaultPatience)
		f.next, f.started = o.From.Get()
		defer f.listening.Wait()
		defer cancel()
		if err := f.run(ctx); err != nil && !f.left {
			yield(Item{}, err)
		}
	}
}

// follower follows a chain as it grows.
type follower struct {
	reader  Reader
	heads   Heads
	options FollowOptions
	yield   func(Item, error) bool
	left    bool // by the caller

	started   bool   // next is known
	next      uint64 // the next height to deliver
	trail     trail
	delivered bool // at least one block was
	ended     bool // the chain's last block was

	lastGrowth time.Time // of the chain, or of the delivered part
	failures   int       // consecutive
	doubts     int       // consecutive wrong responses
	reported   string    // the trouble last reported to the caller

	listening sync.WaitGroup
}

// maxDoubts is the number of retries after a wrong response.
const maxDoubts = 9

var errNoHead = errors.New("no final head received yet")

// run follows the chain until ctx or the heads end, or the caller stops.
func (f *follower) run(ctx context.Context) error {
	fromHeads := f.listen(ctx)
	for !f.left {
		var n news
		select {
		case <-ctx.Done():
		case n = <-fromHeads:
		case <-time.After(f.options.Patience):
			if err := f.doubt(ctx); err != nil {
				return err
			}
			f.report(f.silence())
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if head, ok := n.head.Get(); ok {
			if err := f.goTo(ctx, head); err != nil || f.ended {
				return err
			}
		}
		switch {
		case !n.ended:
		case n.err == nil:
			return f.end(ctx)
		default:
			if err := f.wait(ctx, n.err); err != nil {
				return err
			}
			fromHeads = f.listen(ctx)
		}
	}
	return nil
}

// news is the latest report of the heads not yet processed.
type news struct {
	head  chain.Optional[chain.Head] // the last one received
	ended bool                       // there will be no more
	err   error                      // the reason, if it is an error
}

// listen collects the heads while blocks are read: only the last one counts.
func (f *follower) listen(ctx context.Context) <-chan news {
	unseen := make(chan news, 1)
	put := func(n news) {
		select {
		case before := <-unseen:
			if !n.head.Known() {
				n.head = before.head
			}
		default:
		}
		unseen <- n
	}
	f.listening.Go(func() {
		for head, err := range f.heads(ctx) {
			if err != nil {
				put(news{ended: true, err: err})
				return
			}
			put(news{head: chain.Some(head)})
		}
		put(news{ended: true})
	})
	return unseen
}

// goTo reads up to a new head.
func (f *follower) goTo(ctx context.Context, head chain.Head) error {
	f.failures, f.doubts = 0, 0
	before, known := f.trail.head.Get()
	f.trail.head = chain.Some(head)
	if !f.started {
		f.next, f.started = head.Number, true
	}
	if err := f.checkDelivered(head); err != nil {
		return err
	}
	switch {
	case !known || head.Number > before.Number:
		f.lastGrowth = time.Now()
	case head.Number < before.Number:
		f.lastGrowth = time.Now() // it may return as fast as it grows
		f.report(&headError{head.Number, before.Number})
	case f.impatient():
		if err := f.doubt(ctx); err != nil {
			return err
		}
		f.report(f.silence())
	}
	return f.upTo(ctx, head)
}

// checkDelivered compares a head with the last block, if that is the block that the head announces.
func (f *follower) checkDelivered(head chain.Head) error {
	announced, known := head.Hash.Get()
	if have, delivered := f.trail.hash.Get(); known && delivered && head.Number == f.next-1 && announced != have {
		return differentHead(head.Number, "hash", have, announced)
	}
	return nil
}

// upTo delivers the blocks up to a head, or what a source that never grows has of them.
func (f *follower) upTo(ctx context.Context, head chain.Head) error {
	kept, err := Kept(f.reader.Source)
	if err != nil {
		return err
	}
	last := min(head.Number, maxHeight)
	all, fixed := kept.Get()
	if fixed && f.next <= all.Last {
		last = min(last, all.Last)
	}
	err = f.advance(ctx, last)
	f.ended = f.ended || fixed && f.delivered && f.next > all.Last
	return err
}

// advance delivers the blocks up to a height, however long that takes.
func (f *follower) advance(ctx context.Context, last uint64) error {
	for f.next <= last && !f.left {
		if err := f.read(ctx, last); err != nil {
			if err := f.wait(ctx, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// read delivers the blocks up to a height, or until an error.
func (f *follower) read(ctx context.Context, last uint64) (failed error) {
	f.reader.deliver(ctx, chain.Heights{First: f.next, Last: last}, f.options.Concurrency, &f.trail, func(item Item, err error) bool {
		if failed = err; err != nil {
			return false
		}
		f.next++
		f.delivered, f.failures, f.doubts, f.reported = true, 0, 0, ""
		f.ended = item.Block.Number == last && item.Rules.Ends(last)
		f.left = !f.yield(item, nil)
		f.lastGrowth = time.Now() // however long the caller took
		return !f.left
	})
	return failed
}

// end handles the end of the heads. If no block was delivered, From is beyond them, and the source's error
// reports the blocks that it has.
func (f *follower) end(ctx context.Context) error {
	if f.delivered || !f.started {
		return nil
	}
	return f.advance(ctx, f.next)
}

// wait pauses after a transient error. It returns any other error.
func (f *follower) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	behind := lags(err) || f.isAbove(ctx, err)
	switch {
	case !grows(f.reader.Source) && !errors.As(err, new(*TemporaryError)): // it would always respond the same
		return err
	case temporary(err), behind:
	case IsBadResponse(err) && f.doubts < maxDoubts:
		f.doubts++
	default:
		return err
	}
	if behind && f.impatient() {
		if err := f.doubt(ctx); err != nil {
			return err
		}
	}
	switch {
	case httpclient.FailureOf(err) == httpclient.NodeLost && f.impatient():
		f.report(&lostNodeError{f.options.Patience})
	case !behind || f.impatient():
		f.report(err)
	}
	f.failures++
	if !httpclient.Sleep(ctx, pauses.Pause(f.failures, err)) {
		return ctx.Err()
	}
	return nil
}

func (f *follower) doubt(ctx context.Context) error {
	if f.options.Doubt == nil {
		return nil
	}
	return f.options.Doubt(ctx)
}

// isAbove reports whether a source that contains only part of the chain ends below the next block.
func (f *follower) isAbove(ctx context.Context, err error) bool {
	if !errors.Is(err, chain.ErrNotKept) {
		return false
	}
	head, err := f.reader.Source.FinalHead(ctx)
	return err == nil && head.Number < f.next
}

func (f *follower) impatient() bool { return time.Since(f.lastGrowth) > f.options.Patience }

// silence returns the reason why no new head arrives.
func (f *follower) silence() error {
	head, known := f.trail.head.Get()
	if !known {
		return errNoHead
	}
	return &headError{head.Number, head.Number}
}

// report calls Trouble, unless it was called with the same trouble before.
func (f *follower) report(trouble error) {
	if text := trouble.Error(); f.reported != text {
		f.reported = text
		if f.options.Trouble != nil {
			f.options.Trouble(trouble)
		}
	}
}
