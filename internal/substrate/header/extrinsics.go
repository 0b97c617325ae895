package header

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// RootError means that extrinsics do not match a header's root. It is a [chain.ErrWrongBlock].
type RootError struct {
	Computed chain.Hash // from the extrinsics
	Header   chain.Hash // the header's extrinsicsRoot
}

func (e *RootError) Error() string {
	return fmt.Sprintf("their root is %v, but the header's extrinsicsRoot is %v", e.Computed, e.Header)
}

// Unwrap returns [chain.ErrWrongBlock].
func (e *RootError) Unwrap() error { return chain.ErrWrongBlock }

// ProveExtrinsics compares a block's extrinsics, each encoded with its length prefix, with the root in its
// header. The error is a [RootError].
//
// The runtime decides the layout of the root ([trie.ListRoot]). Both are accepted: two different lists never
// have the same root, in either layout.
func (h *Header) ProveExtrinsics(list [][]byte) error {
	root := trie.ListRoot(list, trie.Layout0)
	if root == h.ExtrinsicsRoot || trie.ListRoot(list, trie.Layout1) == h.ExtrinsicsRoot {
		return nil
	}
	return &RootError{Computed: root, Header: h.ExtrinsicsRoot}
}
