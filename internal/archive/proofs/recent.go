package proofs

import (
	"slices"

	"github.com/feeledger/fees/chain"
)

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

// recent is a cache of the most recently used values.
type recent[T any] struct {
	order []int // the most recently used last
	of    map[int]T
}

const maxRecent = 4

func (r *recent[T]) get(i int) (T, bool) {
	v, known := r.of[i]
	if known {
		r.use(i)
	}
	return v, known
}

func (r *recent[T]) keep(i int, v T) {
	if r.of == nil {
		r.of = map[int]T{}
	}
	if len(r.order) == maxRecent {
		delete(r.of, r.order[0])
		r.order = r.order[1:]
	}
	r.order = append(r.order, i)
	r.of[i] = v
}

func (r *recent[T]) use(i int) {
	at := slices.Index(r.order, i)
	r.order = append(slices.Delete(r.order, at, at+1), i)
}
