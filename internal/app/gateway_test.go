package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Amounts are shown in tokens only if their decimals are known: TAO has 9.
func TestNetworkOfASymbol(t *testing.T) {
	require.Equal(t, "moonbeam", networkOf("GLMR").Name)
	require.Nil(t, networkOf("TAO"))
	require.Nil(t, networkOf(""))
}
