package app

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/money"
)

// A line of a cover whose movements cancel each other is left out only if its value is known to be nothing: a value that is not
// known makes the valuation unknown. Without prices, no line has a value.
func TestCoverShowsLinesOfUnknownValue(t *testing.T) {
	nothing, unknown := chain.Some(money.NothingIn("EUR")), chain.Optional[money.Amount]{}
	some := chain.Some(chain.SignedWei{})
	for _, c := range []struct {
		value           chain.Optional[money.Amount]
		valued, nothing bool
	}{{nothing, true, true}, {unknown, true, false}, {unknown, false, true}} {
		line := closing.Figure{Name: "rewards", Amount: some}
		if amount, known := c.value.Get(); known {
			line.Value = chain.Some(amount.String())
		}
		require.Equal(t, c.nothing, isNothing(&line, c.valued))
	}
	column := rollforward.Column{Sums: []rollforward.Sum{{Line: rollforward.Rewards, Count: 2, Free: some, Reserved: some}}}
	list, err := figuresOf(&rollforward.Rollforward{Columns: []rollforward.Column{column}}, true)
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(list, func(f closing.Figure) bool { return f.Name == "rewards" && !f.Value.Known() }))
}
