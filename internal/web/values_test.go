package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// Fees and charge are one figure only if they are known to be equal, for each transaction.
func TestFeesAndCharge(t *testing.T) {
	seven, eight := chain.NewWei(7), chain.Some(chain.NewWei(8))
	for _, c := range []struct {
		charged chain.Optional[chain.Wei]
		unequal uint64
		names   []string
	}{
		{chain.Some(seven), 0, []string{"equal"}},
		{chain.Some(seven), 1, []string{"fees", "charged on chain"}},
		{eight, 0, []string{"fees", "charged on chain"}},
		{chain.Optional[chain.Wei]{}, 0, []string{"fees", "charged on chain"}},
	} {
		var names []string
		for _, f := range feesAndCharge("equal", seven, c.charged, c.unequal, console.Token{}) {
			names = append(names, f.Name)
		}
		require.Equal(t, c.names, names)
	}
}
