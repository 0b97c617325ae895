package proofs

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Size limits of files. A thousand blocks are far smaller, and so are a node's answers about a runtime.
const (
	maxBlocks  = 1 << 30
	maxHeaders = 16 << 20
	maxRuntime = 64 << 20 // metadata, or the proof of a code
)

// The only encoder: its output depends on nothing but the input. The next higher compression level
// makes blocks 2 % smaller in four times the time, the next lower 2 % larger in a third of the time.
var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // invalid options
	}
	return e
})

func pack(bytes []byte) []byte { return packer().EncodeAll(bytes, nil) }
