package proofs

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/substrate/trie"
)

func headersPath(h chain.Heights) string { return segmentPath("headers", h) }

func blocksPath(h chain.Heights) string { return segmentPath("blocks", h) }

func segmentPath(directory string, h chain.Heights) string {
	return fmt.Sprintf("%s/%d-%d.zst", directory, h.First, h.Last)
}

// block contains the recorded data of a block, without its header.
type block struct {
	extrinsics [][]byte
	parts      [][]byte // of its state trie, without those that a lower block in the segment needs
}

// segment contains the blocks of a range, ascending.
type segment struct {
	chain.Heights
	blocks []block
	proof  *trie.Proof // of all blocks
}

// encode returns the content of a segment's blocks file.
func (s *segment) encode() (blocks []byte) {
	for i := range s.blocks {
		b := &s.blocks[i]
		blocks = scale.AppendCompact(blocks, uint64(len(b.extrinsics)))
		for _, x := range b.extrinsics {
			blocks = append(blocks, x...) // it is prefixed with its length
		}
		blocks = appendList(blocks, b.parts)
	}
	return blocks
}

func appendList(to []byte, list [][]byte) []byte {
	to = scale.AppendCompact(to, uint64(len(list)))
	for _, item := range list {
		to = scale.AppendBlob(to, item)
	}
	return to
}

// maxItems limits the extrinsics and the parts of a block. Chains and the keys of an archive need fewer.
const maxItems = 1 << 14

// readList parses the output of appendList. No item of a list is empty.
func readList(r *scale.Reader) [][]byte { return readItems(r, (*scale.Reader).Blob) }

func readItems(r *scale.Reader, read func(*scale.Reader) []byte) (list [][]byte) {
	count := r.Length(2)
	if count > maxItems {
		r.Fail("a list of %d, want at most %d", count, maxItems)
	}
	for range count {
		item := read(r)
		if len(item) == 0 {
			r.Fail("a list with an empty item")
		}
		if r.Err() != nil {
			return nil
		}
		list = append(list, item)
	}
	return list
}

// readHeaders parses the headers of a range.
func readHeaders(bytes []byte, s chain.Heights) ([][]byte, error) {
	r := scale.NewReader(bytes)
	headers := readList(r)
	if err := r.End(); err != nil {
		return nil, err
	}
	if uint64(len(headers)) != s.Blocks() {
		return nil, fmt.Errorf("got %d headers, want %d", len(headers), s.Blocks())
	}
	return headers, nil
}

// readSegment parses the blocks of a range.
func readSegment(bytes []byte, s chain.Heights) (*segment, error) {
	r := scale.NewReader(bytes)
	segment := &segment{Heights: s, blocks: make([]block, s.Blocks())}
	var all [][]byte
	for i := range segment.blocks {
		b := &segment.blocks[i]
		b.extrinsics = readItems(r, readExtrinsic)
		b.parts = readList(r)
		if r.Err() != nil {
			return nil, fmt.Errorf("block %d: %w", s.First+uint64(i), r.Err())
		}
		all = append(all, b.parts...)
	}
	if err := r.End(); err != nil {
		return nil, err
	}
	segment.proof = trie.NewProof(all)
	return segment, nil
}

// readParts parses the parts of a separately stored proof.
func readParts(bytes []byte) ([][]byte, error) {
	r := scale.NewReader(bytes)
	parts := readList(r)
	return parts, r.End()
}

// readExtrinsic parses an extrinsic with its length prefix.
func readExtrinsic(r *scale.Reader) []byte {
	at := r.At()
	r.Blob()
	if r.Err() != nil {
		return nil
	}
	return r.Since(at)
}
