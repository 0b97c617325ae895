package proofs

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/internal/sys/disk"
)

// How much a file may hold at most. A thousand blocks are far less, and so is what a node
// answers of a runtime.
const (
	maxBlocks  = 1 << 30
	maxHeaders = 16 << 20
	maxRuntime = 64 << 20 // metadata, or the proof of a code
)

// The one encoder and the one decoder: what they make of a text depends on nothing else. Of the
// encoder's levels, the next one makes blocks smaller by a fiftieth in four times the time, and
// the one before larger by as much in a third of it.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithZeroFrames(true))
		if err != nil {
			panic(err) // the options do not fit each other
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

// mostPacked is how much zstd packs into a byte: a block of 128 KiB takes at least three.
const mostPacked = 1 << 16

// smallFrame is what a frame holds at most that does not say how much it holds: the encoder
// says it from there on.
const smallFrame = 255

// unpack takes as much memory as the frame says that it needs, which is not to be more than most.
func unpack(packed []byte, most int) ([]byte, error) {
	var frame zstd.Header
	if err := frame.Decode(packed); err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	if !disk.OneFrame(packed, frame.HeaderSize, frame.HasCheckSum) || frame.Skippable {
		return nil, errors.New("it is not one zstd frame")
	}
	size := uint64(smallFrame)
	if frame.HasFCS {
		size = frame.FrameContentSize
	}
	if size > uint64(most) || size > mostPacked*uint64(len(packed)) {
		return nil, fmt.Errorf("it cannot be unpacked: it holds more than %d bytes", most)
	}
	bytes, err := unpacker().DecodeAll(packed, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	return bytes, nil
}
