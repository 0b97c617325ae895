package nodeclient

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
)

// SubscribeFinalizedHeads follows the finalized chain, from a height on or, where
// none is given, from the head that the node announces first.
//
// Each height is delivered once, in order, without gaps, and with its hash; the
// ParentHash of each header is the hash of the one before. What the node announces
// says only how far the chain is. Each header is asked for by its own hash, so that
// announcements that are missed, repeated or late change nothing.
//
// After a broken connection the node is dialled and subscribed to again, for
// [Options].Reconnect at most, and the headers in between are fetched. While the
// node is silent it is asked, every [Options].Timeout, where its head is.
//
// The iteration ends without an error when ctx does or the caller leaves the loop;
// either unsubscribes. It ends with an error, which comes with a zero Header, where
// the node cannot be reached to begin with or does not come back, does not have
// such subscriptions, sends what is malformed, or left the chain that was followed
// ([ErrFork]). Over HTTP it ends with [ErrNoSubscriptions] at once.
func (c *Client) SubscribeFinalizedHeads(ctx context.Context, from chain.Optional[uint64]) iter.Seq2[Header, error] {
	return c.heads(ctx, finalizedHeads, from)
}

// SubscribeNewHeads follows the branch that the node takes for the best, whose
// newest blocks may yet be replaced. It is as [Client.SubscribeFinalizedHeads],
// but for what happens then: where blocks that were delivered are replaced by
// others (a reorganisation), the others are delivered, from the lowest that differs
// on. So each header either follows the one before, in number and ParentHash, or has
// a number that is not above it, which takes back what was delivered for that height
// and all above; its ParentHash is then the hash delivered last for the height below.
//
// Branches that came and went between two announcements are not delivered. A
// reorganisation is followed down to the first height delivered, and at most
// 256 heights below the last.
func (c *Client) SubscribeNewHeads(ctx context.Context, from chain.Optional[uint64]) iter.Seq2[Header, error] {
	return c.heads(ctx, newHeads, from)
}

func (c *Client) heads(ctx context.Context, f feed, from chain.Optional[uint64]) iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		if c.socket == nil {
			yield(Header{}, ErrNoSubscriptions)
			return
		}
		w := walk{client: c, feed: f, hashes: map[uint64]chain.Hash{}, well: time.Now(), yield: yield}
		w.next, w.started = from.Get()
		if err := w.run(ctx); err != nil {
			yield(Header{}, c.reason(err))
		}
	}
}

// walk goes along a chain as it grows.
type walk struct {
	client  *Client
	feed    feed
	started bool                  // next is known
	next    uint64                // the height to be delivered next
	hashes  map[uint64]chain.Hash // delivered, of the newest heights
	yield   func(Header, error) bool
	stopped bool // by the caller

	opened   bool      // there was a subscription
	well     time.Time // when something last went as it should
	failures int       // since then
}

// remembered is how many hashes a walk keeps: 25 minutes of blocks, one every six
// seconds. What is older is final long since.
const remembered = 256

// run follows the chain until the caller has enough of it. Its error is the reason
// for any other end.
func (w *walk) run(ctx context.Context) error {
	for {
		err := w.listen(ctx)
		switch {
		case w.stopped || ctx.Err() != nil:
			return nil
		case !w.opened || !passing(err) || time.Since(w.well) > w.client.options.Reconnect:
			return err
		}
		if !sleep(ctx, w.client.socket.attempts.pause(w.failures)) {
			return nil
		}
		w.failures++
	}
}

// Temporary tells whether what ended a subscription may be over when it is opened
// again: a node that is gone, busy, or refuses it for now.
func Temporary(err error) bool { return passing(err) }

// passing tells whether a subscription may outlive an error.
func passing(err error) bool {
	var refused *RPCError
	return temporary(err) ||
		errors.Is(err, errEnded) ||
		errors.Is(err, chain.ErrNoBlock) || // of a branch that was given up meanwhile
		errors.As(err, &refused) && !errors.Is(err, ErrNoMethod)
}

// wentWell forgets the failures before.
func (w *walk) wentWell() { w.well, w.failures = time.Now(), 0 }

// listen subscribes, and goes as far as is announced until something goes wrong.
func (w *walk) listen(ctx context.Context) error {
	connection, s, err := w.subscribe(ctx)
	if err != nil {
		return err
	}
	defer connection.unsubscribe(s)
	w.opened = true
	for !w.stopped {
		var news announced
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-connection.broken:
			return connection.err
		case news = <-s.news:
		case <-time.After(w.client.options.Timeout):
			news = w.look(ctx)
		}
		if news.err != nil {
			return news.err
		}
		if !w.started {
			w.next, w.started = news.first, true
		}
		if err := w.advance(ctx, news.last); err != nil {
			return err
		}
		w.wentWell()
	}
	return nil
}

func (w *walk) subscribe(ctx context.Context) (*connection, *subscription, error) {
	ctx, done := w.client.bounded(ctx)
	defer done()
	connection, err := w.client.socket.connection(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", w.feed.subscribe, err)
	}
	s, err := connection.subscribe(ctx, w.feed)
	return connection, s, err
}

// look asks how far the chain is.
func (w *walk) look(ctx context.Context) announced {
	var block chain.Optional[chain.Hash]
	if w.feed.final {
		hash, err := w.client.FinalizedHead(ctx)
		if err != nil {
			return announced{err: err}
		}
		block = chain.Some(hash)
	}
	h, err := w.client.Header(ctx, block)
	return announced{h.Number, h.Number, err}
}

// advance delivers what is new in a chain that has that head.
func (w *walk) advance(ctx context.Context, head uint64) error {
	height := w.next
	if head < height {
		if _, known := w.hashes[head]; !known || w.feed.final {
			return nil
		}
		height = head
	}
	for ; height <= head && !w.stopped; height = w.next {
		hash, err := w.client.BlockHash(ctx, height)
		if err != nil {
			return err
		}
		if delivered, known := w.hashes[height]; known && delivered == hash { // announced before
			return nil
		}
		branch, err := w.branch(ctx, height, hash)
		if err != nil {
			return err
		}
		for _, h := range slices.Backward(branch) {
			if w.deliver(h); w.stopped {
				return nil
			}
		}
	}
	return nil
}

// branch is the block at a height with its ancestors, newest first, down to the
// one whose parent was delivered.
func (w *walk) branch(ctx context.Context, height uint64, hash chain.Hash) ([]Header, error) {
	var branch []Header
	for {
		h, err := w.client.Header(ctx, chain.Some(hash))
		if err != nil {
			return nil, err
		}
		if h.Number != height {
			return nil, fmt.Errorf("block %d: %w: it has number %d", height, chain.ErrWrongBlock, h.Number)
		}
		branch = append(branch, h)
		below, known := w.hashes[height-1] // at height 0 there is none
		if !known || below == h.ParentHash {
			return branch, nil
		}
		if w.feed.final {
			return nil, fmt.Errorf("block %d: %w: have parent %v, want %v", height, ErrFork, h.ParentHash, below)
		}
		height, hash = height-1, h.ParentHash
	}
}

func (w *walk) deliver(h Header) {
	for height := h.Number + 1; height < w.next; height++ {
		delete(w.hashes, height) // on a branch that was left
	}
	w.hashes[h.Number], _ = h.Hash.Get()
	delete(w.hashes, h.Number-remembered)
	w.next = h.Number + 1
	w.wentWell()
	w.stopped = !w.yield(h, nil)
}
