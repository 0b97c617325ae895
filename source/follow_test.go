package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// growing is a gateway with a node behind it, whose chain grows under a test's control.
type growing struct {
	synthetic
	guard sync.Mutex
	state state
}

// state is the state of a gateway for a while.
type state struct {
	head      uint64 // the final head that it reports
	has       uint64 // its highest block
	final     uint64 // the highest block that it reports as final
	down      bool   // nothing responds
	malformed bool   // all responses are
	other     bool   // it has blocks of another chain
	noRuntime bool   // it has no endpoint for runtimes
}

var (
	errDown      = &httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Gateway, Address: "http://gateway"}, Err: errors.New("connection refused")}
	errMalformed = &sidecar.DecodeError{What: "answer", Err: errors.New("the text ends too early")}
)

func newGrowing(head uint64, upgrades ...uint64) *growing {
	g := &growing{synthetic: synthetic{upgrades: upgrades}}
	g.grow(head)
	g.block = func(b *chain.Block) error {
		now := g.now()
		b.Finalized = chain.Some(b.Number <= now.final)
		if now.other {
			b.Hash[31]++
			b.ParentHash[31]++
		}
		return now.there(b.Number)
	}
	g.multiplier = func(m *chain.AtBlock[chain.Multiplier]) error {
		now := g.now()
		if now.other {
			m.AtHash = chain.Optional[chain.Hash]{}
		}
		return now.there(m.At)
	}
	g.runtime = func(r *chain.AtBlock[chain.Runtime]) error {
		now := g.now()
		if now.other {
			r.AtHash = chain.Optional[chain.Hash]{}
		}
		if now.noRuntime {
			return chain.ErrNotOffered
		}
		return now.there(r.At)
	}
	return g
}

func (g *growing) now() state {
	g.guard.Lock()
	defer g.guard.Unlock()
	return g.state
}

func (g *growing) set(change func(*state)) {
	g.guard.Lock()
	defer g.guard.Unlock()
	change(&g.state)
}

// grow makes the chain end at a height, everywhere.
func (g *growing) grow(height uint64) {
	g.set(func(s *state) { s.head, s.has, s.final = height, height, height })
}

func (s state) there(height uint64) error {
	switch {
	case s.down:
		return errDown
	case s.malformed:
		return errMalformed
	case height > s.has:
		return fmt.Errorf("block %d: %w", height, chain.ErrNoBlock)
	}
	return nil
}

func (g *growing) FinalHead(context.Context) (chain.Head, error) {
	now := g.now()
	return chain.Head{Number: now.head}, now.there(0)
}

func (g *growing) reader() *source.Reader {
	return &source.Reader{Source: g, Tables: network.BuiltIn(), Unfinalized: true}
}

// announcer is a node that announces heads under a test's control.
type announcer struct {
	news   chan chain.Head
	broken chan error
	opened int
}

func newAnnouncer() *announcer {
	return &announcer{news: make(chan chain.Head), broken: make(chan error)}
}

func (a *announcer) heads(ctx context.Context) iter.Seq2[chain.Head, error] {
	return func(yield func(chain.Head, error) bool) {
		a.opened++
		for {
			select {
			case <-ctx.Done():
				return
			case err := <-a.broken:
				yield(chain.Head{}, err)
				return
			case head := <-a.news:
				if !yield(head, nil) {
					return
				}
			}
		}
	}
}

func (a *announcer) announce(height uint64) {
	a.news <- chain.Head{Number: height, Hash: chain.Some(hashOf(height))}
}

// followed records the observations of a chain's follower.
type followed struct {
	cancel   func()
	guard    sync.Mutex
	heights  []uint64
	troubles []string
	err      error // the last element, if it was an error
	ended    bool
}

