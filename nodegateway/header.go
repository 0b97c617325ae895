package nodegateway

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/header"
	"github.com/feeledger/fees/nodeclient"
)

// headerOf is the header of the block with a hash. It is [chain.ErrNoBlock] where the node
// has none.
func (g *Gateway) headerOf(ctx context.Context, hash chain.Hash) (header.Header, error) {
	if b := g.recent.block(hash); b != nil {
		return readHeader(&b.Header)
	}
	h, err := g.node.Header(ctx, chain.Some(hash))
	if err != nil {
		return header.Header{}, err
	}
	return provedHeader(&h, hash)
}

// provedHeader reads a header that was asked for by its hash: what does not have that hash is
// of another block.
func provedHeader(h *nodeclient.Header, hash chain.Hash) (header.Header, error) {
	read, err := readHeader(h)
	if err != nil {
		return read, err
	}
	if have := read.Hash(); have != hash {
		return read, fmt.Errorf("block %v: %w: the header that the node gives has the hash %v", hash, chain.ErrWrongBlock, have)
	}
	return read, nil
}

// readHeader reads the digest of a header as it came.
func readHeader(h *nodeclient.Header) (header.Header, error) {
	read := header.Header{Header: h.Header}
	for i, text := range h.Logs {
		bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		if err != nil {
			return read, &nodeclient.DecodeError{What: "header", Err: fmt.Errorf("block %d: digest.logs: item %d is no hex", h.Number, i)}
		}
		read.Logs = append(read.Logs, bytes)
	}
	return read, nil
}

// wrongHeight wants a block to be at the height where the node says that it is.
func wrongHeight(hash chain.Hash, want, have uint64) error {
	if want == have {
		return nil
	}
	return fmt.Errorf("block %d: %w: the node says that it is %v, whose header says that it is block %d", want, chain.ErrWrongBlock, hash, have)
}
