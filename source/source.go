package source

import (
	"context"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
)

// Source returns the blocks of a chain, and what prices them. Multiplier and Runtime return the state after the block at
// a height, which is in force for the next one. What else a source may offer, such as [Balances], [As] finds.
//
// Errors for which [IsUnsupported] returns true are permanent. For a block that does not exist, a source of a whole chain
// returns [chain.ErrNoBlock], and one of a part of a chain returns [chain.ErrNotKept].
type Source interface {
	// FinalHead returns the height of the newest finalized block, and its hash or its parent's. It is cheaper than Head.
	FinalHead(ctx context.Context) (chain.Head, error)
	Head(ctx context.Context, unfinalized bool) (*chain.Block, error)
	Block(ctx context.Context, height uint64) (*chain.Block, error)
	BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error)
	Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error)
	// Runtime returns [chain.ErrNotOffered] if the source does not know its runtimes, as some gateways.
	Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error)
}

// Ref identifies a block by its height, by its hash, or as the head. The zero Ref is the head.
type Ref struct {
	height chain.Optional[uint64]
	hash   chain.Optional[chain.Hash]
}

// Height returns a Ref to the block at a height.
func Height(height uint64) Ref { return Ref{height: chain.Some(height)} }

// ByHash returns a Ref to the block with a hash.
func ByHash(hash chain.Hash) Ref { return Ref{hash: chain.Some(hash)} }

// ParseRef parses a height, a hash of 0x and 64 hex digits, or "head".
func ParseRef(text string) (Ref, error) {
	if text == "head" {
		return Ref{}, nil
	}
	if hash, err := chain.ParseHash(text); err == nil {
		return ByHash(hash), nil
	}
	height, err := strconv.ParseUint(text, 10, 32) // the chain's heights are u32
	if err != nil {
		return Ref{}, fmt.Errorf("block %q: want a height from 0 to 4294967295, a hash of 0x and 64 hex digits, or head", text)
	}
	return Height(height), nil
}