// follow follows a chain in the background, and checks each block.
func follow(t *testing.T, g *growing, heads source.Heads, o source.FollowOptions) *followed {
	ctx, cancel := context.WithCancel(t.Context())
	f := &followed{cancel: cancel}
	o.Concurrency = 4
	o.Trouble = func(err error) { f.see(func() { f.troubles = append(f.troubles, err.Error()) }) }
	go func() {
		defer f.see(func() { f.ended = true })
		for item, err := range g.reader().Follow(ctx, heads, o) {
			f.see(func() {
				if f.err != nil {
					t.Errorf("%v is not the last element", f.err)
				}
				if f.err = err; err == nil {
					f.heights = append(f.heights, item.Block.Number)
				}
			})
			if err != nil {
				continue
			}
			if runtime, known := item.Rules.Runtime.Get(); known && runtime != versionAt(item.Block.Number-1, g.upgrades) {
				t.Errorf("block %d was executed by runtime %d", item.Block.Number, runtime)
			}
			if final, _ := item.Block.Finalized.Get(); !final {
				t.Errorf("block %d is not final", item.Block.Number)
			}
		}
	}()
	return f
}

func (f *followed) see(what func()) {
	f.guard.Lock()
	defer f.guard.Unlock()
	what()
}

func (f *followed) delivered() (list []uint64) {
	f.see(func() { list = slices.Clone(f.heights) })
	return list
}

func (f *followed) told() (list []string) {
	f.see(func() { list = slices.Clone(f.troubles) })
	return list
}

// stop ends it, as Ctrl-C does.
func (f *followed) stop(t *testing.T) {
	f.cancel()
	require.ErrorIs(t, f.failed(t), context.Canceled)
}

// failed returns the error with which it ended on its own.
func (f *followed) failed(t *testing.T) error {
	synctest.Wait()
	defer f.cancel()
	f.guard.Lock()
	defer f.guard.Unlock()
	require.True(t, f.ended)
	return f.err
}

func heights(first, last uint64) (list []uint64) {
	for h := first; h <= last; h++ {
		list = append(list, h)
	}
	return list
}

func from(height uint64) source.FollowOptions {
	return source.FollowOptions{From: chain.Some(height)}
}

// pass lets time pass, and all that happens in it.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

const interval = 3 * time.Second

// The chain grows by one, by many, not at all; the gateway becomes unreachable and returns, with a node that
// is behind.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrowing(105, 107)
		f := follow(t, g, source.Poll(g, interval), from(101))
		after := func(d time.Duration, last uint64, troubles ...string) {
			t.Helper()
			pass(d)
			require.Equal(t, heights(101, last), f.delivered())
			require.Equal(t, troubles, f.told())
		}
		after(0, 105)
		g.grow(106)
		after(interval, 106)
		g.grow(150)
		after(interval, 150)
		after(time.Minute, 150)
		stands := "the final head is stuck at block 150"
		after(time.Minute, 150, stands)
		after(time.Hour, 150, stands)
		g.grow(151)
		after(interval, 151, stands)

		g.set(func(s *state) { s.down = true })
		after(interval, 151, stands, errDown.Error())
		after(time.Hour, 151, stands, errDown.Error())
		g.set(func(s *state) { s.down = false })
		g.grow(120)
		back := "the final head went back from block 151 to 120"
		after(20*time.Second, 151, stands, errDown.Error(), back)
		g.grow(151)
		after(interval, 151, stands, errDown.Error(), back)
		g.grow(155)
		after(interval, 155, stands, errDown.Error(), back)
		f.stop(t)
	})
}

// Without a height, it starts at the first head. It waits for a future height, and for a block that is missing
// or not final yet.
func TestFollowBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrowing(105)
		now := follow(t, g, source.Poll(g, interval), source.FollowOptions{})
		later := follow(t, g, source.Poll(g, interval), from(110))
		zero := follow(t, g, source.Poll(g, interval), from(0))
		synctest.Wait()
		require.Equal(t, heights(105, 105), now.delivered())
		require.Empty(t, later.delivered())
		require.Equal(t, heights(0, 105), zero.delivered())
		g.grow(112)
		pass(interval)
		require.Equal(t, heights(105, 112), now.delivered())
		require.Equal(t, heights(110, 112), later.delivered())

		g.set(func(s *state) { s.head, s.has = 120, 114 })
		pass(20 * time.Second)
		require.Equal(t, heights(105, 112), now.delivered(), "what is not final is not delivered, also by a reader that accepts it")
		require.Empty(t, now.told())
		g.set(func(s *state) { s.final = 120 })
		pass(20 * time.Second)
		require.Equal(t, heights(105, 114), now.delivered())
		require.Empty(t, now.told())
		pass(2 * time.Minute)
		require.Len(t, now.told(), 1)
		require.Contains(t, now.told()[0], "no such block")
		g.set(func(s *state) { s.has = 120 })
		pass(20 * time.Second)
		require.Equal(t, heights(105, 120), now.delivered())
		for _, f := range []*followed{now, later, zero} {
			f.stop(t)
		}
	})
}

