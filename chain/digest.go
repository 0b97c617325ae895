package chain

import (
	"errors"
	"fmt"
)

// UnreportedError is the reason why a source does not report a part of a block, or a chain does not record it.
type UnreportedError string

func (u UnreportedError) Error() string { return string(u) }

// FrontierEngine is the engine of the digest item that lists a block's EVM transactions, "fron".
const FrontierEngine = "fron"

// The variants of the item's content (frontier, PostLog).
const (
	frontierHashes    = 1 // hash of the Ethereum block and hashes of its transactions
	frontierBlock     = 2 // the whole Ethereum block
	frontierBlockHash = 3 // only its hash
)

// ReadFrontier decodes the item of the engine "fron" in a block's digest: the variant, the hash of the Ethereum block,
// and a list of the hashes of its transactions. A digest contains exactly one such item.
//
// Source: frontier, primitives/consensus/src/lib.rs, find_post_log and PostLog.
func ReadFrontier(items ...[]byte) ([]Hash, error) {
	switch len(items) {
	case 0:
		return nil, errors.New("no item of the engine fron, which lists the EVM transactions")
	case 1:
	default:
		return nil, fmt.Errorf("%d items of the engine fron, want one", len(items))
	}
	item := items[0]
	if len(item) == 0 {
		return nil, errors.New("fron: the item is empty")
	}
	switch variant := item[0]; variant {
	case frontierHashes:
	case frontierBlock, frontierBlockHash:
		return nil, UnreportedError("the header's digest does not list the EVM transactions")
	default:
		return nil, fmt.Errorf("fron: unknown variant %d", variant)
	}
	var hash Hash
	if item = item[1:]; len(item) < len(hash) {
		return nil, errors.New("fron: the item ends within the hash of the Ethereum block")
	}
	count, list, ok := compact(item[len(hash):])
	if !ok || uint64(len(list)) != uint64(count)*uint64(len(hash)) {
		return nil, errors.New("fron: the list of hashes does not have its stated length")
	}
	hashes := make([]Hash, count)
	for i := range hashes {
		copy(hashes[i][:], list[i*len(hash):])
	}
	return hashes, nil
}

// compact decodes a SCALE compact integer of up to 30 bits from the start of data; it must have the shortest
// encoding.
func compact(data []byte) (n uint32, rest []byte, ok bool) {
	if len(data) == 0 {
		return 0, nil, false
	}
	const (
		one  = 1 << 6  // more than one byte encodes
		two  = 1 << 14 // more than two bytes encode
		mode = 3
	)
	size := 1 << (data[0] & mode) // 1, 2 or 4 bytes; 8 means more than 30 bits
	if size > 4 || len(data) < size {
		return 0, nil, false
	}
	for i := size - 1; i >= 0; i-- {
		n = n<<8 | uint32(data[i])
	}
	n >>= 2
	shortest := size == 1 || size == 2 && n >= one || size == 4 && n >= two
	return n, data[size:], shortest
}
