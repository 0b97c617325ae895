package source

import (
	"context"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
)

// Source returns data of a chain. Multiplier and Runtime return the state after the block at a height, which
// is in force for the next one.
//
// Runtime and NodeVersion return [chain.ErrNotOffered] if the source does not support them. Errors for which
// [IsUnsupported] returns true are permanent. For a block that does not exist, a source of a whole chain returns
// [chain.ErrNoBlock], and one of a part of a chain returns [chain.ErrNotKept].
type Source interface {
	// Kept returns the heights that a source contains, if it contains a fixed part of a chain. It is unknown for a
	// source that grows.
	Kept() (chain.Optional[chain.Heights], error)
	// Proved returns the checkpoint that proves the source's data for the blocks up to it: by the headers in
	// between, and by their roots. It is unknown for a source without proofs, such as a gateway or a node.
	Proved() chain.Optional[chain.Anchor]
	// Portion returns the batch size that suits the source.
	Portion() chain.Portion
	// Prepare requests a batch of blocks in advance, so that later requests for them return at once. It returns an
	// error if the source does not respond.
	Prepare(ctx context.Context, blocks chain.Heights) error
	// FinalHead returns the height of the newest finalized block, and its hash or its parent's. It is cheaper than Head.
	FinalHead(ctx context.Context) (chain.Head, error)
	Head(ctx context.Context, unfinalized bool) (*chain.Block, error)
	Block(ctx context.Context, height uint64) (*chain.Block, error)
	BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error)
	Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error)
	// BaseFee returns the base fee per gas after the block at a height, from a storage item such as
	// "BaseFee.BaseFeePerGas".
	BaseFee(ctx context.Context, item string, at uint64) (chain.AtBlock[chain.GasPrice], error)
	Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error)
	NodeVersion(ctx context.Context) (chain.NodeVersion, error)
	FeesTreasuryProportion(ctx context.Context, key string, at uint64) (chain.AtBlock[chain.Optional[chain.Perbill]], error)
	// BlockWeight returns the weight that the chain counted for the block at a height, by class.
	BlockWeight(ctx context.Context, at uint64) (chain.AtBlock[chain.ClassWeights], error)
	// Extrinsics returns the encoded extrinsics of a block. All sources except a node return
	// [chain.ErrNotOffered].
	Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error)
	Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (chain.AtBlock[chain.Account], error)
}

// grows reports whether a source may contain more on a later request.
func grows(s Source) bool {
	kept, err := s.Kept()
	return err == nil && !kept.Known()
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
