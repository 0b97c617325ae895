package grandpa

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// FinalityProof is a node's response to grandpa_proveFinality for a block: the justification of the block, or of one
// above it, and the headers from the one above the block up to the justified one.
type FinalityProof struct {
	Block         chain.Hash // the justified block, by the node's report
	Justification []byte
	Headers       []header.Header
}

// ReadFinalityProof decodes a response of grandpa_proveFinality. It shares the bytes.
func ReadFinalityProof(encoded []byte) (p FinalityProof, err error) {
	r := scale.NewReader(encoded)
	copy(p.Block[:], r.Bytes(len(p.Block)))
	p.Justification = r.Blob()
	p.Headers = readHeaders(r)
	if err := r.End(); err != nil {
		return FinalityProof{}, fmt.Errorf("finality proof: %w", err)
	}
	return p, nil
}
