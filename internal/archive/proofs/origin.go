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

// Origin is where an archive is recorded from: a node ([FromNode]), or other archives ([Join]).
// A recorder proves what can be proved of its answers.
type Origin interface {
	// Final is the height of the newest final block.
	Final(ctx context.Context) (uint64, error)
	// Hashes are those of the blocks at some heights, not known where there is none.
	Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error)
	// Given are blocks with the read proofs of some keys, in the order in which they are named.
	Given(ctx context.Context, blocks []chain.Anchor, keys [][]byte) ([]Given, error)
	// Proof is the read proof of some keys.
	Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) ([][]byte, error)
	// Version is what is said of the runtime that a block left behind (state_getRuntimeVersion).
	Version(ctx context.Context, block chain.Anchor) (jsonscan.Value, error)
	// Metadata are those of the runtime that a block left behind.
	Metadata(ctx context.Context, block chain.Anchor) ([]byte, error)
	// Word is what is said of the chain by one of the methods that [Words] name.
	Word(ctx context.Context, method string) (jsonscan.Value, error)
}

// Given is a block as somebody gives it: nothing of it is proved.
type Given struct {
	Header     []byte // as the chain hashes it
	Extrinsics [][]byte
	Proof      [][]byte
}

// FromNode is a node to record from.
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

// Given asks for blocks in one message.
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

// ofBlock names the block of which an error is.
func ofBlock(block chain.Anchor, err error) error {
	switch {
	case err == nil:
		return nil
	case httpclient.FailureOf(err) == httpclient.Pruned:
		return fmt.Errorf("block %d: %w: %w", block.Height, chain.ErrPruned, err)
	case errors.Is(err, rpc.ErrNoMethod):
		return fmt.Errorf("block %d: %w: recording needs a node that answers state_getReadProof, by which the state is proved; some providers turn it off", block.Height, err)
	}
	return fmt.Errorf("block %d: %w", block.Height, err)
}
