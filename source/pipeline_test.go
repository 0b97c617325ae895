package source_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// readRange collects a range. It fails if the order is broken, if something follows an error, or if a request
// is still in flight at the end.
func readRange(ctx context.Context, src *synthetic, reader *source.Reader, blocks chain.Heights, concurrency int) ([]source.Item, error) {
	var items []source.Item
	var failed error
	for item, err := range reader.Range(ctx, blocks, concurrency) {
		switch {
		case failed != nil:
			return nil, fmt.Errorf("%w is not the last element", failed)
		case err != nil && item.Block != nil:
			return nil, fmt.Errorf("block %d came with %w", item.Block.Number, err)
		case err == nil && item.Block.Number != blocks.First+uint64(len(items)):
			return nil, fmt.Errorf("block %d came in place %d", item.Block.Number, len(items))
		case err == nil:
			items = append(items, item)
		}
		failed = err
	}
	if src != nil && src.underWay() > 0 {
		return nil, errors.New("a question is still under way")
	}
	return items, failed
}

// A range equals its blocks one by one.
func TestRangeIsRead(t *testing.T) {
	ctx := context.Background()
	for _, recording := range []string{"moonbeam-1701", "moonbeam-2100"} {
		directory, err := answers.OpenDirectory("../testdata/recordings/" + recording)
		require.NoError(t, err)
		head, err := directory.Head(ctx, false)
		require.NoError(t, err)
		readers := map[string]*source.Reader{
			"runtime's rules":  {Source: directory},
			"specification":    {Source: directory, Specification: true},
			"at the block":     {Source: directory, MultiplierAt: network.AtBlock},
			"unknown runtime":  {Source: failing{Source: directory, runtime: chain.ErrNotOffered}},
			"network by hand":  {Source: failing{Source: directory, runtime: chain.ErrNotOffered, node: chain.ErrNotOffered}, Network: "moonbeam"},
			"also unfinalized": {Source: directory, Unfinalized: true},
		}
		for name, reader := range readers {
			reader.Tables = network.BuiltIn()
			for _, concurrency := range []int{0, 1, 3, 8, 100} {
				items, err := readRange(ctx, nil, reader, chain.Heights{First: 0, Last: head.Number}, concurrency)
				require.NoError(t, err)
				require.Len(t, items, int(head.Number)+1)
				for height, item := range items {
					one, err := reader.Read(ctx, source.Height(uint64(height)))
					require.NoError(t, err)
					require.Equal(t, one, item, "%s, %s, block %d", recording, name, height)
				}
			}
		}
	}
}

// An archive delivers its blocks, then reports what is missing.
func TestRangeBeyondTheEnd(t *testing.T) {
	demo, err := source.Open("demo", source.Options{})
	require.NoError(t, err)
	reader := &source.Reader{Source: demo, Tables: network.BuiltIn()}
	items, err := readRange(context.Background(), nil, reader, chain.Heights{First: 20, Last: 4_000_000_000}, 3)
	require.Len(t, items, 8)
	require.ErrorIs(t, err, answers.ErrLacks)
	require.ErrorContains(t, err, "blocks/28.json")

	src := &synthetic{upgrades: []uint64{1995}}
	items, err = readRange(context.Background(), src, src.reader(), chain.Heights{First: 1990, Last: 4_000_000_000}, 3)
	require.Len(t, items, 11)
	require.ErrorIs(t, err, chain.ErrNoBlock)
	require.ErrorContains(t, err, "block at 2001")
	require.Empty(t, src.twice())
}

func TestRequests(t *testing.T) {
	for _, at := range []network.MultiplierAt{"", network.AtBlock} {
		src := &synthetic{upgrades: []uint64{1234}}
		reader := src.reader()
		reader.MultiplierAt = at
		items, err := readRange(context.Background(), src, reader, chain.Heights{First: 1000, Last: 1499}, 8)
		require.NoError(t, err)
		require.Len(t, items, 500)
		require.Empty(t, src.twice())
		require.LessOrEqual(t, len(src.asked), 2*500+20)
		require.Equal(t, 500, src.blocks)
	}
}

