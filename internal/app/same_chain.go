package app

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/source"
)

// OtherChainError reports that a node and a gateway are on different chains.
type OtherChainError struct {
	node, gateway string // their addresses without credentials
	height        uint64
	ofNode        chain.Hash
	ofGateway     chain.Hash
}

func (e *OtherChainError) Error() string {
	return fmt.Sprintf("the node at %s and the gateway at %s are on different chains: block %d is %v on the node and %v on the gateway; use the gateway's own node with --node or FEES_NODE",
		e.node, e.gateway, e.height, e.ofNode, e.ofGateway)
}

// SameChain compares a node's chain with a gateway's.
type SameChain struct {
	Source        source.Source
	Node          BlockHashes
	Place, NodeAt string // their addresses without credentials
}

// BlockHashes supplies the hashes of a chain's blocks.
type BlockHashes interface {
	BlockHash(ctx context.Context, height uint64) (chain.Hash, error)
}

// Check returns an OtherChainError if the two are on different chains. It compares their blocks 0, or the gateway's
// final head if the gateway lacks block 0. Known is false if one of them cannot answer now.
func (s *SameChain) Check(ctx context.Context) (known bool, err error) {
	b, err := s.Source.Block(ctx, 0)
	if source.IsMissing(err) {
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
