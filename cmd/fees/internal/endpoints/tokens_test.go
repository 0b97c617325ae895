package endpoints

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Amounts are shown in tokens only if their decimals are known: TAO has 9.
func TestTokens(t *testing.T) {
	amount := chain.NewWei(1_500_000_000_000_000_000)
	require.Equal(t, chain.Some("1.500000000000000000"), tokensOf(amount, chain.Some("GLMR")))
	require.False(t, tokensOf(amount, chain.Some("TAO")).Known())
	require.False(t, tokensOf(amount, chain.Optional[string]{}).Known())
}