// A node announces heads before the gateway has the blocks, is silent, disconnects, and announces delivered
// blocks again.
func TestFollowAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(100), newAnnouncer()
		f := follow(t, g, a.heads, from(99))
		pass(2 * time.Minute)
		require.Equal(t, []string{"no final head received yet"}, f.told())
		a.announce(101)
		synctest.Wait()
		require.Equal(t, heights(99, 100), f.delivered())
		a.announce(102) // while it waits for the previous block
		a.announce(103)
		g.grow(103)
		pass(time.Second)
		require.Equal(t, heights(99, 103), f.delivered())
		require.Len(t, f.told(), 1)
		pass(2 * time.Minute)
		require.Equal(t, "the final head is stuck at block 103", f.told()[1])

		gone := &source.TemporaryError{Err: errors.New("the node is gone")}
		for range 3 {
			a.broken <- gone
		}
		synctest.Wait()
		require.Equal(t, []string{"the node is gone"}, f.told()[2:])
		g.grow(106)
		a.announce(102)
		synctest.Wait()
		require.Equal(t, heights(99, 103), f.delivered())
		a.announce(106)
		a.announce(104)
		synctest.Wait()
		require.Equal(t, heights(99, 106), f.delivered())
		require.Equal(t, 4, a.opened)
		for range 5 { // resolved trouble is reported again
			a.broken <- gone
		}
		synctest.Wait()
		require.Equal(t, []string{"the node is gone", "the final head went back from block 103 to 102", "the final head went back from block 106 to 104", "the node is gone"}, f.told()[2:])

		a.broken <- errors.New("left the chain")
		require.EqualError(t, f.failed(t), "left the chain")
	})
}

// A head received while blocks are read is not lost when the node then disconnects.
func TestFollowLastWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(100), newAnnouncer()
		f := follow(t, g, a.heads, from(100))
		a.announce(101)
		synctest.Wait()
		a.announce(105)
		a.broken <- &source.TemporaryError{Err: errors.New("the node is gone")}
		g.grow(105)
		pass(time.Second)
		require.Equal(t, heights(100, 105), f.delivered())
		f.stop(t)
	})
}

// For any sequence of events: every height once, in order.
func TestFollowAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		for _, polled := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 1))
				g, a := newGrowing(100, 104, 120, 121, 250), newAnnouncer()
				g.wait = func(ctx context.Context) error {
					time.Sleep(rand.N(300 * time.Millisecond))
					return ctx.Err()
				}
				heads := source.Poll(g, interval)
				if !polled {
					heads = a.heads
				}
				f := follow(t, g, heads, from(90))
				top := uint64(100)
				for range 150 {
					g.set(func(s *state) { s.down, s.malformed = false, false })
					switch random.IntN(8) {
					case 0, 1: // by one
						top++
						g.grow(top)
					case 2: // by many
						top += random.Uint64N(20)
						g.grow(top)
					case 3: // stands still
					case 4: // a node that is behind
						g.grow(top - random.Uint64N(15))
					case 5:
						g.set(func(s *state) { s.down = true })
					case 6: // announced, not all there, not all final
						top += random.Uint64N(5)
						g.set(func(s *state) { s.head, s.has, s.final = top, top-random.Uint64N(5), top-random.Uint64N(5) })
					case 7:
						g.set(func(s *state) { s.malformed = true })
					}
					head := g.now().head
					if !polled {
						gone, news := a.broken, a.news
						switch random.IntN(4) {
						case 0:
							news = nil
						case 1, 2:
							gone = nil
						default:
							gone, news = nil, nil
						}
						select {
						case gone <- &source.TemporaryError{Err: errors.New("the node is gone")}:
						case news <- chain.Head{Number: head, Hash: chain.Some(hashOf(head))}:
						case <-time.After(time.Second): // it may be away
						}
					}
					long := time.Minute
					if g.now().malformed {
						long = 2 * time.Second
					}
					pass(time.Duration(random.Int64N(int64(long))))
				}
				g.set(func(s *state) { s.down, s.malformed = false, false })
				g.grow(top)
				if !polled {
					a.announce(top)
				}
				pass(5 * time.Minute)
				require.Equal(t, heights(90, top), f.delivered(), "seed %d", seed)
				require.Greater(t, len(f.delivered()), 100)
				f.stop(t)
				require.Zero(t, g.underWay())
			})
		}
	}
}

