package header

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// RootError reports extrinsics that are not those of a header. It is a [chain.ErrWrongBlock].
type RootError struct {
	Computed chain.Hash // from the extrinsics
	Header   chain.Hash // the header's extrinsicsRoot
}

func (e *RootError) Error() string {
	return fmt.Sprintf("their root is %v, but the header's extrinsicsRoot is %v", e.Computed, e.Header)
}

// Unwrap returns [chain.ErrWrongBlock].
func (e *RootError) Unwrap() error { return chain.ErrWrongBlock }

// ProveExtrinsics compares a block's extrinsics, each encoded behind its length, with the root in its header. The
// error is a [RootError].
//
// The runtime decides which layout the root has ([trie.ListRoot]). Both are accepted: two lists never have the same
// root, in whichever layouts.
func (h *Header) ProveExtrinsics(list [][]byte) error {
	root := trie.ListRoot(list, trie.Layout0)
	if root == h.ExtrinsicsRoot || trie.ListRoot(list, trie.Layout1) == h.ExtrinsicsRoot {
		return nil
	}
	return &RootError{Computed: root, Header: h.ExtrinsicsRoot}
}
