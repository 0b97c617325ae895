package disk

// OneFrame reports whether packed bytes are exactly one zstd frame, followed by nothing that a decoder would skip or
// append. The frame's header gives the size of the header and whether a checksum follows the blocks.
//
// Source: RFC 8878, section 3.1.1.
func OneFrame(packed []byte, header int, sum bool) bool {
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