// Blocks that arrive one by one take three requests each, also at an upgrade.
func TestFollowRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(100, 130, 131), newAnnouncer()
		f := follow(t, g, a.heads, from(100))
		for height := uint64(100); height < 200; height++ {
			g.grow(height)
			a.announce(height)
			synctest.Wait()
		}
		require.Equal(t, heights(100, 199), f.delivered())
		require.Empty(t, g.twice())
		require.Len(t, g.asked, 3*100)
		f.stop(t)
	})
}

// A gateway that never returns runtimes is asked for its node once; one that stops returning them does not
// change the rules.
func TestFollowWithoutRuntimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(200), newAnnouncer()
		g.set(func(s *state) { s.noRuntime = true })
		f := follow(t, g, a.heads, from(100))
		a.announce(110)
		synctest.Wait()
		a.announce(120)
		synctest.Wait()
		require.Equal(t, heights(100, 120), f.delivered())
		require.Equal(t, 1, g.asked["node0"])

		g.set(func(s *state) { s.noRuntime = false })
		a.announce(130)
		synctest.Wait()
		g.set(func(s *state) { s.noRuntime = true })
		a.announce(140)
		pass(5 * time.Minute)
		require.ErrorIs(t, f.failed(t), chain.ErrNotOffered)
		require.Equal(t, heights(100, 130), f.delivered())
		require.Equal(t, []string{chain.ErrNotOffered.Error()}, f.told())
		require.Equal(t, 1, g.asked["node0"])
	})
}

// A permanent error ends it, after all earlier blocks.
func TestFollowEnds(t *testing.T) {
	status := func(code int) error { return &httpclient.StatusError{Path: "/blocks/105", Code: code} }
	for name, c := range map[string]struct {
		err   error
		tries int // 0 for endless
	}{
		"unreachable":     {errDown, 0},
		"busy":            {status(429), 0},
		"timed out":       {status(408), 0},
		"no node":         {status(500), 0},
		"behind a proxy":  {status(502), 0},
		"out of network":  {status(524), 0},
		"internal error":  {&rpc.RPCError{Code: chain.Some[int64](-32603), Message: "Internal server error"}, 0},
		"quota":           {&rpc.RPCError{Code: chain.Some[int64](-32005), Message: "monthly quota exceeded"}, 0},
		"no such method":  {&rpc.RPCError{Code: chain.Some[int64](-32601), Message: "Method not found"}, 1},
		"not there yet":   {chain.ErrNoBlock, 0},
		"not final yet":   {source.ErrNotFinal, 0},
		"malformed":       {errMalformed, 10},
		"not JSON":        {httpclient.ErrNotJSON, 10},
		"another block":   {chain.ErrWrongBlock, 10},
		"no endpoint":     {chain.ErrNotOffered, 10},
		"too large":       {&httpclient.UnreachableError{Err: httpclient.ErrTooLarge}, 11}, // once ahead of its turn
		"cannot tell":     {fmt.Errorf("%w: %w", chain.ErrUnsupported, status(500)), 1},
		"unauthorized":    {status(401), 10},
		"forbidden":       {status(403), 10},
		"refused":         {status(400), 1},
		"not made":        {status(501), 1},
		"unknown network": {network.ErrUnknownNetwork, 1},
		"a fork":          {&source.ForkError{Height: 105}, 1},
		"lacks":           {answers.ErrLacks, 1},
		"anything else":   {errors.New("anything else"), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			g, a := newGrowing(110), newAnnouncer()
			tries := 0
			block := g.block
			g.block = func(b *chain.Block) error {
				if b.Number == 105 {
					tries++
					return c.err
				}
				return block(b)
			}
			f := follow(t, g, a.heads, from(100))
			a.announce(110)
			pass(time.Hour)
			require.Equal(t, heights(100, 104), f.delivered(), name)
			if c.tries == 0 {
				require.Greater(t, tries, 200, name)
				require.Equal(t, []string{c.err.Error()}, f.told(), name)
				f.stop(t)
				return
			}
			require.ErrorIs(t, f.failed(t), c.err, name)
			require.Equal(t, c.tries, tries, name)
		})
	}
}

