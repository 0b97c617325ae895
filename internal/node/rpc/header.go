package rpc

import (
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/header"
)

// Header is a block's header. A node does not send the hash with it: it is known if the header was requested by hash, and in
// headers from a subscription.
type Header struct {
	header.Header
	Hash chain.Optional[chain.Hash]
}

// prove checks that a header requested by hash has that hash.
func (h *Header) prove() error {
	if want, known := h.Hash.Get(); known {
		if have := h.Header.Hash(); have != want {
			return fmt.Errorf("block %v: %w: the node's header has the hash %v", want, chain.ErrWrongBlock, have)
		}
	}
	return nil
}

// Block is a block with encoded extrinsics.
type Block struct {
	Header     Header
	Extrinsics [][]byte // SCALE, each prefixed with its length, in the order of execution
}

// at returns the parameters of a method that takes an optional block hash last.
func at(block chain.Optional[chain.Hash], params ...any) []any {
	if hash, known := block.Get(); known {
		params = append(params, hash)
	}
	return params
}

// Header returns the header of the block with a hash, or of the newest one (chain_getHeader). It returns [chain.ErrNoBlock] if
// the node does not have it.
func (c *Client) Header(ctx context.Context, block chain.Optional[chain.Hash]) (Header, error) {
	h, err := askAt(ctx, c, "header", readHeader, "chain_getHeader", block)
	if err != nil {
		return Header{}, err
	}
	h.Hash = block
	return h, h.prove()
}

// Block returns the block with a hash, or the newest one (chain_getBlock). It returns [chain.ErrNoBlock] if the node does not
// have it, and [chain.ErrWrongBlock] if the header does not have the hash, or the extrinsics do not match the header's
// root.
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
		return Block{}, fmt.Errorf("the node's extrinsics do not belong to block %d: %w", b.Header.Number, err)
	}
	return b, nil
}

// Extrinsics returns the encoded extrinsics of a block.
func (c *Client) Extrinsics(ctx context.Context, block chain.Hash) ([][]byte, error) {
	b, err := c.Block(ctx, chain.Some(block))
	return b.Extrinsics, err
}

// BlockHash returns the hash of the block at a height (chain_getBlockHash), on the node's best branch. It returns
// [chain.ErrNoBlock] if the node does not have it.
func (c *Client) BlockHash(ctx context.Context, height uint64) (chain.Hash, error) {
	v, err := c.Call(ctx, "chain_getBlockHash", height)
	if err == nil && v.Kind() == jsonscan.Null {
		err = fmt.Errorf("block %d: %w", height, chain.ErrNoBlock)
	}
	return decoded("block hash", v, err, jsonread.Hash)
}

// FinalizedHead returns the hash of the newest final block (chain_getFinalizedHead).
func (c *Client) FinalizedHead(ctx context.Context) (chain.Hash, error) {
	return ask(ctx, c, "block hash", jsonread.Hash, "chain_getFinalizedHead")
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
	if h.Number, err = jsonread.Uint64(v.Member("number")); err == nil && h.Number > math.MaxUint32 {
		err = fmt.Errorf("%d is more than 32 bits", h.Number) // the chain's heights are u32
	}
	if err != nil {
		return Header{}, fmt.Errorf("number: %w", err)
	}
	for _, field := range []struct {
		name string
		hash *chain.Hash
	}{{"parentHash", &h.ParentHash}, {"stateRoot", &h.StateRoot}, {"extrinsicsRoot", &h.ExtrinsicsRoot}} {
		if *field.hash, err = jsonread.Hash(v.Member(field.name)); err != nil {
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
