package chain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

func TestAnchor(t *testing.T) {
	const text = "16796696:0xef087d70dd12e19483664824894679360264159cd6e350da2ab79176a335687f"
	a, err := chain.ParseAnchor(text)
	require.NoError(t, err)
	require.Equal(t, uint64(16_796_696), a.Height)
	require.Equal(t, byte(0xef), a.Hash[0])
	require.Equal(t, text, a.String())

	for _, wrong := range []string{"", "25", "25:", ":" + text[9:], "-1" + text[8:], "4294967296" + text[8:], text[:40], text + "0", text + ":1"} {
		_, err := chain.ParseAnchor(wrong)
		require.ErrorContains(t, err, "want HEIGHT:HASH", wrong)
	}
}

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
