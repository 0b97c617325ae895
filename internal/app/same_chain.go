package app

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/source"
)

// OtherChainError says that a node and a gateway are not of one chain.
type OtherChainError struct {
	node, gateway string // their addresses, as they may be shown
	height        uint64
	ofNode        chain.Hash
	ofGateway     chain.Hash
}

func (e *OtherChainError) Error() string {
	return fmt.Sprintf("the node at %s is not of the chain of the gateway %s: its block %d is %v, the gateway's %v; name the gateway's own node with --node or FEES_NODE",
		e.node, e.gateway, e.height, e.ofNode, e.ofGateway)
}

// SameChain compares a node's chain with a gateway's.
type SameChain struct {
	Source        source.Source
	Node          BlockHashes
	Place, NodeAt string // where they are, as it may be shown
}

// BlockHashes has the hashes of a chain's blocks.
type BlockHashes interface {
	BlockHash(ctx context.Context, height uint64) (chain.Hash, error)
}

// Check is an OtherChainError where the two are not of one chain. They are compared by
// their blocks 0, or where the gateway lacks it by its final head. Where one of them
// cannot tell now, it is not known.
func (s *SameChain) Check(ctx context.Context) (known bool, err error) {
	b, err := s.Source.Block(ctx, 0)
	if source.Lacks(err) {
		b, err = s.Source.Head(ctx, false)
	}
	if err != nil {
		return false, nil
	}
	hash, err := s.Node.BlockHash(ctx, b.Number)
	if err != nil {
		return false, nil
	}
	if hash != b.Hash {
		return true, &OtherChainError{s.NodeAt, s.Place, b.Number, hash, b.Hash}
	}
	return true, nil
}
