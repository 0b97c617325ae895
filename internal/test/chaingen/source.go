package chaingen

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// Source responds like a gateway's client, without a gateway: it is a source.Source. A block above the head is
// [chain.ErrNoBlock]; Balance of an account that is not among the [Chain.Accounts], and FeesTreasuryProportion
// of a chain without it, are always [chain.ErrNotOffered].
type Source struct{ chain *Chain }

// Source returns the chain up to its head.
func (c *Chain) Source() Source { return Source{c} }

// FinalHead returns the newest block's.
func (s Source) FinalHead(ctx context.Context) (chain.Head, error) {
	b, err := s.Head(ctx, false)
	if err != nil {
		return chain.Head{}, err
	}
	return chain.Head{Number: b.Number, Hash: chain.Some(b.Hash)}, nil
}

// Head returns the newest block. All are final.
func (s Source) Head(ctx context.Context, _ bool) (*chain.Block, error) {
	return s.Block(ctx, s.chain.Head())
}

// Block returns the block at a height.
func (s Source) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	text, err := s.answer(ctx, height, s.chain.Block)
	if err != nil {
		return nil, err
	}
	return sidecar.DecodeBlock(text)
}

// BlockByHash returns the block with a hash.
func (s Source) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	height, found := s.chain.HeightOf(hash)
	if !found {
		return nil, fmt.Errorf("block %v: %w", hash, chain.ErrNoBlock)
	}
	return s.Block(ctx, height)
}

// Multiplier returns the fee multiplier after the block at a height.
func (s Source) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	text, err := s.answer(ctx, at, s.chain.Multiplier)
	if err != nil {
		return chain.AtBlock[chain.Multiplier]{}, err
	}
	return sidecar.DecodeMultiplier(text)
}

// Runtime returns the runtime after the block at a height.
func (s Source) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	text, err := s.answer(ctx, at, s.chain.Runtime)
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, err
	}
	return sidecar.DecodeRuntime(text)
}

// NodeVersion returns the node's version.
func (s Source) NodeVersion(context.Context) (chain.NodeVersion, error) {
	return sidecar.DecodeNodeVersion(string(s.chain.NodeVersion()))
}

// FeesTreasuryProportion returns that parameter after the block at a height.
func (s Source) FeesTreasuryProportion(ctx context.Context, key string, at uint64) (none chain.AtBlock[chain.Optional[chain.Perbill]], err error) {
	if s.chain.network.ParameterKey == "" {
		return none, fmt.Errorf("FeesTreasuryProportion: %w", chain.ErrNotOffered)
	}
	text, err := s.answer(ctx, at, func(at uint64) []byte { return s.chain.parameter(at, key) })
	if err != nil {
		return none, err
	}
	return sidecar.DecodeProportion(text, key)
}

// BlockWeight returns the weight of the block at a height, by class.
func (s Source) BlockWeight(ctx context.Context, at uint64) (none chain.AtBlock[chain.ClassWeights], err error) {
	text, err := s.answer(ctx, at, s.chain.BlockWeight)
	if err != nil {
		return none, err
	}
	return sidecar.DecodeBlockWeight(text)
}

// Balance returns the balance of one of the [Chain.Accounts]; those of others are unknown.
func (s Source) Balance(ctx context.Context, of chain.Address, at chain.Optional[uint64]) (none chain.AtBlock[chain.Account], err error) {
	if _, known := s.chain.followed[of]; !known {
		return none, fmt.Errorf("balance: %w", chain.ErrNotOffered)
	}
	height, named := at.Get()
	if !named {
		height = s.chain.Head()
	}
	text, err := s.answer(ctx, height, func(at uint64) []byte {
		text, _ := s.chain.Balance(at, of)
		return text
	})
	if err != nil {
		return none, err
	}
	return sidecar.DecodeBalance(text)
}

func (s Source) answer(ctx context.Context, height uint64, textAt func(uint64) []byte) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if height > s.chain.Head() {
		return "", fmt.Errorf("block %d: %w", height, chain.ErrNoBlock)
	}
	return string(textAt(height)), nil
}
