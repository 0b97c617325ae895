package prove_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

var ctx = context.Background()

// away is a transient error.
var away = &source.TemporaryError{Err: errors.New("busy")}

// moody is a recorded source that sometimes does not return the multipliers of some heights.
type moody struct {
	source.Source
	mu    sync.Mutex
	fails map[uint64]int
}

func (m *moody) Unwrap() source.Source { return m.Source }

func (m *moody) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails[at] != 0 {
		m.fails[at]--
		return chain.AtBlock[chain.Multiplier]{}, away
	}
	return m.Source.Multiplier(ctx, at)
}

func prover(t *testing.T, fails map[uint64]int) *prove.Prover {
	recorded, err := answers.OpenDirectory("../../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	return &prove.Prover{Reader: &source.Reader{Source: &moody{Source: recorded, fails: fails}, Tables: network.BuiltIn()}, Concurrency: 2}
}

var nothing chain.Optional[evidence.Predecessor]

// collect returns the heights that a range delivers, the number of checks of the multiplier's update, and the
// final error.
func collect(p *prove.Prover, first, last uint64, before chain.Optional[evidence.Predecessor]) (heights []uint64, findings []string, err error) {
	for x, err := range p.Range(ctx, chain.Heights{First: first, Last: last}, before) {
		if err != nil {
			return heights, findings, err
		}
		heights = append(heights, x.Report.Number)
		for _, f := range x.Report.Findings {
			findings = append(findings, f.Check)
		}
		if held := tally(x.Report, "block.multiplier"); held != 1 && x.Report.Number > 0 {
			findings = append(findings, "the multiplier was not checked")
		}
	}
	return heights, findings, nil
}

func tally(r *evidence.Report, id string) int {
	for i, c := range evidence.Checks() {
		if c.ID == id {
			return r.Tallies[i].Held
		}
	}
	panic(id)
}

// Every block is checked against its neighbours: the first too if the block below is known, and the last by
// its stored multiplier.
func TestRange(t *testing.T) {
	heights, findings, err := collect(prover(t, nil), 2, 5, nothing)
	require.NoError(t, err)
	require.Equal(t, []uint64{2, 3, 4, 5}, heights)
	require.Empty(t, findings, "nothing is known of block 1")

	p := prover(t, nil)
	before, err := prove.Before(ctx, p.Reader, 2)
	require.NoError(t, err)
	_, findings, err = collect(p, 2, 5, before)
	require.NoError(t, err)
	require.Equal(t, []string{"block.time"}, findings, "the recorded block 1 is dated later than block 2")

	before, err = prove.Before(ctx, p.Reader, 0)
	require.NoError(t, err)
	require.False(t, before.Known())
	before, err = prove.Before(ctx, p.Reader, 29)
	require.NoError(t, err)
	require.False(t, before.Known(), "an archive may lack it")
}

// untimed is a source with an invalid time in the block at a height.
type untimed struct {
	source.Source
	height uint64
}

func (u *untimed) Unwrap() source.Source { return u.Source }

func (u *untimed) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := u.Source.Block(ctx, height)
	if err == nil && height == u.height {
		for i := range b.Extrinsics {
			if b.Extrinsics[i].Pallet == "timestamp" {
				b.Extrinsics[i].Args = nil
			}
		}
	}
	return b, err
}

// A block with an invalid time is known nonetheless: the next one is checked to be its child.
func TestBeforeWithoutATime(t *testing.T) {
	p := prover(t, nil)
	p.Reader.Source = &untimed{p.Reader.Source, 4}
	before, err := prove.Before(ctx, p.Reader, 5)
	require.NoError(t, err)
	b, known := before.Get()
	require.True(t, known)
	require.False(t, b.Time.Known())
	for x, err := range p.Range(ctx, chain.Heights{First: 5, Last: 5}, before) {
		require.NoError(t, err)
		require.Equal(t, 1, tally(x.Report, "block.parent"))
		require.Empty(t, x.Report.Findings)
	}
	b.Hash[0] ^= 1
	for x, err := range p.Range(ctx, chain.Heights{First: 5, Last: 5}, chain.Some(b)) {
		require.NoError(t, err)
		require.Equal(t, "block.parent", x.Report.Findings[0].Check)
	}
}

