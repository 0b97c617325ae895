package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// A head is compared with a trail that may have grown since; its text is read only as it was written.
func TestTrailHead(t *testing.T) {
	one, two, three := ledger.Act{Digest: ledger.Digest{1}}, ledger.Act{Digest: ledger.Digest{2}}, ledger.Act{Digest: ledger.Digest{3}}
	head := ledger.HeadOf([]ledger.Act{one, two})
	require.Equal(t, "2:02"+strings.Repeat("0", 62), head.String())
	read, err := ledger.ParseTrailHead(head.String())
	require.NoError(t, err)
	require.Equal(t, head, read)
	require.NoError(t, head.Compare([]ledger.Act{one, two}))
	require.NoError(t, head.Compare([]ledger.Act{one, two, three}))
	for message, trail := range map[string][]ledger.Act{
		"it has 1 line, fewer than the 2": {one}, "it has 0 lines, fewer than the 2": nil, "line 2 has the digest 03": {one, three}, "line 2 has the digest 01": {two, one, three},
	} {
		err := head.Compare(trail)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, message)
	}
	none := ledger.HeadOf(nil)
	require.NoError(t, none.Compare(nil))
	require.NoError(t, none.Compare([]ledger.Act{one}))
	for _, text := range []string{"", none.String(), "2", "2:", ":" + read.Digest.String(), "02:" + read.Digest.String(), "2:" + strings.ToUpper("ab"+strings.Repeat("0", 62)), "0:" + read.Digest.String(), "2:" + strings.Repeat("0", 64), "-1:" + read.Digest.String(), head.String() + " "} {
		_, err := ledger.ParseTrailHead(text)
		require.Error(t, err, text)
	}
}
