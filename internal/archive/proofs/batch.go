package proofs

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/sys/inorder"
)

// batchSize is the number of blocks requested in one message.
const batchSize = 16

// batch is a list of consecutive blocks to request, or an existing segment.
type batch struct {
	chain.Heights
	of    chain.Heights // the segment they belong to
	there bool          // the segment's files exist
	keys  [][]byte
}

// given is a batch as received.
type given struct {
	batch
	kept   *making // nil if it cannot be read
	blocks []Given
	err    error
}

// making is a segment being recorded.
type making struct {
	*segment
	files    Segment  // for an existing segment
	encoded  [][]byte // its headers
	heads    []headed
	executed []*met
}

func newMaking(s *segment, encoded [][]byte) *making {
	return &making{segment: s, encoded: encoded, heads: make([]headed, s.Blocks()), executed: make([]*met, s.Blocks())}
}

func newSegment(s chain.Heights) *making {
	return newMaking(&segment{Heights: s, blocks: make([]block, s.Blocks())}, make([][]byte, s.Blocks()))
}

// blocks records the blocks of some batches, several concurrently.
func (r *recorder) blocks(ctx context.Context, batches iter.Seq[batch]) error {
	var s *making
	weigh := func(p batch) int { // two existing segments take as much memory as all concurrent batches
		if p.there {
			return max(r.options.Concurrency/2, 1)
		}
		return 1
	}
	for g := range inorder.Weighed(ctx, batches, r.options.Concurrency, r.options.Concurrency, weigh, r.ask) {
		switch {
		case g.err != nil:
			return g.err
		case g.there:
			if err := r.take(ctx, &g); err != nil {
				return err
			}
			continue
		case s == nil:
			s = newSegment(g.of)
		}
		if err := r.add(ctx, s, &g); err != nil {
			return err
		}
		if g.First == s.First {
			if err := r.end(s); err != nil {
				return err
			}
			s = nil
		}
	}
	return ctx.Err()
}

// batches yields the batches of the range, the highest first.
func (r *recorder) batches(yield func(batch) bool) {
	list := r.spans()
	slices.Reverse(list)
	for _, s := range list {
		if r.there(s) {
			if !yield(batch{Heights: s, of: s, there: true}) {
				return
			}
			continue
		}
		for p := range r.batchesOf(s) {
			if !yield(p) {
				return
			}
		}
	}
}

// batchesOf yields the batches of a missing segment.
func (r *recorder) batchesOf(s chain.Heights) iter.Seq[batch] {
	parts := archive.Split(s, batchSize)
	slices.Reverse(parts)
	return func(yield func(batch) bool) {
		for _, part := range parts {
			if !yield(batch{Heights: part, of: s, keys: r.likely.places()}) {
				return
			}
		}
	}
}

// there reports whether a segment was recorded: its blocks are written last.
func (r *recorder) there(s chain.Heights) bool {
	_, err := os.Stat(r.disk.At(blocksPath(s)))
	return err == nil
}

// ask requests a batch.
func (r *recorder) ask(ctx context.Context, p batch) given {
	g := given{batch: p}
	if p.there {
		g.kept = r.kept(p.Heights)
		return g
	}
	blocks, err := r.anchors(ctx, p.Heights)
	if err == nil {
		g.blocks, err = r.from.Given(ctx, blocks, p.keys)
	}
	if g.err = err; err == nil && uint64(len(g.blocks)) != p.Blocks() {
		g.err = fmt.Errorf("blocks %d to %d: got %d blocks", p.First, p.Last, len(g.blocks))
	}
	return g
}

// anchors returns the blocks of a range as the origin states them.
func (r *recorder) anchors(ctx context.Context, s chain.Heights) (list []chain.Anchor, err error) {
	heights := make([]uint64, s.Blocks())
	for i := range heights {
		heights[i] = s.First + uint64(i)
	}
	hashes, err := r.from.Hashes(ctx, heights)
	if err != nil {
		return nil, fmt.Errorf("blocks %d to %d: %w", s.First, s.Last, err)
	}
	if len(hashes) != len(heights) {
		return nil, fmt.Errorf("blocks %d to %d: got %d hashes", s.First, s.Last, len(hashes))
	}
	for i, hash := range hashes {
		known, there := hash.Get()
		if !there {
			return nil, fmt.Errorf("block %d: %w", heights[i], chain.ErrNoBlock)
		}
		list = append(list, chain.Anchor{Height: heights[i], Hash: known})
	}
	return list, nil
}

