package source_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/source"
)

// Around a block are the multipliers of its grandparent and its own, and the rules of the next runtime if it
// was upgraded.
func TestNeighbours(t *testing.T) {
	ctx := context.Background()
	s := &synthetic{upgrades: []uint64{9}}
	item, err := s.reader().Read(ctx, source.Height(9))
	require.NoError(t, err)
	multipliers, rules, err := s.reader().Neighbours(ctx, item)
	require.NoError(t, err)
	require.Equal(t, []uint64{7, 9}, []uint64{multipliers[0].At, multipliers[1].At})
	require.Len(t, multipliers, 2)
	require.Len(t, rules, 1)
	executed, _ := item.Rules.Runtime.Get()
	next, _ := rules[0].Runtime.Get()
	require.Greater(t, next, executed)

	item, err = s.reader().Read(ctx, source.Height(10))
	require.NoError(t, err)
	_, rules, err = s.reader().Neighbours(ctx, item)
	require.NoError(t, err)
	require.Empty(t, rules, "the block after the upgrade was not upgraded again")

	s.multiplier = func(*chain.AtBlock[chain.Multiplier]) error { return errors.New("down") }
	s.runtime = func(*chain.AtBlock[chain.Runtime]) error { return errors.New("down") }
	multipliers, rules, err = s.reader().Neighbours(ctx, item)
	require.NoError(t, err)
	require.Empty(t, multipliers, "what cannot be read is left out")
	require.Empty(t, rules)

	// A transient error is different: a retry may succeed.
	for _, away := range []error{&source.TemporaryError{Err: errors.New("busy")}, &httpclient.UnreachableError{}, context.Canceled} {
		s.multiplier = func(*chain.AtBlock[chain.Multiplier]) error { return away }
		_, _, err = s.reader().Neighbours(ctx, item)
		require.ErrorIs(t, err, away)
		s.multiplier = nil
		s.runtime = func(*chain.AtBlock[chain.Runtime]) error { return away }
		_, _, err = s.reader().Neighbours(ctx, item)
		require.ErrorIs(t, err, away)
		s.runtime = nil
	}

	genesis := source.Item{Block: &chain.Block{Number: 0}}
	s.multiplier = nil
	multipliers, _, err = s.reader().Neighbours(ctx, genesis)
	require.NoError(t, err)
	require.Equal(t, uint64(0), multipliers[0].At)
	require.Len(t, multipliers, 1)
}
