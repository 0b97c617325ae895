package proofs

import "github.com/feeledger/fees/chain"

// heights caches the heights of blocks by hash: those with the most recently read headers.
type heights struct{ young, old map[chain.Hash]uint64 }

// manyHeights is how many of the most recent heights are at least cached.
const manyHeights = 1 << 16

func (h *heights) add(hash chain.Hash, height uint64) {
	if h.young == nil || len(h.young) == manyHeights {
		h.young, h.old = map[chain.Hash]uint64{}, h.young
	}
	h.young[hash] = height
}

func (h *heights) of(hash chain.Hash) (height uint64, known bool) {
	if height, known = h.young[hash]; !known {
		height, known = h.old[hash]
	}
	return height, known
}
