package rpc

import (
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/header"
)

// Header is a block's header. A node does not send the hash with it: it is known
// where the header was asked for by its hash, and in what a subscription delivers.
type Header struct {
	header.Header
	Hash chain.Optional[chain.Hash]
}

// prove checks that a header that was asked for by its hash has that hash.
func (h *Header) prove() error {
	if want, known := h.Hash.Get(); known {
		if have := h.Header.Hash(); have != want {
			return fmt.Errorf("block %v: %w: the header that the node gives has the hash %v", want, chain.ErrWrongBlock, have)
		}
	}
	return nil
}

// Block is a block as the node has it: its extrinsics are not decoded.
type Block struct {
	Header     Header
	Extrinsics [][]byte // SCALE, each behind its length, in the order in which the chain applied them
}

// at is the parameters of a method that takes an optional block hash last.
func at(block chain.Optional[chain.Hash], params ...any) []any {
	if hash, known := block.Get(); known {
		params = append(params, hash)
	}
	return params
}

// Header is the header of the block with that hash, or of the newest one where
// none is given (chain_getHeader). It is [chain.ErrNoBlock] where the node has none.
func (c *Client) Header(ctx context.Context, block chain.Optional[chain.Hash]) (Header, error) {
	h, err := askAt(ctx, c, "header", readHeader, "chain_getHeader", block)
	if err != nil {
		return Header{}, err
	}
	h.Hash = block
	return h, h.prove()
}

// Block is the block with that hash, or the newest one where none is given
// (chain_getBlock). It is [chain.ErrNoBlock] where the node has none, and [chain.ErrWrongBlock]
// where the header does not have the hash, or the extrinsics do not have the header's root.
func (c *Client) Block(ctx context.Context, block chain.Optional[chain.Hash]) (Block, error) {
	v, err := c.Call(ctx, getBlock, at(block)...)
	if err != nil {
		return Block{}, err
	}
	return decodeBlock(v, block)
}

const getBlock = "chain_getBlock"

func decodeBlock(v jsonscan.Value, hash chain.Optional[chain.Hash]) (Block, error) {
	if v.Kind() == jsonscan.Null {
		return Block{}, noBlock(getBlock, hash)
	}
	b, err := readBlock(v.Member("block"))
	if err != nil {
		return Block{}, &DecodeError{"block", err}
	}
	b.Header.Hash = hash
	if err := b.Header.prove(); err != nil {
		return Block{}, err
	}
	if err := b.Header.ProveExtrinsics(b.Extrinsics); err != nil {
		return Block{}, fmt.Errorf("the node's extrinsics are not those of block %d: %w", b.Header.Number, err)
	}
	return b, nil
}

// Extrinsics are those of a block as they are encoded.
func (c *Client) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	b, err := c.Block(ctx, chain.Some(block))
	return b.Extrinsics, err
}

// BlockHash is the hash of the block at a height (chain_getBlockHash), on the
// branch that the node takes for the best. It is [chain.ErrNoBlock] where the node has
// none.
func (c *Client) BlockHash(ctx context.Context, height uint64) (chain.Hash, error) {
	v, err := c.Call(ctx, "chain_getBlockHash", height)
	if err == nil && v.Kind() == jsonscan.Null {
		err = fmt.Errorf("block %d: %w", height, chain.ErrNoBlock)
	}
	return decoded("block hash", v, err, chain.Read[chain.Hash])
}

// FinalizedHead is the hash of the newest block that is final
// (chain_getFinalizedHead).
func (c *Client) FinalizedHead(ctx context.Context) (chain.Hash, error) {
	return ask(ctx, c, "block hash", chain.Read[chain.Hash], "chain_getFinalizedHead")
}

func noBlock(method string, block chain.Optional[chain.Hash]) error {
	if hash, known := block.Get(); known {
		return fmt.Errorf("block %v: %w", hash, chain.ErrNoBlock)
	}
	return fmt.Errorf("%s: %w", method, chain.ErrNoBlock)
}

func readHeader(v jsonscan.Value) (Header, error) {
	if v.Kind() != jsonscan.Object {
		return Header{}, fmt.Errorf("want an object, have %v", v.Kind())
	}
	var h Header
	var err error
	if h.Number, err = chain.ReadUint64(v.Member("number")); err == nil && h.Number > math.MaxUint32 {
		err = fmt.Errorf("%d is more than 32 bits", h.Number) // as wide as the chain's heights are
	}
	if err != nil {
		return Header{}, fmt.Errorf("number: %w", err)
	}
	for _, field := range []struct {
		name string
		hash *chain.Hash
	}{{"parentHash", &h.ParentHash}, {"stateRoot", &h.StateRoot}, {"extrinsicsRoot", &h.ExtrinsicsRoot}} {
		if *field.hash, err = chain.Read[chain.Hash](v.Member(field.name)); err != nil {
			return Header{}, fmt.Errorf("%s: %w", field.name, err)
		}
	}
	if h.Logs, err = readList(v.Member("digest").Member("logs"), decodeHex); err != nil {
		return Header{}, fmt.Errorf("digest.logs%w", err)
	}
	return h, nil
}

func readBlock(v jsonscan.Value) (b Block, err error) {
	if b.Header, err = readHeader(v.Member("header")); err != nil {
		return Block{}, fmt.Errorf("block.header: %w", err)
	}
	if b.Extrinsics, err = readList(v.Member("extrinsics"), decodeHex); err != nil {
		return Block{}, fmt.Errorf("block.extrinsics%w", err)
	}
	return b, nil
}