// A block that arrives in the end resets the count of wrong responses, so that many blocks may have some;
// trouble is reported for each of them.
func TestFollowRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(150), newAnnouncer()
		wrong := map[uint64]int{110: 9, 120: 9, 130: 9}
		block := g.block
		g.block = func(b *chain.Block) error {
			g.guard.Lock()
			wrong[b.Number]--
			left := wrong[b.Number]
			g.guard.Unlock()
			if left >= 0 {
				return errMalformed
			}
			return block(b)
		}
		f := follow(t, g, a.heads, from(100))
		a.announce(150)
		pass(5 * time.Minute)
		require.Equal(t, heights(100, 150), f.delivered())
		require.Equal(t, []string{errMalformed.Error(), errMalformed.Error(), errMalformed.Error()}, f.told()[:3])
		f.stop(t)
	})
}

// A switch to a different chain is noticed where it continues, and a mismatch with the node's at its head.
func TestFollowAnotherChain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrowing(105)
		f := follow(t, g, source.Poll(g, interval), from(100))
		synctest.Wait()
		g.set(func(s *state) { s.other = true })
		g.grow(106)
		pass(interval)
		parent := hashOf(105)
		parent[31]++
		require.Equal(t, &source.ForkError{Height: 106, Parent: parent, Before: hashOf(105)}, f.failed(t))
		require.Equal(t, heights(100, 105), f.delivered())
		require.Empty(t, f.told())
	})
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(105), newAnnouncer()
		f := follow(t, g, a.heads, source.FollowOptions{})
		a.news <- chain.Head{Number: 105, Hash: chain.Some(hashOf(5))}
		pass(5 * time.Minute)
		err := f.failed(t)
		require.ErrorIs(t, err, chain.ErrWrongBlock)
		require.EqualError(t, err, fmt.Sprintf("block 105: the response is for a different block: its hash is %v, but the final head's is %v", hashOf(105), hashOf(5)))
		require.Empty(t, f.delivered())
	})
}

// The head is also compared with a block that was delivered before, and a gateway's head, which has no hash, by its
// parent's.
func TestFollowComparesEachHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(105), newAnnouncer()
		f := follow(t, g, a.heads, from(100))
		a.announce(105)
		a.announce(105)
		synctest.Wait()
		require.Equal(t, heights(100, 105), f.delivered())
		a.news <- chain.Head{Number: 105, Hash: chain.Some(hashOf(5))}
		require.EqualError(t, f.failed(t), fmt.Sprintf("block 105: the response is for a different block: its hash is %v, but the final head's is %v", hashOf(105), hashOf(5)))
	})
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(105), newAnnouncer()
		f := follow(t, g, a.heads, from(105))
		a.news <- chain.Head{Number: 105, ParentHash: chain.Some(hashOf(5))}
		pass(5 * time.Minute)
		require.EqualError(t, f.failed(t), fmt.Sprintf("block 105: the response is for a different block: its parent is %v, but the final head's is %v", hashOf(104), hashOf(5)))
		require.Empty(t, f.delivered())
	})
}

