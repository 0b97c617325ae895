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

// WarpProof is the last blocks of consecutive sets, each with its justification, as nodes send it for warp sync.
type WarpProof struct {
	Fragments []Fragment
	Finished  bool // the last fragment is the newest block, which need not hand over
}

// Fragment is a block of a [WarpProof].
type Fragment struct {
	Header        header.Header
	Justification *Justification
}

// ReadWarpProof decodes a warp sync proof. It shares the bytes.
func ReadWarpProof(encoded []byte) (p WarpProof, err error) {
	r := scale.NewReader(encoded)
	for range r.Length(minHeaderBytes) {
		f := Fragment{Header: header.ReadFrom(r), Justification: readJustification(r)}
		if r.Err() != nil {
			break
		}
		p.Fragments = append(p.Fragments, f)
	}
	p.Finished = r.Bool()
	if err := r.End(); err != nil {
		return WarpProof{}, fmt.Errorf("warp sync proof: %w", err)
	}
	return p, nil
}

// FollowWarp proves the blocks of a warp sync proof final. As nodes require, each but the newest hands over at once.
func (c *Chain) FollowWarp(p WarpProof) error {
	for i := range p.Fragments {
		f := &p.Fragments[i]
		if _, _, err := c.Finalize(f.Justification, &f.Header); err != nil {
			return err
		}
		newest := p.Finished && i == len(p.Fragments)-1
		if handsOver := c.pending != nil && c.last == f.Header.Number; !newest && !handsOver {
			return fmt.Errorf("block %d: %w", f.Header.Number, ErrNoChange)
		}
	}
	return nil
}