// A block that could not be fully checked is held back before an error: a retry might change its result. At
// the end of a range, its report names what is missing.
func TestRangeOfASourceThatIsAway(t *testing.T) {
	heights, findings, err := collect(prover(t, map[uint64]int{4: 1}), 2, 9, nothing) // what block 5 is priced by
	require.ErrorIs(t, err, away)
	require.Equal(t, []uint64{2, 3, 4}, heights)
	require.Empty(t, findings)

	heights, _, err = collect(prover(t, map[uint64]int{4: 2}), 2, 9, nothing)
	require.ErrorIs(t, err, away)
	require.Equal(t, []uint64{2, 3}, heights, "what block 4 stored is not known either")

	heights, findings, err = collect(prover(t, map[uint64]int{5: 1}), 2, 5, nothing) // what the last one stored
	require.NoError(t, err)
	require.Equal(t, []uint64{2, 3, 4, 5}, heights)
	require.Equal(t, []string{"the multiplier was not checked"}, findings)
	for x, err := range prover(t, map[uint64]int{5: 1}).Range(ctx, chain.Heights{First: 2, Last: 5}, nothing) {
		require.NoError(t, err)
		if x.Report.Number < 5 {
			require.Empty(t, x.Report.Unanswered)
			continue
		}
		q := evidence.FailedRequest{About: evidence.AboutMultiplier, At: 5, Why: "busy"}
		require.Equal(t, []evidence.FailedRequest{q}, x.Report.Unanswered)
		require.Contains(t, x.Report.Notes, q.String())
		summary := evidence.NewSummary()
		summary.Add(x.Report)
		require.Equal(t, 1, summary.Unanswered)
		require.Equal(t, &q, summary.FirstUnanswered)
	}
}

// answering is a recorded source with a different multiplier at one height.
type answering struct {
	source.Source
	at     uint64
	answer func(chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error)
}

func (a *answering) Unwrap() source.Source { return a.Source }

func (a *answering) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m, err := a.Source.Multiplier(ctx, at)
	if err == nil && at == a.at {
		return a.answer(m)
	}
	return m, err
}

// The same multiplier is judged alike for the block below the range, for one in it, and for the last one.
func TestAnAnswerIsJudgedTheSameEverywhere(t *testing.T) {
	malformed := &sidecar.DecodeError{What: "multiplier", Err: errors.New("status 204: the response is empty")}
	refused := &httpclient.StatusError{Code: 401}
	for name, c := range map[string]struct {
		answer func(chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error)
		want   error
	}{
		"another block's": {func(m chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error) {
			m.AtHash = chain.Some(chain.Hash{1})
			m.Value = chain.NewMultiplier(5)
			return m, nil
		}, chain.ErrWrongBlock},
		"garbage, or nothing": {func(m chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error) {
			return m, malformed
		}, malformed},
		"refused": {func(m chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error) {
			return m, refused
		}, refused},
		"cannot tell": {func(m chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error) {
			return m, chain.ErrUnsupported
		}, chain.ErrUnsupported},
	} {
		for at, delivered := range map[uint64][]uint64{9: nil, 12: {10, 11}, 15: {10, 11, 12, 13, 14}} {
			p := prover(t, nil)
			p.Reader.Source = &answering{p.Reader.Source, at, c.answer}
			heights, findings, err := collect(p, 10, 15, nothing)
			require.ErrorIs(t, err, c.want, "%s at %d", name, at)
			require.Equal(t, delivered, heights, "%s at %d", name, at)
			require.Empty(t, findings, "%s at %d", name, at)
		}
	}
	// A multiplier with just a different value is a finding, wherever it is.
	other := func(m chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error) {
		m.Value = chain.NewMultiplier(1_000_000_000_000_000_001)
		return m, nil
	}
	for at := uint64(10); at <= 15; at++ {
		p := prover(t, nil)
		p.Reader.Source = &answering{p.Reader.Source, at, other}
		_, findings, err := collect(p, 10, 15, nothing)
		require.NoError(t, err)
		require.Contains(t, findings, "block.multiplier", "at %d", at)
	}
}

