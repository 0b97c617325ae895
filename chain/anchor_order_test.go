package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

func TestAnchorsInOrder(t *testing.T) {
	a := chain.Anchor{Height: 7, Hash: chain.Hash{0xef}}
	for _, other := range []struct {
		than chain.Anchor
		is   int
	}{
		{a, 0}, {chain.Anchor{Height: 6, Hash: chain.Hash{0xff}}, 1}, {chain.Anchor{Height: 8}, -1},
		{chain.Anchor{Height: 7, Hash: chain.Hash{0xee}}, 1}, {chain.Anchor{Height: 7, Hash: chain.Hash{0xff}}, -1},
	} {
		require.Equal(t, other.is, a.Compare(other.than), "%v", other.than)
	}
}
