package ledger

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// TestSumsAreWhole adds to each sum alone, and wants it in the result and no other; the same sums as are stored.
func TestSumsAreWhole(t *testing.T) {
	var all []any
	sums := new(Sums)
	for _, count := range sums.counts() {
		all = append(all, count)
	}
	for _, amount := range sums.amounts() {
		all = append(all, amount)
	}
	var stored []any
	for _, f := range partSums {
		stored = append(stored, f.at(sums))
		one := new(Sums)
		switch x := f.at(one).(type) {
		case *uint64:
			*x = 3
		case *chain.Wei:
			*x = chain.NewWei(3)
		}
		two := *one
		require.NoError(t, two.Add(one), f.name)
		want := new(Sums)
		switch x := f.at(want).(type) {
		case *uint64:
			*x = 6
		case *chain.Wei:
			*x = chain.NewWei(6)
		}
		require.Equal(t, *want, two, f.name)
	}
	require.Len(t, all, len(stored))
	for _, sum := range stored {
		require.True(t, slices.Contains(all, sum)) // the same pointer
	}
}

// TestSumsNameWhatOverflows wants the name of the sum that is too large.
func TestSumsNameWhatOverflows(t *testing.T) {
	for _, f := range partSums {
		most, one := new(Sums), new(Sums)
		switch x := f.at(most).(type) {
		case *uint64:
			*x = 1<<63 - 1
			*f.at(one).(*uint64) = 1
		case *chain.Wei:
			most, err := chain.ParseWei("340282366920938463463374607431768211455")
			require.NoError(t, err)
			*x, *f.at(one).(*chain.Wei) = most, chain.NewWei(1)
		}
		err := most.Add(one)
		require.ErrorIs(t, err, chain.ErrOverflow, f.name)
		require.ErrorContains(t, err, "the sum of "+f.name+":")
	}
}