// Notes added to one item do not appear in another.
func TestItemsAreApart(t *testing.T) {
	src := &synthetic{block: func(b *chain.Block) error {
		b.Finalized = chain.Optional[bool]{}
		return nil
	}}
	items, err := readRange(context.Background(), src, src.reader(), chain.Heights{First: 1, Last: 9}, 4)
	require.NoError(t, err)
	for i := range items {
		items[i].Rules.Notes = append(items[i].Rules.Notes, fmt.Sprint("mine, ", i))
	}
	for i := range items {
		require.Equal(t, []string{"the gateway does not report whether the block is final", fmt.Sprint("mine, ", i)}, items[i].Rules.Notes)
	}
}

// atRandom responds after up to a second.
func atRandom(ctx context.Context) error {
	select {
	case <-time.After(rand.N(time.Second)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// For any latencies, the order is kept, and the concurrency is used but not exceeded.
func TestLatency(t *testing.T) {
	for _, concurrency := range []int{1, 2, 7, 32} {
		synctest.Test(t, func(t *testing.T) {
			src := &synthetic{upgrades: []uint64{120, 121, 250}, wait: atRandom}
			items, err := readRange(t.Context(), src, src.reader(), chain.Heights{First: 100, Last: 399}, concurrency)
			require.NoError(t, err)
			require.Len(t, items, 300)
			require.Equal(t, concurrency, src.largest)
			require.Empty(t, src.twice())
		})
	}
}

// While a block is used, the next ones are read, but no more.
func TestSlowConsumer(t *testing.T) {
	const concurrency = 4
	synctest.Test(t, func(t *testing.T) {
		src := &synthetic{wait: atRandom}
		delivered := 0
		for _, err := range src.reader().Range(t.Context(), chain.Heights{First: 1, Last: 60}, concurrency) {
			require.NoError(t, err)
			delivered++
			time.Sleep(time.Hour)
			synctest.Wait()
			require.Zero(t, src.running)
			require.Equal(t, min(delivered+concurrency, 60), src.blocks)
		}
		require.Equal(t, 60, delivered)
	})
}

// An error comes after all blocks before it, and nothing after it.
func TestRangeErrors(t *testing.T) {
	const bad = 107
	down := errors.New("down")
	blockAt := func(height uint64, change func(*chain.Block) error) *synthetic {
		return &synthetic{block: func(b *chain.Block) error {
			if b.Number == height {
				return change(b)
			}
			return nil
		}}
	}
	multiplierAt := func(height uint64, change func(*chain.AtBlock[chain.Multiplier]) error) *synthetic {
		return &synthetic{multiplier: func(m *chain.AtBlock[chain.Multiplier]) error {
			if m.At == height {
				return change(m)
			}
			return nil
		}}
	}
	renamed := &synthetic{runtime: func(r *chain.AtBlock[chain.Runtime]) error {
		if r.At >= bad-1 {
			r.Value.SpecName = "moonlight" // which is in no table
		}
		return nil
	}}
	for name, c := range map[string]struct {
		src  *synthetic
		want error
		text string
	}{
		"block":      {blockAt(bad, func(*chain.Block) error { return down }), down, "down"},
		"multiplier": {multiplierAt(bad-1, func(*chain.AtBlock[chain.Multiplier]) error { return down }), down, "down"},
		"multiplier of another block": {multiplierAt(bad-1, func(m *chain.AtBlock[chain.Multiplier]) error {
			m.AtHash = chain.Some(hashOf(5))
			return nil
		}), chain.ErrWrongBlock, "multiplier at block 106"},
		"not final": {blockAt(bad, func(b *chain.Block) error {
			b.Finalized = chain.Some(false)
			return nil
		}), source.ErrNotFinal, "block 107"},
		"rules": {renamed, network.ErrUnknownNetwork, "moonlight"},
		"another parent": {blockAt(bad, func(b *chain.Block) error {
			b.ParentHash = hashOf(5)
			return nil
		}), &source.ForkError{Height: bad, Parent: hashOf(5), Before: hashOf(bad - 1)},
			fmt.Sprintf("block 107 does not follow block 106: its parent is %v, but block 106 is %v", hashOf(5), hashOf(106))},
	} {
		for _, concurrency := range []int{1, 3, 50} {
			synctest.Test(t, func(t *testing.T) {
				src := &synthetic{block: c.src.block, multiplier: c.src.multiplier, runtime: c.src.runtime, wait: atRandom}
				items, err := readRange(t.Context(), src, src.reader(), chain.Heights{First: 100, Last: 130}, concurrency)
				require.Len(t, items, bad-100, name)
				require.ErrorContains(t, err, c.text, name)
				var fork *source.ForkError
				if errors.As(c.want, &fork) {
					require.Equal(t, c.want, err)
					require.ErrorIs(t, err, chain.ErrWrongBlock)
				} else {
					require.ErrorIs(t, err, c.want, name)
				}
				require.LessOrEqual(t, src.blocks, bad-100+1+concurrency, name) // those up to the bad one, and those ahead of it
			})
		}
	}
}

// Block 0 has no parent, and the runtime of block 1 is not requested again.
func TestRangeFromTheFirstBlock(t *testing.T) {
	src := &synthetic{}
	items, err := readRange(context.Background(), src, src.reader(), chain.Heights{First: 0, Last: 1}, 2)
	require.NoError(t, err)
	require.False(t, items[0].Multiplier.Known())
	require.True(t, items[1].Multiplier.Known())
	require.Empty(t, src.twice())
}

func TestRangeThatIsNone(t *testing.T) {
	src := &synthetic{}
	for blocks, want := range map[chain.Heights]string{
		{First: 9, Last: 3}:          "range 9..3: the range ends before it starts; write the lower height first",
		{First: 9, Last: 4294967296}: "range 9..4294967296: heights go from 0 to 4294967295",
	} {
		items, err := readRange(context.Background(), src, src.reader(), blocks, 2)
		require.Empty(t, items)
		require.EqualError(t, err, want)
	}
	require.Empty(t, src.asked)
}

// A sequence can be iterated again, and starts from its beginning.
func TestRangeAgain(t *testing.T) {
	src := &synthetic{}
	sequence := src.reader().Range(context.Background(), chain.Heights{First: 5, Last: 30}, 4)
	for range 2 {
		for item, err := range sequence {
			require.NoError(t, err)
			require.Equal(t, uint64(5), item.Block.Number)
			break
		}
	}
}

// sized is a source whose blocks have sizes, and which respects its limit. It records the number of bytes that
// it was asked to hold at once.
type sized struct {
	*synthetic
	size    func(height uint64) int
	mu      sync.Mutex
	held    map[uint64]int
	largest int
}

func (s *sized) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := s.synthetic.Block(ctx, height)
	if err != nil {
		return nil, err
	}
	b.Size = s.size(height)
	if b.Size > httpclient.MaxAnswer(ctx, httpclient.DefaultMaxAnswer) {
		return nil, httpclient.ErrTooLarge
	}
	s.hold(height, b.Size)
	return b, nil
}

func (s *sized) hold(height uint64, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[height] = size; size == 0 {
		delete(s.held, height)
	}
	sum := 0
	for _, size := range s.held {
		sum += size
	}
	s.largest = max(s.largest, sum)
}

// The blocks read ahead are bounded by their bytes too: large blocks are read when it is their turn, singly,
// in order and once, whatever is between them.
func TestLargeBlocks(t *testing.T) {
	const large, small = 30 << 20, 100 << 10
	for name, size := range map[string]func(uint64) int{
		"all large":      func(uint64) int { return large },
		"all small":      func(uint64) int { return small },
		"large at times": func(h uint64) int { return []int{small, small, large, small, small, small, large, large}[h%8] },
		"just not large": func(uint64) int { return 4 << 20 },
		"the first only": func(h uint64) int { return map[bool]int{true: large, false: small}[h == 100] },
	} {
		for _, concurrency := range []int{1, 8, 64} {
			synctest.Test(t, func(t *testing.T) {
				src := &sized{synthetic: &synthetic{wait: atRandom}, size: size, held: map[uint64]int{}}
				reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
				next := uint64(100)
				for item, err := range reader.Range(t.Context(), chain.Heights{First: 100, Last: 180}, concurrency) {
					require.NoError(t, err, name)
					require.Equal(t, next, item.Block.Number)
					require.Equal(t, size(next), item.Block.Size)
					time.Sleep(time.Second)
					src.hold(next, 0)
					next++
				}
				require.Equal(t, uint64(181), next)
				require.LessOrEqual(t, src.largest, large+concurrency*(4<<20), "%s, %d", name, concurrency)
				require.LessOrEqual(t, src.largest, large+34<<20, "%s, %d", name, concurrency)
				if name == "all small" {
					require.Empty(t, src.twice())
				}
			})
		}
	}
	// A block above the maximum size is so in its turn, too.
	src := &synthetic{block: func(b *chain.Block) error {
		if b.Number == 105 {
			return httpclient.ErrTooLarge
		}
		return nil
	}}
	items, err := readRange(context.Background(), src, src.reader(), chain.Heights{First: 100, Last: 130}, 8)
	require.ErrorIs(t, err, httpclient.ErrTooLarge)
	require.Len(t, items, 5)
}

// After a timeout of a gateway, no further request is sent before the range ends.
func TestTimeIsTakenOnce(t *testing.T) {
	const timeout = time.Minute
	synctest.Test(t, func(t *testing.T) {
		src := &synthetic{wait: func(ctx context.Context) error {
			time.Sleep(timeout)
			return &httpclient.UnreachableError{Place: httpclient.Place{What: httpclient.Gateway, Address: "http://gateway"}, Err: context.DeadlineExceeded}
		}}
		began := time.Now()
		_, err := readRange(t.Context(), src, src.reader(), chain.Heights{First: 100, Last: 130}, 8)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, timeout, time.Since(began))
	})
}

// Leaving the loop ends everything in flight, with or without a response.
func TestBreak(t *testing.T) {
	for leaveAt := uint64(100); leaveAt < 110; leaveAt++ {
		synctest.Test(t, func(t *testing.T) {
			src := &synthetic{wait: atRandom}
			for item, err := range src.reader().Range(t.Context(), chain.Heights{First: 100, Last: 1000}, 8) {
				require.NoError(t, err)
				if item.Block.Number == leaveAt {
					break
				}
			}
			require.Zero(t, src.underWay())
		})
	}
}

func TestCancel(t *testing.T) {
	patient := func(context.Context) error { return nil } // ignores cancellation
	forever := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, wait := range map[string]func(context.Context) error{"at random": atRandom, "a source that does not mind": patient} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src := &synthetic{wait: wait}
			delivered, failed := 0, error(nil)
			for _, err := range src.reader().Range(ctx, chain.Heights{First: 100, Last: 1000}, 8) {
				if failed = err; err == nil {
					delivered++
				}
				if delivered == 20 {
					cancel()
				}
			}
			require.Equal(t, 20, delivered, name)
			require.ErrorIs(t, failed, context.Canceled, name)
			require.Zero(t, src.underWay(), name)
			require.LessOrEqual(t, src.blocks, 20+1+8, name)
		})
	}
	// Before any response.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		src := &synthetic{wait: forever}
		items, err := readRange(ctx, src, src.reader(), chain.Heights{First: 100, Last: 1000}, 8)
		require.Empty(t, items)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// Blocks per second, from the built-in demo to their fees.
func BenchmarkRange(b *testing.B) {
	demo, err := source.Open("demo", source.Options{})
	require.NoError(b, err)
	reader := &source.Reader{Source: demo, Tables: network.BuiltIn()}
	for _, concurrency := range []int{1, 8} {
		b.Run(fmt.Sprintf("concurrency=%d", concurrency), func(b *testing.B) {
			blocks := 0
			for b.Loop() {
				for item, err := range reader.Range(b.Context(), chain.Heights{First: 0, Last: 27}, concurrency) {
					if err != nil {
						b.Fatal(err)
					}
					fee.Price(item.Block, &item.Rules, item.Multiplier)
					blocks++
				}
			}
			b.ReportMetric(float64(blocks)/b.Elapsed().Seconds(), "blocks/s")
		})
	}
}