// A caller that leaves a range early, or ends it by an error, does not wait for anything in flight, be it a
// request or a proof that only its context ends.
func TestRangeIsLeftEarly(t *testing.T) {
	for name, leave := range map[string]func(*prove.Prover){
		"the caller leaves": func(*prove.Prover) {},
		"a proof fails":     nil,
	} {
		p := prover(t, nil)
		p.Concurrency = 4
		var begun sync.WaitGroup
		begun.Add(2) // of the proofs of blocks 4 and more
		var count sync.Map
		p.Prove = func(ctx context.Context, item source.Item) (*evidence.Report, []chain.Balance, error) {
			if item.Block.Number < 4 {
				if item.Block.Number == 3 {
					begun.Wait()
					if leave == nil {
						return nil, nil, errFailed
					}
				}
				report, err := prove.Block(ctx, p.Reader, item, p.Options)
				return report, nil, err
			}
			if _, again := count.LoadOrStore(item.Block.Number, true); !again && item.Block.Number < 6 {
				begun.Done()
			}
			<-ctx.Done()
			return nil, nil, ctx.Err()
		}
		ended := make(chan error, 1)
		go func() {
			var failed error
			for x, err := range p.Range(ctx, chain.Heights{First: 2, Last: 20}, nothing) {
				if failed = err; err != nil || x.Report.Number == 2 && leave != nil {
					break
				}
			}
			ended <- failed
		}()
		select {
		case err := <-ended:
			if leave == nil {
				require.ErrorIs(t, err, errFailed)
			} else {
				require.NoError(t, err)
			}
		case <-time.After(time.Minute):
			t.Fatal(name + ": the range waits for what is under way")
		}
	}
}

var errFailed = errors.New("failed")

// Follow waits out transient errors.
func TestFollow(t *testing.T) {
	p := prover(t, map[uint64]int{27: 1})
	var troubles []error
	options := source.FollowOptions{From: chain.Some(uint64(25)), Concurrency: 2, Trouble: func(err error) { troubles = append(troubles, err) }}
	before, err := prove.Before(ctx, p.Reader, 25)
	require.NoError(t, err)
	var heights []uint64
	for x, err := range p.Follow(ctx, source.Poll(p.Reader.Source, time.Hour), options, before) {
		require.NoError(t, err)
		heights = append(heights, x.Report.Number)
		require.Empty(t, x.Report.Findings)
		require.Equal(t, 1, tally(x.Report, "block.multiplier"))
		require.Equal(t, 1, tally(x.Report, "block.parent"))
		if x.Report.Number == 27 {
			break
		}
	}
	require.Equal(t, []uint64{25, 26, 27}, heights)
	require.Len(t, troubles, 1)
	require.ErrorIs(t, troubles[0], away)
}

// Follow does not wait forever for data on which no fee depends, and ends after a response that stays wrong.
func TestFollowIsNotHeld(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		fails bool
	}{
		"away":  {away, false},
		"wrong": {&sidecar.DecodeError{What: "multiplier", Err: errors.New("garbage")}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := prover(t, nil)
			asked := 0
			p.Reader.Source = &answering{p.Reader.Source, 27, func(m chain.AtBlock[chain.Multiplier]) (chain.AtBlock[chain.Multiplier], error) {
				asked++
				return m, c.err
			}}
			options := source.FollowOptions{From: chain.Some(uint64(27)), Concurrency: 2}
			delivered := 0
			for x, err := range p.Follow(t.Context(), source.Poll(p.Reader.Source, time.Hour), options, nothing) {
				if c.fails {
					require.ErrorIs(t, err, c.err, name)
					break
				}
				require.NoError(t, err, name)
				require.Equal(t, []evidence.FailedRequest{{About: evidence.AboutMultiplier, At: 27, Why: "busy"}}, x.Report.Unanswered)
				delivered++
				break
			}
			require.Equal(t, 10, asked, name)
			require.Equal(t, !c.fails, delivered == 1, name)
		})
	}
}

// forged is a source in which some blocks are changed.
type forged struct {
	source.Source
	forge func(*chain.Block)
}

func (f forged) Unwrap() source.Source { return f.Source }

