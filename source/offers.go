package source

import (
	"context"

	"github.com/feeledger/fees/chain"
)

// As returns a source as one that offers more than [Source], such as [Balances]: itself, or the source that its method
// Unwrap returns. It returns [chain.ErrNotOffered] if neither does. A source at an http URL may offer more after its first
// response, which reveals a node.
func As[T any](s Source) (T, error) {
	for {
		if offers, ok := s.(T); ok {
			return offers, nil
		}
		wrapper, ok := s.(interface{ Unwrap() Source })
		if !ok {
			var none T
			return none, chain.ErrNotOffered
		}
		s = wrapper.Unwrap()
	}
}

// Part is a source that contains a fixed part of a chain, such as an archive. Other sources grow.
type Part interface {
	Kept() (chain.Heights, error)
}

// Kept returns the heights that a source contains. They are unknown for a source that grows.
func Kept(s Source) (none chain.Optional[chain.Heights], err error) {
	part, err := As[Part](s)
	if err != nil {
		return none, nil
	}
	heights, err := part.Kept()
	if err != nil {
		return none, err
	}
	return chain.Some(heights), nil
}

// grows reports whether a source may contain more on a later request.
func grows(s Source) bool {
	kept, err := Kept(s)
	return err == nil && !kept.Known()
}

// Proofs is a source that proves its data.
type Proofs interface {
	// Proved returns the checkpoint that proves the data for the blocks up to it: by the headers in between, and by
	// their roots. It is unknown without a checkpoint.
	Proved() chain.Optional[chain.Anchor]
}

// Batches is a source that reads consecutive blocks with one message.
type Batches interface {
	// BatchSize returns how many blocks that are, and how many requests the message contains.
	BatchSize() (blocks, requests uint64)
	// Prepare reads a batch, so that later requests for its blocks return at once. It returns an error if the source
	// does not respond.
	Prepare(ctx context.Context, blocks chain.Heights) error
}

// BatchSize returns the number of blocks that a source reads at once, and of the requests that this takes: one block, with
// a request for it and one for its multiplier, if the source does not offer [Batches].
func BatchSize(s Source) (blocks, requests uint64) {
	batches, err := As[Batches](s)
	if err != nil {
		return 1, 2
	}
	return batches.BatchSize()
}

// NodeVersions is a source that returns the version of its node.
type NodeVersions interface {
	NodeVersion(ctx context.Context) (chain.NodeVersion, error)
}

// BaseFees is a source that returns the base fee per gas after the block at a height, from a storage item such as
// "BaseFee.BaseFeePerGas".
type BaseFees interface {
	BaseFee(ctx context.Context, item string, at uint64) (chain.AtBlock[chain.GasPrice], error)
}

// Balances is a source that returns the balance of an account after the block at a height, or at the head if at is unknown.
type Balances interface {
	Balance(ctx context.Context, account chain.Address, at chain.Optional[uint64]) (chain.AtBlock[chain.Account], error)
}

// TreasuryProportions is a source that returns the parameter FeesTreasuryProportion after the block at a height, by its key
// in SCALE.
type TreasuryProportions interface {
	FeesTreasuryProportion(ctx context.Context, key string, at uint64) (chain.AtBlock[chain.Optional[chain.Perbill]], error)
}

// BlockWeights is a source that returns the weight that the chain counted for the block at a height, by class.
type BlockWeights interface {
	BlockWeight(ctx context.Context, at uint64) (chain.AtBlock[chain.ClassWeights], error)
}

// Extrinsics is a source that returns the encoded extrinsics of a block: a node, or an archive of a node.
type Extrinsics interface {
	Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error)
}

// NativeSigners is a source that recovers the signers of a block's native extrinsics: a node, or an archive of a node.
// If genesis is known, signatures over it are accepted as well as those over the source's block 0.
type NativeSigners interface {
	NativeSigners(ctx context.Context, block chain.Hash, genesis chain.Optional[chain.Hash]) ([]chain.NativeSigner, error)
}

// RuntimeFunctions is a source that asks the runtime of a block: a node. Its answers are not proved.
type RuntimeFunctions interface {
	// QueryInfos returns what the runtime answers about extrinsics on the state of a block, the parent of theirs. An answer is
	// unknown if the source refuses the question.
	QueryInfos(ctx context.Context, extrinsics [][]byte, block chain.Hash) ([]chain.Optional[chain.QueryInfo], error)
	// EthReceipts returns the receipts of a block's Ethereum transactions of pallet revive, in order; unknown if the source
	// refuses the question.
	EthReceipts(ctx context.Context, block chain.Hash) (chain.Optional[[]chain.Receipt], error)
}
