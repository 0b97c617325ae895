package archive

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

var unpacker = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(err) // invalid options
	}
	return d
})

// maxRatio is zstd's highest compression: a block of 128 KiB takes at least three bytes.
const maxRatio = 1 << 16

// smallFrame is the maximum content of our frames without a stated size: the encoder states larger sizes.
const smallFrame = 255

// Unpack decompresses a frame. It allocates no more than the size that the frame states; if it states none, as those of
// encoders that do not know the size beforehand, four times its content. Both are limited.
func Unpack(packed []byte, limit int) ([]byte, error) {
	var frame zstd.Header
	if err := frame.Decode(packed); err != nil {
		return nil, fmt.Errorf("cannot be decompressed: %w", err)
	}
	if !oneFrame(packed, frame.HeaderSize, frame.HasCheckSum) || frame.Skippable {
		return nil, errors.New("not exactly one zstd frame")
	}
	most := min(uint64(limit), maxRatio*uint64(len(packed)))
	size := min(smallFrame, most)
	if frame.HasFCS {
		size = frame.FrameContentSize
	}
	if size > most {
		return nil, fmt.Errorf("cannot be decompressed: larger than %d bytes", limit)
	}
	for {
		content, err := unpacker().DecodeAll(packed, make([]byte, 0, size))
		if err == nil {
			return content, nil
		}
		if frame.HasFCS || size == most {
			return nil, fmt.Errorf("cannot be decompressed: %w", err)
		}
		size = min(4*size, most) // the error does not say whether it was too small
	}
}

// oneFrame reports whether packed bytes are exactly one zstd frame, followed by nothing that a decoder would skip or
// append. The frame's header gives the size of the header and whether a checksum follows the blocks.
//
// Source: RFC 8878, section 3.1.1.
func oneFrame(packed []byte, header int, sum bool) bool {
	const blockHeader, rle, sumSize = 3, 1, 4
	for at := header; at+blockHeader <= len(packed); {
		block := uint32(packed[at]) | uint32(packed[at+1])<<8 | uint32(packed[at+2])<<16
		size := int(block >> 3)
		if block>>1&3 == rle {
			size = 1
		}
		at += blockHeader + size
		if block&1 == 1 { // the last one
			if sum {
				at += sumSize
			}
			return at == len(packed)
		}
	}
	return false
}
