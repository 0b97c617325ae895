package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/source"
)

// otherChainError says that a node and a gateway are not of one chain.
type otherChainError struct {
	node, gateway string // their addresses, as they may be shown
	height        uint64
	ofNode        chain.Hash
	ofGateway     chain.Hash
}

func (e *otherChainError) Error() string {
	return fmt.Sprintf("the node at %s is not of the chain of the gateway %s: its block %d is %v, the gateway's %v; name the gateway's own node with --node or FEES_NODE",
		e.node, e.gateway, e.height, e.ofNode, e.ofGateway)
}

// sameChain compares a node's chain with a gateway's.
type sameChain struct {
	source        source.Source
	node          *nodeclient.Client
	place, nodeAt string // the addresses
}

// check is an otherChainError where the two are not of one chain. They are compared by
// their blocks 0, or where the gateway lacks it by its final head. Where one of them
// cannot tell now, it is not known.
func (s *sameChain) check(ctx context.Context) (known bool, err error) {
	b, err := s.source.Block(ctx, 0)
	if errors.Is(err, archive.ErrLacks) || errors.Is(err, chain.ErrNoBlock) {
		b, err = s.source.Head(ctx, false)
	}
	if err != nil {
		return false, nil
	}
	hash, err := s.node.BlockHash(ctx, b.Number)
	if err != nil {
		return false, nil
	}
	if hash != b.Hash {
		return true, &otherChainError{shownPlace(s.nodeAt), shownPlace(s.place), b.Number, hash, b.Hash}
	}
	return true, nil
}
