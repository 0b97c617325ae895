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

// FollowOptions say how a chain is followed. Zero values mean the defaults.
type FollowOptions struct {
	// From is the height to begin at, which may be long past or yet to come; the
	// head that is heard of first by default.
	From chain.Optional[uint64]
	// Concurrency is how many blocks are read at once while there are several to
	// be read, as in [Reader.Range].
	Concurrency int
	// Patience is how long the chain may not grow before that is trouble; a minute by
	// default, several times what a block takes to be made and to be final. It must
	// be longer than the pauses between the heads.
	Patience time.Duration
	// Trouble is told what is being waited for other than the next block: once, not
	// for each attempt, until it changes or a block was delivered. That the source
	// is behind the head is none before it takes longer than Patience. It is called
	// between two blocks, never at the same time as the loop's body.
	Trouble func(error)
	// Doubt is asked where the chain does not grow for longer than Patience, or its blocks
	// do not come, whether heads and source are of one chain. An error of it ends the
	// sequence. Nil: they are.
	Doubt func(context.Context) error
}

// DefaultPatience is that of [FollowOptions].
const DefaultPatience = time.Minute

// Follow delivers each final block once, in order, each as Read would, checks
// that each is the parent of the next, and waits for more: it never ends by
// itself, but after the last block of a source that never grows, and of a chain that
// has ended, as its table says (network.Rules.LastBlock).
// Blocks that are not final are not read, whatever Unfinalized says.
//
// Heads say how far there are final blocks; those up to there are read as in
// [Reader.Range]. A block that comes alone takes three questions: its own, its
// multiplier's, and the one for the runtime that its parent left behind.
//
// What passes is waited for, for ever: a gateway or a node that is gone, busy or fails, a
// block that is announced and not there yet, or there and not final yet, a head
// that stands still or goes back. An answer that is wrong (malformed, for another
// block, no such endpoint, a web page, a refused key) is asked for 10 times within a minute. All else is an
// error, the last element: a chain that is not the one that was followed
// ([ForkError]), an unknown network, a request that the gateway refuses, a block
// that an archive lacks. The end of ctx is an error too. When the sequence has
// ended, nothing of it is running any more.
func (r *Reader) Follow(ctx context.Context, heads Heads, o FollowOptions) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		ctx, cancel := context.WithCancel(httpclient.Briefly(ctx)) // it asks again itself
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

// follower goes along a chain as it grows.
type follower struct {
	reader  Reader
	heads   Heads
	options FollowOptions
	yield   func(Item, error) bool
	left    bool // by the caller

	started   bool   // next is known
	next      uint64 // the height to be delivered next
	trail     trail
	delivered bool // something was
	ended     bool // the chain's last block was

	lastGrowth time.Time // of the chain, or of what is delivered of it
	failures   int       // in a row
	doubts     int       // wrong answers in a row
	told       string    // the trouble that the caller knows of

	listening sync.WaitGroup
}

// maxDoubts is how often a wrong answer is asked for again.
const maxDoubts = 9

var errNoHead = errors.New("no final head was heard of yet")

// run follows the chain to the end of ctx, of the heads, or of the caller's
// interest.
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
			f.tell(f.silence())
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

// news is what the heads told and nobody has seen yet.
type news struct {
	head  chain.Optional[chain.Head] // the last of them
	ended bool                       // there will be no more
	err   error                      // why not, if it is one
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

// goTo goes to where the chain is now.
func (f *follower) goTo(ctx context.Context, head chain.Head) error {
	f.failures, f.doubts = 0, 0
	before, known := f.trail.head.Get()
	f.trail.head = chain.Some(head)
	if !f.started {
		f.next, f.started = head.Number, true
	}
	switch {
	case !known || head.Number > before.Number:
		f.lastGrowth = time.Now()
	case head.Number < before.Number:
		f.lastGrowth = time.Now() // it may come back as fast as it grows
		f.tell(&headError{head.Number, before.Number})
	case f.impatient():
		if err := f.doubt(ctx); err != nil {
			return err
		}
		f.tell(f.silence())
	}
	return f.advance(ctx, head.Number)
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

// read delivers the blocks up to a height, or to where it fails.
func (f *follower) read(ctx context.Context, last uint64) (failed error) {
	f.reader.deliver(ctx, chain.Heights{First: f.next, Last: last}, f.options.Concurrency, &f.trail, func(item Item, err error) bool {
		if failed = err; err != nil {
			return false
		}
		f.next++
		f.delivered, f.failures, f.doubts, f.told = true, 0, 0, ""
		f.ended = item.Block.Number == last && item.Rules.Ends(last)
		f.left = !f.yield(item, nil)
		f.lastGrowth = time.Now() // however long the caller took
		return !f.left
	})
	return failed
}

// end is for heads that came to an end. Where no block was delivered, from is
// beyond them, and the source says what it has instead.
func (f *follower) end(ctx context.Context) error {
	if f.delivered || !f.started {
		return nil
	}
	return f.advance(ctx, f.next)
}

// wait lets pass what an error says. It returns the error where that is no use.
func (f *follower) wait(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case !grows(f.reader.Source) && !errors.As(err, new(*TemporaryError)): // it answers the same for ever
		return err
	case temporary(err):
	case Doubtful(err) && f.doubts < maxDoubts:
		f.doubts++
	default:
		return err
	}
	if lags(err) && f.impatient() {
		if err := f.doubt(ctx); err != nil {
			return err
		}
	}
	switch {
	case httpclient.FailureOf(err) == httpclient.NodeLost && f.impatient():
		f.tell(&lostNodeError{f.options.Patience})
	case !lags(err) || f.impatient():
		f.tell(err)
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

func (f *follower) impatient() bool { return time.Since(f.lastGrowth) > f.options.Patience }

// silence is what it means that nothing new is heard.
func (f *follower) silence() error {
	head, known := f.trail.head.Get()
	if !known {
		return errNoHead
	}
	return &headError{head.Number, head.Number}
}

// tell tells the caller of trouble that is new.
func (f *follower) tell(trouble error) {
	if text := trouble.Error(); f.told != text {
		f.told = text
		if f.options.Trouble != nil {
			f.options.Trouble(trouble)
		}
	}
}
