package proofs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/substrate/trie"
)

// JoinOptions say how archives are joined.
type JoinOptions struct {
	// Trusted is a block that the chain of the archives must have.
	Trusted chain.Optional[chain.Anchor]
	// Progress is told, if not nil, how many of the blocks are kept.
	Progress func(done, total uint64)

	segmentSize uint64 // for tests
}

// Join makes one archive of several that are parts of one chain, in any order: the one that
// [Record] would make of the whole range. Parts may overlap. They have the same accounts and the
// same parameter keys.
//
// Each part is proved as it is read, and by the part above it. Of what is not proved, the words
// of the highest part count. It goes on where it was stopped, as [Record] does.
func Join(ctx context.Context, directories []string, output string, o JoinOptions) (*Manifest, error) {
	p, err := openParts(ctx, directories)
	if err != nil {
		return nil, err
	}
	top := p.list[0]
	return Record(ctx, p, output, RecordOptions{
		First:        p.first,
		Last:         top.manifest.Last,
		Trusted:      o.Trusted,
		Accounts:     top.accounts,
		ParameterKey: p.parameterKey,
		Concurrency:  2, // what is there is read as fast by two
		Progress:     o.Progress,
		segmentSize:  o.segmentSize,
	})
}

// FromArchive is an archive to record a part of its range from.
func FromArchive(ctx context.Context, directory string) (Origin, error) {
	p, err := openParts(ctx, []string{directory})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parts are archives that are joined: the Origin of what they become.
type parts struct {
	list  []*Archive // the one that goes highest first
	first uint64
}

func openParts(ctx context.Context, directories []string) (*parts, error) {
	if len(directories) == 0 {
		return nil, errors.New("no archives are named: join the directories of at least two")
	}
	p := &parts{}
	for _, directory := range directories {
		a, err := Open(directory, chain.Optional[chain.Anchor]{})
		if err != nil {
			return nil, err
		}
		p.list = append(p.list, a)
	}
	slices.SortStableFunc(p.list, func(a, b *Archive) int {
		return cmp.Or(cmp.Compare(b.manifest.Last, a.manifest.Last), cmp.Compare(a.manifest.First, b.manifest.First))
	})
	lowest := p.list[0] // of those that were looked at
	for _, a := range p.list[1:] {
		if err := fit(ctx, lowest, a); err != nil {
			return nil, err
		}
		if a.manifest.First < lowest.manifest.First {
			lowest = a
		}
	}
	p.first = lowest.manifest.First
	return p, nil
}

// fit tells whether an archive goes on downwards from another.
func fit(ctx context.Context, upper, lower *Archive) error {
	u, l := upper.manifest, lower.manifest
	if !slices.Equal(u.Accounts, l.Accounts) {
		return fmt.Errorf("%s has the balances of other accounts than %s: %s, and %s", lower.name, upper.name, named(l.Accounts), named(u.Accounts))
	}
	for i := range l.Runtimes {
		r := &l.Runtimes[i]
		if other := u.runtime(r.RuntimeName); other != nil && other.ParameterKey != r.ParameterKey {
			return fmt.Errorf("%s has the parameter %q of the runtime %v, and %s has %q", lower.name, r.ParameterKey, r.RuntimeName, upper.name, other.ParameterKey)
		}
	}
	if l.Last < u.base() {
		return fmt.Errorf("%s ends with block %d, and %s begins with block %d: none of the archives has what is between them", lower.name, l.Last, upper.name, u.First)
	}
	return sameChain(ctx, upper, lower)
}

func named(accounts []string) string {
	if len(accounts) == 0 {
		return "none"
	}
	return strings.Join(accounts, ", ")
}

// sameChain compares the blocks that two archives share: where the highest is the same, so are
// all below it. Else it finds the lowest that differs.
func sameChain(ctx context.Context, a, b *Archive) error {
	lowest, highest := max(a.manifest.base(), b.manifest.base()), min(a.manifest.Last, b.manifest.Last)
	var failed error
	differ := func(height uint64) bool {
		one, err := a.headed(height)
		other, failing := b.headed(height)
		failed = cmp.Or(failed, err, failing, ctx.Err())
		return one.hash != other.hash
	}
	if !differ(highest) || failed != nil {
		return failed
	}
	height := lowest + uint64(sort.Search(int(highest-lowest), func(i int) bool { return differ(lowest + uint64(i)) }))
	if failed != nil {
		return failed
	}
	one, _ := a.headed(height)
	other, _ := b.headed(height)
	from := ""
	if height == lowest {
		from = " already"
	}
	return fmt.Errorf("%s and %s are not of one chain: block %d%s is %v in the one, and %v in the other", a.name, b.name, height, from, one.hash, other.hash)
}

func (p *parts) parameterKey(name RuntimeName) string {
	for _, a := range p.list {
		if r := a.manifest.runtime(name); r != nil {
			return r.ParameterKey
		}
	}
	return ""
}

// of are the archives that have a block, the one that goes highest first. There is one at least
// where Hashes tells the block's hash.
func (p *parts) of(height uint64) (list []*Archive) {
	for _, a := range p.list {
		if height >= a.manifest.base() && height <= a.manifest.Last {
			list = append(list, a)
		}
	}
	return list
}

func (p *parts) last() uint64 { return p.list[0].manifest.Last }

// Final is the highest block that there is.
func (p *parts) Final(context.Context) (uint64, error) { return p.last(), nil }

// Hashes are those of the blocks that there are.
func (p *parts) Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error) {
	list := make([]chain.Optional[chain.Hash], len(heights))
	for i, height := range heights {
		in := p.of(height)
		if len(in) == 0 {
			continue
		}
		h, err := in[0].headed(height)
		if err != nil {
			return nil, err
		}
		list[i] = chain.Some(h.hash)
	}
	return list, ctx.Err()
}

