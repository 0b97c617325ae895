package header_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

// The root of no extrinsics is that of the empty trie, the extrinsics root of each Substrate chain's block 0:
// the BLAKE2b-256 of one zero byte. Any extrinsic changes it.
func TestProveExtrinsics(t *testing.T) {
	empty := hashOf(t, "0x03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314")
	h := &header.Header{Header: chain.Header{ExtrinsicsRoot: empty}}
	require.NoError(t, h.ProveExtrinsics(nil))
	err := h.ProveExtrinsics([][]byte{{4, 1}})
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "the header's extrinsicsRoot is "+empty.String())
	var root *header.RootError
	require.ErrorAs(t, err, &root)
	require.Equal(t, empty, root.Header)
	require.NotEqual(t, empty, root.Computed)
}
