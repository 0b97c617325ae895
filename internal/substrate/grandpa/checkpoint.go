package grandpa

import (
	"fmt"

	"github.com/feeledger/fees/internal/substrate/scale"
)

// maxForks limits the nesting of pending changes in a checkpoint. Real checkpoints have none.
const maxForks = 32

// LastBlock is a row of a checkpoint's table: a set's ID, and its last block.
type LastBlock struct{ SetID, Height uint64 }

// ReadAuthoritySet decodes a checkpoint's grandpaAuthoritySet, as chain specifications carry it in lightSyncState. It
// returns the current set, and the table of the sets before it. Search that table from its end: heights can repeat, or
// go down, after a forced change.
func ReadAuthoritySet(encoded []byte) (*Set, []LastBlock, error) {
	r := scale.NewReader(encoded)
	authorities := readAuthorities(r)
	id := r.U64()
	readForks(r, maxForks)
	if r.Option() {
		r.U32() // best finalized block
	}
	for range r.Length(minChangeBytes) {
		readPendingChange(r)
	}
	var table []LastBlock
	for range r.Length(8 + 4) {
		table = append(table, LastBlock{SetID: r.U64(), Height: uint64(r.U32())})
	}
	if err := r.End(); err != nil {
		return nil, nil, fmt.Errorf("authority set: %w", err)
	}
	set, err := NewSet(id, authorities)
	if err == nil && len(table) > 0 {
		set.First = table[len(table)-1].Height + 1
	}
	return set, table, err
}

// minChangeBytes is the size of the shortest pending change: an empty list, delay, height, hash and kind.
const minChangeBytes = 1 + 4 + 4 + 32 + 1

// readForks reads pending changes as a tree of forks (fork-tree, src/lib.rs).
func readForks(r *scale.Reader, depth int) {
	if depth == 0 {
		r.Fail("pending changes are nested more than %d deep", maxForks)
	}
	for range r.Length(32 + 4 + minChangeBytes + 1) {
		r.Bytes(32)
		r.U32()
		readPendingChange(r)
		readForks(r, depth-1)
		if r.Err() != nil {
			return
		}
	}
}

func readPendingChange(r *scale.Reader) {
	readAuthorities(r)
	r.U32()
	r.U32()
	r.Bytes(32)
	switch kind := r.U8(); kind {
	case 0: // takes effect when finalized
	case 1: // at once
		r.U32()
	default:
		r.Fail("unknown kind of pending change %d", kind)
	}
}
