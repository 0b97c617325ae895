package nodearchive

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxUnpacked is how much a file may hold: a thousand blocks are far less.
const maxUnpacked = 1 << 30

// The one encoder and the one decoder: what they make of a text depends on nothing else.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
		if err != nil {
			panic(err) // the options do not fit each other
		}
		return e
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxUnpacked), zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
)

func pack(bytes []byte) []byte { return packer().EncodeAll(bytes, nil) }

func unpack(packed []byte) ([]byte, error) {
	bytes, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	return bytes, nil
}
