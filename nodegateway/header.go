package nodegateway

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/answer"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/nodeclient"
)

// headerOf is the header of the block with a hash. It is [chain.ErrNoBlock] where the node
// has none.
func (g *Gateway) headerOf(ctx context.Context, hash chain.Hash) (answer.Header, error) {
	if b := g.recent.block(hash); b != nil {
		return readHeader(&b.Header)
	}
	h, err := g.node.Header(ctx, chain.Some(hash))
	if err != nil {
		return answer.Header{}, err
	}
	return provedHeader(&h, hash)
}

// provedHeader reads a header that was asked for by its hash: what does not have that hash is
// of another block.
func provedHeader(h *nodeclient.Header, hash chain.Hash) (answer.Header, error) {
	read, err := readHeader(h)
	if err != nil {
		return read, err
	}
	if have := hashOf(&read); have != hash {
		return read, fmt.Errorf("block %v: %w: the header that the node gives has the hash %v", hash, chain.ErrWrongBlock, have)
	}
	return read, nil
}

// readHeader reads the digest of a header as it came.
func readHeader(h *nodeclient.Header) (answer.Header, error) {
	read := answer.Header{Header: h.Header}
	for i, text := range h.Logs {
		bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		if err != nil {
			return read, &nodeclient.DecodeError{What: "header", Err: fmt.Errorf("block %d: digest.logs: item %d is no hex", h.Number, i)}
		}
		read.Logs = append(read.Logs, bytes)
	}
	return read, nil
}

// hashOf is the hash of a block with this header.
//
// Source: paritytech/polkadot-sdk, substrate/primitives/runtime/src/generic/header.rs.
func hashOf(h *answer.Header) chain.Hash {
	encoded := append([]byte(nil), h.ParentHash[:]...)
	encoded = appendCompact(encoded, h.Number)
	encoded = append(encoded, h.StateRoot[:]...)
	encoded = append(encoded, h.ExtrinsicsRoot[:]...)
	encoded = appendCompact(encoded, uint64(len(h.Logs)))
	for _, log := range h.Logs {
		encoded = append(encoded, log...)
	}
	return blake2b.Sum256(encoded)
}

// appendCompact appends a number of at most 32 bits in SCALE's compact form.
func appendCompact(to []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(to, byte(n<<2))
	case n < 1<<14:
		return binary.LittleEndian.AppendUint16(to, uint16(n<<2|1))
	case n < 1<<30:
		return binary.LittleEndian.AppendUint32(to, uint32(n<<2|2))
	}
	return binary.LittleEndian.AppendUint32(append(to, 3), uint32(n))
}

// wrongHeight wants a block to be at the height where the node says that it is.
func wrongHeight(hash chain.Hash, want, have uint64) error {
	if want == have {
		return nil
	}
	return fmt.Errorf("block %d: %w: the node says that it is %v, whose header says that it is block %d", want, chain.ErrWrongBlock, hash, have)
}
