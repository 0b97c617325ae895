package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Amounts are shown in tokens only if their decimals are known: those of TAO and DOT are in tables, HDX's are not.
func TestNetworkOfASymbol(t *testing.T) {
	require.Equal(t, "moonbeam", networkOf("GLMR").Name)
	require.EqualValues(t, 9, networkOf("TAO").Decimals)
	require.EqualValues(t, 10, networkOf("DOT").Decimals)
	require.Nil(t, networkOf("HDX"))
	require.Nil(t, networkOf(""))
}
