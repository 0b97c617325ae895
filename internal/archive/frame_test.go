package archive

import (
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// A file is one zstd frame: what a decoder would skip, or append, is refused.
func TestUnpackWantsOneFrame(t *testing.T) {
	const skippable = "\x50\x2a\x4d\x18\x04\x00\x00\x00spam"
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	require.NoError(t, err)
	for _, text := range [][]byte{{}, []byte("a"), make([]byte, 300_000)} {
		packed := encoder.EncodeAll(text, nil)
		have, err := Unpack(packed, 1<<20)
		require.NoError(t, err)
		require.Equal(t, len(text), len(have))
		_, err = Unpack(packed, len(text))
		require.NoError(t, err, "a limit that is the size")
		if len(text) > 0 {
			_, err = Unpack(packed, len(text)-1)
			require.Error(t, err, "larger than the limit")
		}
		for what, other := range map[string][]byte{
			"after":    append(packed[:len(packed):len(packed)], skippable...),
			"before":   append([]byte(skippable), packed...),
			"another":  append(packed[:len(packed):len(packed)], packed...),
			"no block": packed[:len(packed)-len(packed)/2],
			"nothing":  nil,
			"a byte":   append(packed[:len(packed):len(packed)], 0),
		} {
			_, err := Unpack(other, 1<<20)
			require.Error(t, err, what)
		}
	}
}

// Whatever the bytes are, no more than the limit is unpacked.
func FuzzUnpack(f *testing.F) {
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	require.NoError(f, err)
	for _, size := range []int{0, 1, 300, 1 << 16, 1 << 20} {
		f.Add(encoder.EncodeAll(make([]byte, size), nil))
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		if content, err := Unpack(packed, 1<<16); err == nil {
			require.LessOrEqual(t, len(content), 1<<16)
		}
	})
}
