package source

import (
	"context"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
)

// Source answers questions about a chain. Multiplier and Runtime are what the block at
// a height left behind, which is in force for the next one.
//
// Runtime and NodeVersion are [chain.ErrNotOffered] where the source cannot tell, and what
// [CannotTell] knows is an answer that will not change. A block that does not exist is
// [chain.ErrNoBlock] from a source of a whole chain, and [chain.ErrNotKept] from one that
// has a part of it.
type Source interface {
	// Kept are the heights that the source has, where it has what was kept of a chain
	// and will never have more. It is not known of a source that grows.
	Kept() (chain.Optional[chain.Heights], error)
	// Proved is the trusted block by which all is proved that the source says of the blocks
	// up to it: by the headers between, and by their roots. It is not known of a source whose
	// word is taken, as that of a gateway or a node is.
	Proved() chain.Optional[chain.Anchor]
	// Portion is how many neighbouring blocks are best asked for together.
	Portion() chain.Portion
	// Prepare asks for blocks of a portion that will be asked for one by one, so that those
	// questions are answered at once. It returns an error where nobody answers.
	Prepare(ctx context.Context, blocks chain.Heights) error
	// FinalHead is where the newest block that is final is. It costs less than Head.
	FinalHead(ctx context.Context) (chain.Head, error)
	Head(ctx context.Context, unfinalized bool) (*chain.Block, error)
	Block(ctx context.Context, height uint64) (*chain.Block, error)
	BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error)
	Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error)
	Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error)
	NodeVersion(ctx context.Context) (chain.NodeVersion, error)
	FeesTreasuryProportion(ctx context.Context, key string, at uint64) (chain.AtBlock[chain.Optional[chain.Perbill]], error)
	// BlockWeight is what the chain counted for the block at a height itself, by class.
	BlockWeight(ctx context.Context, at uint64) (chain.AtBlock[chain.ClassWeights], error)
	// Extrinsics are those of a block as they are encoded. They are [chain.ErrNotOffered]
	// by all but a node.
	Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error)
	Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (chain.AtBlock[chain.Account], error)
}

// grows tells whether a source may have more the next time it is asked.
func grows(s Source) bool {
	kept, err := s.Kept()
	return err == nil && !kept.Known()
}

// Ref names a block: by its height, by its hash, or as the head. The zero Ref is
// the head.
type Ref struct {
	height chain.Optional[uint64]
	hash   chain.Optional[chain.Hash]
}

// Height names the block at a height.
func Height(height uint64) Ref { return Ref{height: chain.Some(height)} }

// ByHash names the block with a hash.
func ByHash(hash chain.Hash) Ref { return Ref{hash: chain.Some(hash)} }

// ParseRef reads a height, a hash of 0x and 64 hex digits, or "head".
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
