package proofs

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
)

// Origin is the source of a recording: a node ([FromNode]) or other archives ([Join]). A recorder proves what can be
// proved of its answers.
type Origin interface {
	// Final returns the height of the newest final block.
	Final(ctx context.Context) (uint64, error)
	// Hashes returns the hashes of blocks, unknown for nonexistent blocks.
	Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error)
	// Given returns blocks with the read proofs of some keys, in the order of the arguments.
	Given(ctx context.Context, blocks []chain.Anchor, keys [][]byte) ([]Given, error)
	// Proof returns the read proof of some keys.
	Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) ([][]byte, error)
	// Version returns the version of the runtime after a block (state_getRuntimeVersion).
	Version(ctx context.Context, block chain.Anchor) (jsonscan.Value, error)
	// Metadata returns the metadata of the runtime after a block.
	Metadata(ctx context.Context, block chain.Anchor) ([]byte, error)
	// Word returns the answer to one of the methods listed in [Words].
	Word(ctx context.Context, method string) (jsonscan.Value, error)
}

// Given is an unproved block from an origin.
type Given struct {
	Header     []byte // as the chain hashes it
	Extrinsics [][]byte
	Proof      [][]byte
}

// FromNode returns a node as an origin.
func FromNode(node *rpc.Client) Origin { return fromNode{node} }

type fromNode struct{ node *rpc.Client }

func (n fromNode) Final(ctx context.Context) (uint64, error) {
	hash, err := n.node.FinalizedHead(ctx)
	if err != nil {
		return 0, err
	}
	head, err := n.node.Header(ctx, chain.Some(hash))
	return head.Number, err
}

func (n fromNode) Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error) {
	return n.node.Hashes(ctx, heights)
}

// Given requests blocks in one message.
func (n fromNode) Given(ctx context.Context, blocks []chain.Anchor, keys [][]byte) ([]Given, error) {
	batch := n.node.Batch()
	type asked struct {
		block rpc.Pending[rpc.Block]
		proof rpc.Pending[[][]byte]
	}
	list := make([]asked, len(blocks))
	for i, b := range blocks {
		list[i] = asked{batch.Block(b.Hash), batch.ReadProof(b.Hash, keys...)}
	}
	if err := batch.Ask(ctx); err != nil {
		return nil, err
	}
	given := make([]Given, len(blocks))
	for i := range list {
		b, err := list[i].block.Get()
		if err == nil {
			given[i] = Given{Header: b.Header.Encode(), Extrinsics: b.Extrinsics}
			given[i].Proof, err = list[i].proof.Get()
		}
		if err != nil {
			return nil, ofBlock(blocks[i], err)
		}
	}
	return given, nil
}

func (n fromNode) Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) ([][]byte, error) {
	parts, err := n.node.ReadProof(ctx, block.Hash, keys...)
	return parts, ofBlock(block, err)
}

func (n fromNode) Version(ctx context.Context, block chain.Anchor) (jsonscan.Value, error) {
	v, err := n.node.Call(ctx, runtimeVersion, block.Hash)
	return v, ofBlock(block, err)
}

func (n fromNode) Metadata(ctx context.Context, block chain.Anchor) ([]byte, error) {
	bytes, err := n.node.Metadata(ctx, block.Hash)
	return bytes, ofBlock(block, err)
}

func (n fromNode) Word(ctx context.Context, method string) (jsonscan.Value, error) {
	return n.node.Call(ctx, method)
}

// ofBlock adds the block to an error.
func ofBlock(block chain.Anchor, err error) error {
	switch {
	case err == nil:
		return nil
	case httpclient.FailureOf(err) == httpclient.Pruned:
		return fmt.Errorf("block %d: %w: %w", block.Height, chain.ErrPruned, err)
	case errors.Is(err, rpc.ErrNoMethod):
		return fmt.Errorf("block %d: %w; recording needs a node with state_getReadProof, which some providers turn off", block.Height, err)
	}
	return fmt.Errorf("block %d: %w", block.Height, err)
}
