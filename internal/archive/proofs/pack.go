package proofs

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/internal/sys/disk"
)

// Size limits of files. A thousand blocks are far smaller, and so are a node's answers about a runtime.
const (
	maxBlocks  = 1 << 30
	maxHeaders = 16 << 20
	maxRuntime = 64 << 20 // metadata, or the proof of a code
)

// The only encoder and decoder: their output depends on nothing but the input. The next higher compression level
// makes blocks 2 % smaller in four times the time, the next lower 2 % larger in a third of the time.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithZeroFrames(true))
		if err != nil {
			panic(err) // invalid options
		}
		return e
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
)

func pack(bytes []byte) []byte { return packer().EncodeAll(bytes, nil) }

// maxPacked is zstd's highest compression: a block of 128 KiB takes at least three bytes.
const maxPacked = 1 << 16

// smallFrame is the maximum content of a frame that does not state its size: the encoder states larger sizes.
const smallFrame = 255

// unpack decompresses a frame. It allocates no more than the size that the frame states, which is limited.
func unpack(packed []byte, limit int) ([]byte, error) {
	var frame zstd.Header
	if err := frame.Decode(packed); err != nil {
		return nil, fmt.Errorf("cannot be decompressed: %w", err)
	}
	if !disk.OneFrame(packed, frame.HeaderSize, frame.HasCheckSum) || frame.Skippable {
		return nil, errors.New("not exactly one zstd frame")
	}
	size := uint64(smallFrame)
	if frame.HasFCS {
		size = frame.FrameContentSize
	}
	if size > uint64(limit) || size > maxPacked*uint64(len(packed)) {
		return nil, fmt.Errorf("cannot be decompressed: larger than %d bytes", limit)
	}
	bytes, err := unpacker().DecodeAll(packed, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("cannot be decompressed: %w", err)
	}
	return bytes, nil
}
