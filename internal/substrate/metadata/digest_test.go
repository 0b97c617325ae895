package metadata_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/test/realmetadata"
)

// The digests of all real metadata of version 15 and 16 equal those of an independent implementation
// (testdata/digests.mjs).
func TestDigest(t *testing.T) {
	text, err := os.ReadFile("testdata/digests.txt")
	require.NoError(t, err)
	want := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[name] = digest
	}
	compared := 0
	realmetadata.Each(t, func(name string, text []byte) {
		m, err := metadata.Parse(text)
		require.NoError(t, err)
		digest, err := m.Digest("GLMR", 18)
		if m.Version < 15 {
			require.ErrorContains(t, err, "do not define a digest")
			return
		}
		require.NoError(t, err)
		require.Equal(t, want[name], hex.EncodeToString(digest[:]), name)
		other, err := m.Digest("GLMR", 24)
		require.NoError(t, err)
		require.NotEqual(t, digest, other)
		compared++
	})
	require.Equal(t, len(want), compared)
}