// Given are blocks with all that is kept of them.
func (p *parts) Given(ctx context.Context, blocks []chain.Anchor, _ [][]byte) ([]Given, error) {
	given := make([]Given, len(blocks))
	for i, block := range blocks {
		var err error
		if given[i], err = p.of(block.Height)[0].given(block.Height); err != nil {
			return nil, err
		}
	}
	return given, ctx.Err()
}

// Proof is what is kept of a block's state. That of a runtime's code is kept apart, and one
// archive may have it where another does not.
func (p *parts) Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) (proof [][]byte, err error) {
	if len(keys) != 1 || !bytes.Equal(keys[0], codeKey) {
		given, err := p.of(block.Height)[0].given(block.Height)
		return given.Proof, cmp.Or(err, ctx.Err())
	}
	for _, a := range p.of(block.Height) {
		if proof, err = a.codeAt(block.Height); !errors.Is(err, chain.ErrNotKept) {
			break
		}
	}
	return proof, err
}

func (p *parts) Version(_ context.Context, block chain.Anchor) (jsonscan.Value, error) {
	a, r, err := p.left(block)
	if err != nil {
		return jsonscan.Value{}, err
	}
	return a.word(r.Version)
}

func (p *parts) Metadata(_ context.Context, block chain.Anchor) ([]byte, error) {
	a, r, err := p.left(block)
	if err != nil {
		return nil, err
	}
	return a.piece(r.Metadata, maxRuntime)
}

func (p *parts) Word(ctx context.Context, method string) (jsonscan.Value, error) {
	return p.list[0].Call(ctx, method)
}

// left is the runtime that a block left behind, which executed the one above it, and the archive
// whose word of it counts: that which goes highest, of those that have the runtime.
func (p *parts) left(block chain.Anchor) (*Archive, *Runtime, error) {
	height := min(block.Height+1, p.last())
	in := p.of(height)[0]
	s, list, err := in.segmentOf(height)
	if err != nil {
		return nil, nil, err
	}
	r, err := in.executed(&list[height-s.first], s)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(p.list, func(a *Archive) bool { return a.manifest.runtime(r.RuntimeName) != nil })
	return p.list[i], p.list[i].manifest.runtime(r.RuntimeName), nil // in has it
}

// given is a block with all that is kept of it.
func (a *Archive) given(height uint64) (g Given, err error) {
	s, list, err := a.segmentOf(height)
	if err != nil {
		return g, err
	}
	h := &list[height-s.first]
	executed, err := a.executed(h, s)
	if err != nil {
		return g, err
	}
	g = Given{Header: h.Encode(), Extrinsics: s.at(height).extrinsics}
	if g.Proof, err = way(h, s.proof, executed.keys, map[trie.Hash]bool{}); err != nil {
		return g, a.damaged(s.blocksPath(), err)
	}
	return g, nil
}

// codeAt is what proves the code that a block left behind.
func (a *Archive) codeAt(height uint64) ([][]byte, error) {
	for i := range a.manifest.Runtimes {
		if r := &a.manifest.Runtimes[i]; r.Code != nil && r.Code.At == height {
			return a.code(r)
		}
	}
	return nil, fmt.Errorf("%s: the code that block %d left behind: %w", a.name, height, chain.ErrNotKept)
}
