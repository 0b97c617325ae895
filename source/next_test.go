package source_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// The block after an upgrade is executed by the new runtime, and charged by the multiplier that the upgrading
// block stored.
func TestNext(t *testing.T) {
	src := &synthetic{upgrades: []uint64{1000}}
	for height, version := range map[uint64]uint32{0: firstRuntime, 999: firstRuntime, 1000: firstRuntime + 1, 1001: firstRuntime + 1} {
		next, err := src.reader().Next(context.Background(), source.Height(height))
		require.NoError(t, err)
		require.Equal(t, height, next.Block.Number)
		runtime, _ := next.Rules.Runtime.Get()
		require.Equal(t, version, runtime, "after block %d", height)
		m, _ := next.Multiplier.Get()
		require.Equal(t, chain.StoredMultiplier{At: height, Value: chain.NewMultiplier(height)}, m)

		// The next block is read with the same values.
		after, err := src.reader().Read(context.Background(), source.Height(height+1))
		require.NoError(t, err)
		require.Equal(t, after.Rules, next.Rules)
		require.Equal(t, after.Multiplier, next.Multiplier)
	}
}

// The specification's multiplier is that of the block itself, which does not exist yet: the newest one is
// used.
func TestNextBySpecification(t *testing.T) {
	reader := (&synthetic{}).reader()
	reader.Specification = true
	next, err := reader.Next(context.Background(), source.Ref{})
	require.NoError(t, err)
	require.Equal(t, "spec/mainnet", next.Rules.Name)
	m, _ := next.Multiplier.Get()
	require.Equal(t, uint64(lastBlock), m.At)
}

func TestNextRefusals(t *testing.T) {
	down := errors.New("down")
	lacks := func(*chain.AtBlock[chain.Multiplier]) error { return answers.ErrLacks }
	for name, c := range map[string]struct {
		src     *synthetic
		network string
		want    error
	}{
		"no block":                {&synthetic{block: func(*chain.Block) error { return down }}, "", down},
		"not final":               {&synthetic{block: func(b *chain.Block) error { b.Finalized = chain.Some(false); return nil }}, "", source.ErrNotFinal},
		"no runtime":              {&synthetic{runtime: func(*chain.AtBlock[chain.Runtime]) error { return down }}, "", down},
		"runtime of a fork":       {&synthetic{runtime: func(r *chain.AtBlock[chain.Runtime]) error { r.AtHash = chain.Some(hashOf(1)); return nil }}, "", chain.ErrWrongBlock},
		"another network":         {&synthetic{}, "moonriver", network.ErrConflict},
		"no multiplier":           {&synthetic{multiplier: lacks}, "", answers.ErrLacks},
		"multiplier of a fork":    {&synthetic{multiplier: func(m *chain.AtBlock[chain.Multiplier]) error { m.AtHash = chain.Some(hashOf(1)); return nil }}, "", chain.ErrWrongBlock},
		"static, multiplier down": {&synthetic{runtime: static, multiplier: func(*chain.AtBlock[chain.Multiplier]) error { return down }}, "", down},
	} {
		t.Run(name, func(t *testing.T) {
			reader := c.src.reader()
			reader.Network = c.network
			_, err := reader.Next(context.Background(), source.Height(7))
			require.ErrorIs(t, err, c.want)
		})
	}
	src := &synthetic{runtime: static, multiplier: lacks}
	next, err := src.reader().Next(context.Background(), source.Height(7))
	require.NoError(t, err)
	require.False(t, next.Multiplier.Known())
	require.Contains(t, next.Rules.Notes[0], "the multiplier is not stored")
}

// static makes the runtime one of those with a static base fee.
func static(r *chain.AtBlock[chain.Runtime]) error {
	r.Value.SpecVersion = 2100
	return nil
}
