package proof_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

var ctx = context.Background()

// away is what passes.
var away = &source.TemporaryError{Err: errors.New("busy")}

// moody is a recorded source that does not answer for the multipliers of some heights,
// some times.
type moody struct {
	source.Source
	mu    sync.Mutex
	fails map[uint64]int
}

func (m *moody) Multiplier(ctx context.Context, at uint64) (gatewayclient.StoredMultiplier, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails[at] != 0 {
		m.fails[at]--
		return gatewayclient.StoredMultiplier{}, away
	}
	return m.Source.Multiplier(ctx, at)
}

func prover(t *testing.T, fails map[uint64]int) *proof.Prover {
	recorded, err := archive.OpenDirectory("../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	return &proof.Prover{Reader: &source.Reader{Source: &moody{Source: recorded, fails: fails}, Tables: network.BuiltIn()}, Concurrency: 2}
}

var nothing chain.Optional[evidence.Predecessor]

// collect are the heights that a range delivers, how often the multiplier's update was
// checked, and the error at its end.
func collect(p *proof.Prover, first, last uint64, before chain.Optional[evidence.Predecessor]) (heights []uint64, findings []string, err error) {
	for x, err := range p.Range(ctx, source.Range{First: first, Last: last}, before) {
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

// Every block is checked against its neighbours, the first too where the block below
// is known, and the last by what it stored.
func TestRange(t *testing.T) {
	heights, findings, err := collect(prover(t, nil), 2, 5, nothing)
	require.NoError(t, err)
	require.Equal(t, []uint64{2, 3, 4, 5}, heights)
	require.Empty(t, findings, "nothing is known of block 1")

	p := prover(t, nil)
	before, err := proof.Before(ctx, p.Reader, 2)
	require.NoError(t, err)
	_, findings, err = collect(p, 2, 5, before)
	require.NoError(t, err)
	require.Equal(t, []string{"block.time"}, findings, "the recorded block 1 is dated later than block 2")

	before, err = proof.Before(ctx, p.Reader, 0)
	require.NoError(t, err)
	require.False(t, before.Known())
	before, err = proof.Before(ctx, p.Reader, 29)
	require.NoError(t, err)
	require.False(t, before.Known(), "an archive may lack it")
}

// A block that could not be checked whole is held back: it would be judged otherwise
// the next time.
func TestRangeOfASourceThatIsAway(t *testing.T) {
	heights, _, err := collect(prover(t, map[uint64]int{5: 1}), 2, 5, nothing) // what the last one stored
	require.ErrorIs(t, err, away)
	require.Equal(t, []uint64{2, 3, 4}, heights)

	heights, findings, err := collect(prover(t, map[uint64]int{4: 1}), 2, 9, nothing) // what block 5 is priced by
	require.ErrorIs(t, err, away)
	require.Equal(t, []uint64{2, 3, 4}, heights)
	require.Empty(t, findings)

	heights, _, err = collect(prover(t, map[uint64]int{4: 2}), 2, 9, nothing)
	require.ErrorIs(t, err, away)
	require.Equal(t, []uint64{2, 3}, heights, "what block 4 stored is not known either")
}

// A chain that is followed waits for what passes.
func TestFollow(t *testing.T) {
	p := prover(t, map[uint64]int{27: 1})
	var troubles []error
	options := source.FollowOptions{From: chain.Some(uint64(25)), Concurrency: 2, Trouble: func(err error) { troubles = append(troubles, err) }}
	before, err := proof.Before(ctx, p.Reader, 25)
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
