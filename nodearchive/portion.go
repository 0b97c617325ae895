package nodearchive

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/inorder"
	"github.com/feeledger/fees/trie"
)

// portionSize is how many blocks are asked for in one message.
const portionSize = 16

// portion is neighbouring blocks that are asked for together, or a segment that may be there.
type portion struct {
	span
	of    span // the segment that they belong to
	there bool // the segment's files are there
	keys  [][]byte
}

// given is a portion as it came.
type given struct {
	portion
	kept   *segment // nil where it cannot be read
	blocks []Given
	err    error
}

// making is a segment that is recorded.
type making struct {
	*segment
	heads    []headed
	executed []*met
}

func newMaking(s *segment) *making {
	return &making{s, make([]headed, s.size()), make([]*met, s.size())}
}

// blocks records the blocks, several portions under way at once.
func (r *recorder) blocks(ctx context.Context) error {
	var s *making
	weigh := func(p portion) int { // a segment that is there takes as much memory as all that is under way
		if p.there {
			return r.options.Concurrency
		}
		return 1
	}
	for g := range inorder.Weighed(ctx, r.portions, r.options.Concurrency, r.options.Concurrency, weigh, r.ask) {
		switch {
		case g.err != nil:
			return g.err
		case g.there:
			if err := r.take(ctx, &g); err != nil {
				return err
			}
			continue
		case s == nil:
			s = newMaking(&segment{span: g.of, blocks: make([]block, g.of.size())})
		}
		if err := r.add(ctx, s, &g); err != nil {
			return err
		}
		if g.first == s.first {
			if err := r.end(s); err != nil {
				return err
			}
			s = nil
		}
	}
	return ctx.Err()
}

// portions are those of the range, the highest first.
func (r *recorder) portions(yield func(portion) bool) {
	list := r.spans()
	slices.Reverse(list)
	for _, s := range list {
		if r.there(s) {
			if !yield(portion{span: s, of: s, there: true}) {
				return
			}
			continue
		}
		for p := range r.portionsOf(s) {
			if !yield(p) {
				return
			}
		}
	}
}

// portionsOf are those of a segment that is not there.
func (r *recorder) portionsOf(s span) func(func(portion) bool) {
	parts := spans(s.first, s.last, portionSize)
	slices.Reverse(parts)
	return func(yield func(portion) bool) {
		for _, part := range parts {
			if !yield(portion{span: part, of: s, keys: r.last.places()}) {
				return
			}
		}
	}
}

// there tells whether a segment was recorded: its blocks are written last.
func (r *recorder) there(s span) bool {
	_, err := os.Stat(r.disk.At(s.blocksPath()))
	return err == nil
}

// ask asks for a portion.
func (r *recorder) ask(ctx context.Context, p portion) given {
	g := given{portion: p}
	if p.there {
		g.kept = r.kept(p.span)
		return g
	}
	hashes, err := r.hashes(ctx, p.span)
	if err == nil {
		g.blocks, err = r.from.Given(ctx, hashes, p.keys)
	}
	g.err = err
	return g
}

// hashes are those of a span, by the node's word.
func (r *recorder) hashes(ctx context.Context, s span) (list []chain.Hash, err error) {
	heights := make([]uint64, s.size())
	for i := range heights {
		heights[i] = s.first + uint64(i)
	}
	hashes, err := r.from.Hashes(ctx, heights)
	if err != nil {
		return nil, err
	}
	for i, hash := range hashes {
		known, there := hash.Get()
		if !there {
			return nil, fmt.Errorf("block %d: %w", heights[i], chain.ErrNoBlock)
		}
		list = append(list, known)
	}
	return list, nil
}

// add proves the blocks of a portion, from the highest down, and adds them to their segment.
func (r *recorder) add(ctx context.Context, s *making, g *given) error {
	for i := len(g.blocks) - 1; i >= 0; i-- {
		b := &g.blocks[i]
		said, err := b.Header.Hashed()
		if err != nil {
			return err
		}
		encoded := said.Encode()
		h, _, err := proveHeader(encoded, r.at)
		if err != nil {
			return err
		}
		extrinsics, err := b.Encoded()
		if err != nil {
			return err
		}
		if err := proveExtrinsics(&h, extrinsics); err != nil {
			return err
		}
		executed, err := r.executed(ctx, &h, trie.NewProof(b.Proof))
		if err != nil {
			return err
		}
		if places := executed.places(); !slices.EqualFunc(g.keys, places, bytes.Equal) {
			if b.Proof, err = r.from.ReadProof(ctx, h.hash, places...); err != nil {
				return err
			}
		}
		at := h.Number - s.first
		s.heads[at], s.executed[at] = h, executed
		s.segment.blocks[at] = block{encoded, extrinsics, b.Proof}
		if err := r.passed(ctx, &h, executed); err != nil {
			return err
		}
	}
	return nil
}

// end keeps a segment whose blocks were given: of their proofs what their keys need, each part
// once.
func (r *recorder) end(s *making) error {
	var all [][]byte
	for i := range s.blocks {
		all = append(all, s.blocks[i].parts...)
	}
	s.proof = trie.NewProof(all)
	seen := map[trie.Hash]bool{}
	for i := range s.blocks {
		var err error
		if s.blocks[i].parts, err = way(&s.heads[i], s.proof, s.executed[i].keys, seen); err != nil {
			return err
		}
	}
	return r.keep(s.segment)
}

// take takes a segment that is there, if it is what would be recorded, and else records it.
func (r *recorder) take(ctx context.Context, g *given) error {
	if g.kept != nil {
		s := newMaking(g.kept)
		whole, err := r.prove(ctx, s)
		if err != nil {
			return err
		}
		if whole {
			for i := len(s.heads) - 1; i >= 0; i-- {
				if err := r.passed(ctx, &s.heads[i], s.executed[i]); err != nil {
					return err
				}
			}
			return r.keep(s.segment)
		}
	}
	s := newMaking(&segment{span: g.span, blocks: make([]block, g.size())})
	for p := range r.portionsOf(g.span) {
		g := r.ask(ctx, p)
		if g.err != nil {
			return g.err
		}
		if err := r.add(ctx, s, &g); err != nil {
			return err
		}
	}
	return r.end(s)
}

// prove tells whether a segment that is there is what would be recorded.
func (r *recorder) prove(ctx context.Context, s *making) (whole bool, err error) {
	if s.heads, _, err = proveChain(s.headers(), s.span, r.at.Hash); err != nil {
		return false, nil
	}
	for i := len(s.heads) - 1; i >= 0; i-- {
		name, err := runtimeOf(&s.heads[i], s.proof)
		if err != nil {
			return false, nil
		}
		if s.executed[i], err = r.runtime(ctx, name, leftItBehind(s.heads[i].Number, s.heads[i].ParentHash, s.heads[i].hash)); err != nil {
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

func (s *segment) headers() (list [][]byte) {
	for i := range s.blocks {
		list = append(list, s.blocks[i].header)
	}
	return list
}

// kept is a segment that is there, nil where it cannot be read.
func (r *recorder) kept(s span) *segment {
	headers, err := readPacked(r.disk.At(s.headersPath()))
	if err != nil {
		return nil
	}
	blocks, err := readPacked(r.disk.At(s.blocksPath()))
	if err != nil {
		return nil
	}
	encoded, err := readHeaders(headers, s)
	if err != nil {
		return nil
	}
	kept, err := readSegment(encoded, blocks, s)
	if err != nil {
		return nil
	}
	return kept
}

func readPacked(path string) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}