// A head beyond what the source has does not end it: it delivers what there is, and goes on when more comes. A source that
// never grows ends after its last block.
func TestFollowAHeadBeyondTheSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(105), newAnnouncer()
		f := follow(t, g, a.heads, from(100))
		a.news <- chain.Head{Number: math.MaxUint64}
		pass(5 * time.Minute)
		require.Equal(t, heights(100, 105), f.delivered())
		g.grow(108)
		pass(5 * time.Minute)
		require.Equal(t, heights(100, 108), f.delivered())
		f.stop(t)
	})
	synctest.Test(t, func(t *testing.T) { // part of a chain, served by a program that does not say which part
		g, a := newGrowing(105), newAnnouncer()
		g.block = func(b *chain.Block) error {
			if b.Number > 105 {
				return chain.ErrNotKept
			}
			return nil
		}
		f := follow(t, g, a.heads, from(100))
		a.announce(110)
		pass(5 * time.Minute)
		require.Equal(t, heights(100, 105), f.delivered())
		require.ErrorContains(t, errors.New(strings.Join(f.told(), "\n")), chain.ErrNotKept.Error())
		f.stop(t)
	})
}

// Leaving the loop ends everything in flight.
func TestFollowBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGrowing(200)
		g.wait = atRandom
		for item, err := range g.reader().Follow(t.Context(), source.Poll(g, interval), from(100)) {
			require.NoError(t, err)
			if item.Block.Number == 150 {
				break
			}
		}
		require.Zero(t, g.underWay())
		// and before any response
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		g.set(func(s *state) { s.down = true })
		for _, err := range g.reader().Follow(ctx, source.Poll(g, interval), source.FollowOptions{}) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	})
}

// A slow reader gets one range with everything that arrived meanwhile.
func TestFollowSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(100), newAnnouncer()
		g.wait = atRandom
		var seen []uint64
		go func() {
			for height := uint64(100); height <= 160; height++ {
				g.grow(height)
				a.announce(height)
				time.Sleep(12 * time.Second)
			}
		}()
		for item, err := range g.reader().Follow(t.Context(), a.heads, source.FollowOptions{Concurrency: 8}) {
			require.NoError(t, err)
			if seen = append(seen, item.Block.Number); item.Block.Number == 160 {
				break
			}
			if item.Block.Number == 100 {
				pass(time.Hour)
			}
		}
		require.Equal(t, heights(100, 160), seen)
		require.Equal(t, 8, g.largest)
	})
}

// An archive has an end.
func TestFollowArchive(t *testing.T) {
	src, err := source.Open("demo", source.Options{})
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	read := func(o source.FollowOptions) (seen []uint64, failed error) {
		for item, err := range reader.Follow(t.Context(), source.Poll(src, time.Hour), o) {
			if failed = err; err == nil {
				seen = append(seen, item.Block.Number)
			}
		}
		return seen, failed
	}
	seen, err := read(from(3))
	require.NoError(t, err)
	require.Equal(t, heights(3, 27), seen)
	seen, err = read(source.FollowOptions{})
	require.NoError(t, err)
	require.Equal(t, heights(27, 27), seen)
	seen, err = read(from(28))
	require.ErrorIs(t, err, answers.ErrLacks)
	require.ErrorContains(t, err, "it contains blocks 3 to 27")
	require.Empty(t, seen)

	// Waiting makes no block final there.
	src = chainOf(map[uint64]uint32{0: 2302, 8: 2302}, `,"finalized":false`)
	reader = &source.Reader{Source: src, Tables: network.BuiltIn()}
	_, err = read(source.FollowOptions{})
	require.ErrorIs(t, err, source.ErrNotFinal)
	// Nor does it create an archive.
	src = answers.New("test", fstest.MapFS{})
	_, err = read(source.FollowOptions{})
	require.Error(t, err)
}

// A chain that has ended, according to its table, is followed up to its last block. Blocks after that are read
// nonetheless: the table is wrong then.
func TestFollowAnEndedChain(t *testing.T) {
	for what, c := range map[string]struct{ last, head, from, to uint64 }{
		"to its last block":     {120, 120, 100, 120},
		"from its last block":   {120, 120, 120, 120},
		"beyond what it says":   {110, 120, 100, 120},
		"beyond, from later on": {110, 120, 115, 120},
	} {
		t.Run(what, func(t *testing.T) {
			moonbeam, _ := network.BuiltIn().Named("moonbeam")
			moonbeam.LastBlock, moonbeam.Anchors = &c.last, nil
			text, err := json.Marshal(map[string]any{"networks": []network.Network{*moonbeam}})
			require.NoError(t, err)
			g := newGrowing(c.head)
			reader := g.reader()
			reader.Tables, err = network.BuiltIn().With("ended.json", text)
			require.NoError(t, err)
			var seen []uint64
			for item, err := range reader.Follow(t.Context(), source.Poll(g, time.Millisecond), from(c.from)) {
				require.NoError(t, err)
				seen = append(seen, item.Block.Number)
			}
			require.Equal(t, heights(c.from, c.to), seen)
		})
	}
}

