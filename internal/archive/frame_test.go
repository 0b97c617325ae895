package archive

import (
	"bytes"
	"runtime"
	"slices"
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

// A frame that does not state its size is read, up to the limit: encoders that do not know the size beforehand write such.
func TestUnpackWithoutSize(t *testing.T) {
	for _, size := range []int{0, 1, 255, 256, 300_000, 5_000_000} {
		text := bytes.Repeat([]byte("fees "), size/5+1)[:size]
		var packed bytes.Buffer
		encoder, err := zstd.NewWriter(&packed, zstd.WithZeroFrames(true))
		require.NoError(t, err)
		for part := range slices.Chunk(text, 1000) { // the encoder does not know that these are all
			_, err = encoder.Write(part)
			require.NoError(t, err)
		}
		require.NoError(t, encoder.Flush())
		require.NoError(t, encoder.Close())
		var frame zstd.Header
		require.NoError(t, frame.Decode(packed.Bytes()))
		require.False(t, frame.HasFCS)
		have, err := Unpack(packed.Bytes(), max(size, 1))
		require.NoError(t, err)
		require.Equal(t, len(text), len(have))
		require.True(t, bytes.Equal(text, have))
		if size > 1 {
			_, err = Unpack(packed.Bytes(), size-1)
			require.Error(t, err, "larger than the limit")
		}
	}
}

// A frame that states a large window and no size takes no more memory than its content may have.
func TestUnpackTakesLittleMemory(t *testing.T) {
	const length = 300
	packed := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 1 | 1<<1 | length<<3&0xff, length << 3 >> 8, 0, 'x'} // a window of 128 MiB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	content, err := Unpack(packed, 1000)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Len(t, content, length)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// Whatever the bytes are, no more than the limit is unpacked.
func FuzzUnpack(f *testing.F) {
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	require.NoError(f, err)
	for _, size := range []int{0, 1, 300, 1 << 16, 1 << 20} {
		f.Add(encoder.EncodeAll(make([]byte, size), nil))
	}
	var streamed bytes.Buffer
	stream, err := zstd.NewWriter(&streamed)
	require.NoError(f, err)
	_, err = stream.Write(make([]byte, 1000))
	require.NoError(f, err)
	require.NoError(f, stream.Flush())
	require.NoError(f, stream.Close())
	f.Add(streamed.Bytes())
	f.Fuzz(func(t *testing.T, packed []byte) {
		if content, err := Unpack(packed, 1<<16); err == nil {
			require.LessOrEqual(t, len(content), 1<<16)
		}
	})
}