func (f forged) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := f.Source.Block(ctx, height)
	if err == nil {
		f.forge(b)
	}
	return b, err
}

// A transaction omitted from a block is revealed by its account's next one, in a range and as the chain grows.
func TestNoncesGoOn(t *testing.T) {
	recorded, err := answers.OpenDirectory("../../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	height, last := uint64(0), 0
	forge := func(b *chain.Block) {
		if b.Number == height {
			b.Extrinsics = b.Extrinsics[:last]
		}
	}
	p := &prove.Prover{Reader: &source.Reader{Source: forged{recorded, forge}, Tables: network.BuiltIn()}, Concurrency: 2}
	_, findings, err := collect(p, 3, 25, nothing)
	require.NoError(t, err)
	require.Empty(t, findings)

	height, last = 5, 4 // without its six transactions
	_, findings, err = collect(p, 3, 25, nothing)
	require.NoError(t, err)
	require.Contains(t, findings, "block.nonce")

	heads := func(context.Context) iter.Seq2[chain.Head, error] {
		return func(yield func(chain.Head, error) bool) { yield(chain.Head{Number: 25}, nil) }
	}
	found := map[string]bool{}
	for x, err := range p.Follow(ctx, heads, source.FollowOptions{From: chain.Some[uint64](3)}, nothing) {
		if err != nil {
			break
		}
		for _, f := range x.Report.Findings {
			found[f.Check] = true
		}
	}
	require.True(t, found["block.nonce"])
}

// weighed is a source with block weights that match the events, and sometimes without.
type weighed struct {
	source.Source
	runtime uint32
	fails   int
	asked   atomic.Int64
}

func (w *weighed) Unwrap() source.Source { return w.Source }

func (w *weighed) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	r, err := w.Source.Runtime(ctx, at)
	r.Value.SpecVersion = w.runtime
	return r, err
}

func (w *weighed) BlockWeight(ctx context.Context, at uint64) (none chain.AtBlock[chain.ClassWeights], err error) {
	if w.asked.Add(1) <= int64(w.fails) {
		return none, away
	}
	b, err := w.Block(ctx, at)
	if err != nil {
		return none, err
	}
	sums := map[chain.DispatchClass]uint64{}
	for i := range b.Extrinsics {
		outcome, _ := b.Extrinsics[i].Outcome()
		class, _ := outcome.Class()
		weight, _ := outcome.Weight()
		sums[class] += weight.RefTime.Uint64()
	}
	of := func(class chain.DispatchClass) chain.Weight {
		return chain.Weight{RefTime: chain.NewRefTime(sums[class])}
	}
	weights := chain.ClassWeights{Normal: of(chain.Normal), Operational: of(chain.Operational), Mandatory: of(chain.Mandatory)}
	return chain.AtBlock[chain.ClassWeights]{At: at, AtHash: chain.Some(b.Hash), Value: weights}, err
}

// The source is asked for a block's weight if the runtime's row requires it: once per block.
func TestBlockWeightIsAsked(t *testing.T) {
	recorded, err := answers.OpenDirectory("../../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	for runtime, asked := range map[uint32]int64{2100: 0, 2600: 5} {
		s := &weighed{Source: recorded, runtime: runtime}
		p := &prove.Prover{Reader: &source.Reader{Source: s, Tables: network.BuiltIn()}, Concurrency: 2}
		held := 0
		for x, err := range p.Range(ctx, chain.Heights{First: 3, Last: 7}, nothing) {
			require.NoError(t, err)
			held += tally(x.Report, "block.weighed")
		}
		require.Equal(t, asked, s.asked.Load(), "runtime %d", runtime)
		require.Equal(t, int(asked), held)
	}
	s := &weighed{Source: recorded, runtime: 2600, fails: 100}
	p := &prove.Prover{Reader: &source.Reader{Source: s, Tables: network.BuiltIn()}, Concurrency: 1}
	for x, err := range p.Range(ctx, chain.Heights{First: 3, Last: 7}, nothing) {
		require.NoError(t, err, "it stops no range")
		require.Equal(t, []evidence.FailedRequest{{About: evidence.AboutBlockWeight, At: x.Block.Number, Why: away.Error()}}, x.Report.Unanswered)
	}
}