// Polling requests only the header, and rejects a head that no chain can have.
func TestPollGateway(t *testing.T) {
	var asked []string
	answers := []string{"7", "8", "4294967296"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		number := answers[len(asked)]
		asked = append(asked, r.URL.String())
		zeros := "0x" + strings.Repeat("0", 64)
		fmt.Fprintf(w, `{"parentHash":%q,"number":%q,"stateRoot":%q,"extrinsicsRoot":%q}`, zeros, number, zeros, zeros)
	}))
	defer server.Close()
	src, err := source.Open(server.URL, source.Options{})
	require.NoError(t, err)
	var seen []uint64
	for head, err := range source.Poll(src, time.Nanosecond)(t.Context()) {
		if err != nil {
			require.EqualError(t, err, "malformed header: number: 4294967296: heights go from 0 to 4294967295")
			break
		}
		require.False(t, head.Hash.Known())
		seen = append(seen, head.Number)
	}
	require.Equal(t, []uint64{7, 8}, seen)
	require.Equal(t, []string{"/blocks/head/header", "/blocks/head/header", "/blocks/head/header"}, asked)
}

// A gateway with an untrusted certificate does not become trusted by waiting.
func TestFollowUntrusted(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	src, err := source.Open(server.URL, source.Options{})
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	for _, err := range reader.Follow(t.Context(), source.Poll(src, time.Hour), source.FollowOptions{}) {
		require.ErrorContains(t, err, "certificate")
	}
}

// Follow waits for a gateway that has lost its node, and after a while reports that it may not recover on its
// own.
func TestFollowLostNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, a := newGrowing(105), newAnnouncer()
		lost := &httpclient.StatusError{Path: "/blocks/100", Code: 500, Message: "WebSocket is not connected"}
		down := true
		block := g.block
		g.block = func(b *chain.Block) error {
			g.guard.Lock()
			defer g.guard.Unlock()
			if down {
				return lost
			}
			g.guard.Unlock()
			defer g.guard.Lock()
			return block(b)
		}
		f := follow(t, g, a.heads, from(100))
		a.announce(105)
		pass(30 * time.Second)
		require.Equal(t, []string{lost.Error()}, f.told())
		pass(time.Hour)
		require.Equal(t, []string{
			lost.Error(),
			"the gateway has had no connection to its node for more than 1m0s. If the node is running, restart the gateway; it may not reconnect",
		}, f.told())
		g.guard.Lock()
		down = false
		g.guard.Unlock()
		pass(time.Minute)
		require.Equal(t, heights(100, 105), f.delivered())
		f.stop(t)
	})
}

// If heads and blocks disagree for long, Doubt checks whether they are on the same chain: if an announced
// block does not arrive, and if no new head arrives.
func TestFollowDoubts(t *testing.T) {
	for name, announce := range map[string]func(a *announcer){
		"announced, and not there": func(a *announcer) { a.announce(200) },
		"nothing new":              func(a *announcer) { a.announce(99) },
		"silence":                  func(*announcer) {},
	} {
		synctest.Test(t, func(t *testing.T) {
			g, a := newGrowing(105), newAnnouncer()
			other := errors.New("they are of two chains")
			var asked, two atomic.Int64
			o := from(106)
			o.Doubt = func(context.Context) error {
				if asked.Add(1); two.Load() == 0 {
					return nil
				}
				return other
			}
			f := follow(t, g, a.heads, o)
			synctest.Wait()
			announce(a)
			pass(50 * time.Second)
			require.Zero(t, asked.Load(), name)
			pass(3 * time.Minute)
			require.Positive(t, asked.Load(), name)
			two.Store(1)
			pass(3 * time.Minute)
			require.ErrorIs(t, f.failed(t), other, name)
			require.Empty(t, f.delivered())
		})
	}
}
