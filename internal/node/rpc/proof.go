package rpc

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

const getReadProof = "state_getReadProof"

// ReadProof returns the proof of a block's state at some keys, or of the absence of values: nodes and values of the state trie,
// in any order (state_getReadProof). Package trie reads them. It returns [ErrNoMethod] if the node does not support
// it.
func (c *Client) ReadProof(ctx context.Context, block chain.Hash, keys ...[]byte) ([][]byte, error) {
	v, err := c.Call(ctx, getReadProof, hexKeys(keys), block)
	if err != nil {
		return nil, err
	}
	return readProof(v, block)
}

// ReadProof adds the request of [Client.ReadProof].
func (b *Batch) ReadProof(block chain.Hash, keys ...[]byte) Pending[[][]byte] {
	return Pending[[][]byte]{b.add(getReadProof, hexKeys(keys), block), func(v jsonscan.Value) ([][]byte, error) { return readProof(v, block) }}
}

func readProof(v jsonscan.Value, block chain.Hash) ([][]byte, error) {
	if of, err := jsonread.Hash(v.Member("at")); err != nil || of != block {
		return nil, &DecodeError{"proof", fmt.Errorf("at: want block %v, have %s", block, jsonscan.Excerpt(v.Member("at").Raw()))}
	}
	parts, err := readList(v.Member("proof"), readBytes)
	if err != nil {
		return nil, &DecodeError{"proof", fmt.Errorf("proof%w", err)}
	}
	return parts, nil
}
