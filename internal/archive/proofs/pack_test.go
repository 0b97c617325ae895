package proofs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A file is one zstd frame: what a decoder would skip, or append, is refused.
func TestUnpackWantsOneFrame(t *testing.T) {
	const skippable = "\x50\x2a\x4d\x18\x04\x00\x00\x00spam"
	for _, text := range [][]byte{{}, []byte("a"), make([]byte, 300_000)} {
		packed := pack(text)
		have, err := unpack(packed, 1<<20)
		require.NoError(t, err)
		require.Equal(t, len(text), len(have))
		for what, other := range map[string][]byte{
			"after":   append(packed[:len(packed):len(packed)], skippable...),
			"before":  append([]byte(skippable), packed...),
			"another": append(packed[:len(packed):len(packed)], packed...),
			"a byte":  append(packed[:len(packed):len(packed)], 0),
		} {
			_, err := unpack(other, 1<<20)
			require.Error(t, err, what)
		}
	}
}