// add proves the blocks of a batch, from the highest down, and adds them to their segment.
func (r *recorder) add(ctx context.Context, s *making, g *given) error {
	for i := len(g.blocks) - 1; i >= 0; i-- {
		if err := r.addBlock(ctx, s, &g.blocks[i], g.keys); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) addBlock(ctx context.Context, s *making, b *Given, keys [][]byte) error {
	h, _, err := proveHeader(b.Header, r.at)
	if err != nil {
		return err
	}
	if err := proveExtrinsics(&h, b.Extrinsics); err != nil {
		return err
	}
	proof := trie.NewProof(b.Proof)
	executed, err := r.executed(ctx, &h, proof)
	if err != nil {
		return err
	}
	if places := executed.places(); !slices.EqualFunc(keys, places, bytes.Equal) {
		parts, err := r.from.Proof(ctx, h.at(), places...)
		if err != nil {
			return err
		}
		proof = trie.NewProof(parts)
	}
	parts, err := way(&h, proof, executed.keys, map[trie.Hash]bool{})
	if err != nil {
		return err
	}
	if len(b.Extrinsics) > maxItems || len(parts) > maxItems {
		return &BlockError{h.Number, "extrinsics or proof", fmt.Errorf("%d and %d exceed the limit of %d each", len(b.Extrinsics), len(parts), maxItems)}
	}
	at := h.Number - s.First
	s.heads[at], s.executed[at], s.encoded[at] = h, executed, b.Header
	s.segment.blocks[at] = block{b.Extrinsics, parts}
	return r.passed(ctx, &h, executed)
}

// end stores a completed segment, each part once.
func (r *recorder) end(s *making) error {
	seen := map[trie.Hash]bool{}
	for i := range s.blocks {
		var err error
		if s.blocks[i].parts, err = way(&s.heads[i], trie.NewProof(s.blocks[i].parts), s.executed[i].keys, seen); err != nil {
			return err
		}
	}
	return r.keep(s)
}

// take accepts an existing segment if it equals what would be recorded, and records it otherwise.
func (r *recorder) take(ctx context.Context, g *given) error {
	s := g.kept
	whole, err := r.prove(ctx, s)
	if err != nil {
		return err
	}
	if !whole {
		return r.blocks(ctx, r.batchesOf(g.Heights))
	}
	for i := len(s.heads) - 1; i >= 0; i-- {
		if err := r.passed(ctx, &s.heads[i], s.executed[i]); err != nil {
			return err
		}
	}
	r.manifest.Segments = append(r.manifest.Segments, s.files)
	return nil
}

// prove reports whether an existing segment equals what would be recorded. An error comes from the origin.
func (r *recorder) prove(ctx context.Context, s *making) (whole bool, err error) {
	if s == nil {
		return false, nil
	}
	if s.heads, _, err = proveChain(s.encoded, s.Heights, r.at.Hash); err != nil {
		return false, nil
	}
	for i := len(s.heads) - 1; i >= 0; i-- {
		name, err := runtimeOf(&s.heads[i], s.proof)
		if err != nil {
			return false, nil
		}
		if s.executed[i], err = r.runtime(ctx, name, leftItBehind(&s.heads[i])); err != nil {
			return false, err
		}
	}
	seen := map[trie.Hash]bool{}
	for i := range s.heads {
		if proveBlock(&s.heads[i], &s.blocks[i], s.proof, s.executed[i].runtime, seen) != nil {
			return false, nil
		}
	}
	return true, nil
}

// kept returns an existing segment, or nil if it cannot be read or was compressed differently.
func (r *recorder) kept(s chain.Heights) *making {
	headers, headersPiece, err := r.packed(headersPath(s), maxHeaders)
	if err != nil {
		return nil
	}
	blocks, blocksPiece, err := r.packed(blocksPath(s), maxBlocks)
	if err != nil {
		return nil
	}
	encoded, err := readHeaders(headers, s)
	if err != nil {
		return nil
	}
	kept, err := readSegment(blocks, s)
	if err != nil {
		return nil
	}
	m := newMaking(kept, encoded)
	m.files = Segment{s, headersPiece, blocksPiece}
	return m
}

// packed returns the content of an existing file, up to a size limit and if compressed as it would be now.
func (r *recorder) packed(path string, limit int) (unpacked []byte, piece archive.Piece, err error) {
	packed, err := archive.Read(os.DirFS(r.disk.Directory), path, int64(limit))
	if err != nil {
		return nil, piece, err
	}
	if unpacked, err = archive.Unpack(packed, limit); err == nil && !bytes.Equal(packed, pack(unpacked)) {
		err = archive.ErrChanged
	}
	return unpacked, archive.PieceOf(path, packed), err
}
