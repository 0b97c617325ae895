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

// JoinOptions state how archives are joined.
type JoinOptions struct {
	// Trusted is a block that the archives' chain must contain.
	Trusted chain.Optional[chain.Anchor]
	// Progress, if not nil, receives the number of blocks stored.
	Progress func(done, total uint64)

	segmentSize uint64 // for tests
}

// Join combines several archives of one chain, in any order, into one: the archive that [Record] would make of the whole
// range. Parts may overlap. They must have the same accounts and parameter keys.
//
// Each part is proved as it is read, and by the part above it. For unproved data, the highest part takes precedence.
// Like [Record], Join continues where it was stopped.
func Join(ctx context.Context, directories []string, output string, o JoinOptions) (*Manifest, error) {
	p, err := openParts(ctx, directories)
	if err != nil {
		return nil, err
	}
	top := p.list[0]
	m, err := Record(ctx, p, output, RecordOptions{
		First:        p.first,
		Last:         top.manifest.Last,
		Trusted:      o.Trusted,
		Accounts:     top.accounts,
		ParameterKey: func(name RuntimeName) string { return p.runtime(name).ParameterKey },
		BaseFeeItem:  func(name RuntimeName) string { return p.runtime(name).BaseFeeItem },
		Concurrency:  2, // more would not read faster
		Progress:     o.Progress,
		segmentSize:  o.segmentSize,
	})
	if err == nil {
		err = p.copyFinality(output)
	}
	return m, err
}

// FromArchive returns an archive as the origin of a recording.
func FromArchive(ctx context.Context, directory string) (Origin, error) {
	p, err := openParts(ctx, []string{directory})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parts are the archives to join; they are the Origin of the result.
type parts struct {
	list  []*Archive // the one that reaches highest first
	first uint64
}

func openParts(ctx context.Context, directories []string) (*parts, error) {
	if len(directories) == 0 {
		return nil, errors.New("no archives given; name at least two directories")
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
	lowest := p.list[0] // of those examined so far
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

// fit checks that lower continues upper downwards.
func fit(ctx context.Context, upper, lower *Archive) error {
	u, l := upper.manifest, lower.manifest
	if !slices.Equal(u.Accounts, l.Accounts) {
		return fmt.Errorf("the accounts of %s and %s differ: %s and %s", lower.name, upper.name, named(l.Accounts), named(u.Accounts))
	}
	for i := range l.Runtimes {
		r := &l.Runtimes[i]
		switch other := u.runtime(r.RuntimeName); {
		case other == nil:
		case other.ParameterKey != r.ParameterKey:
			return fmt.Errorf("%s has the parameter %q for runtime %v, but %s has %q", lower.name, r.ParameterKey, r.RuntimeName, upper.name, other.ParameterKey)
		case other.BaseFeeItem != r.BaseFeeItem:
			return fmt.Errorf("%s has the base fee's item %q for runtime %v, but %s has %q", lower.name, r.BaseFeeItem, r.RuntimeName, upper.name, other.BaseFeeItem)
		}
	}
	if l.Last < u.base() {
		return fmt.Errorf("%s ends with block %d and %s begins with block %d; no archive contains the blocks in between", lower.name, l.Last, upper.name, u.First)
	}
	return sameChain(ctx, upper, lower)
}

func named(accounts []string) string {
	if len(accounts) == 0 {
		return "none"
	}
	return strings.Join(accounts, ", ")
}

// sameChain compares the blocks that two archives share: if the highest agree, so do all below. Otherwise it reports the
// lowest that differs.
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
		from = ", the lowest that both contain,"
	}
	return fmt.Errorf("%s and %s are on different chains: block %d%s is %v in the first and %v in the second", a.name, b.name, height, from, one.hash, other.hash)
}

// runtime returns a runtime as the first archive with it lists it, empty for none.
func (p *parts) runtime(name RuntimeName) Runtime {
	for _, a := range p.list {
		if r := a.manifest.runtime(name); r != nil {
			return *r
		}
	}
	return Runtime{}
}

// of returns the archives that contain a block, the one that reaches highest first. There is at least one if Hashes
// returned the block's hash.
func (p *parts) of(height uint64) (list []*Archive) {
	for _, a := range p.list {
		if height >= a.manifest.base() && height <= a.manifest.Last {
			list = append(list, a)
		}
	}
	return list
}

func (p *parts) last() uint64 { return p.list[0].manifest.Last }

// Final returns the highest block of all parts.
func (p *parts) Final(context.Context) (uint64, error) { return p.last(), nil }

// Hashes returns the hashes of the existing blocks.
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

// Given returns blocks with everything recorded of them.
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

// Proof returns the recorded state of a block. The proof of a runtime's code is stored separately, and may be in only some
// of the archives.
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

// left returns the runtime after a block, which executed the next one, and the archive whose statement counts: of those
// with the runtime, the one that reaches highest.
func (p *parts) left(block chain.Anchor) (*Archive, *Runtime, error) {
	if a := p.list[0]; block.Height == p.last() && a.manifest.After != nil {
		return a, a.manifest.After, nil
	}
	height := min(block.Height+1, p.last())
	_, _, r, err := p.of(height)[0].at(height)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(p.list, func(a *Archive) bool { return a.manifest.runtime(r.RuntimeName) != nil })
	return p.list[i], p.list[i].manifest.runtime(r.RuntimeName), nil // the one that was read has it
}

// given returns a block with everything recorded of it.
func (a *Archive) given(height uint64) (g Given, err error) {
	h, s, executed, err := a.at(height)
	if err != nil {
		return g, err
	}
	g = Given{Header: h.Encode(), Extrinsics: s.at(height).extrinsics}
	if g.Proof, err = way(h, s.proof, executed.keys, map[trie.Hash]bool{}); err != nil {
		return g, a.damaged(blocksPath(s.Heights), err)
	}
	return g, nil
}

// codeAt returns the proof of the code after a block.
func (a *Archive) codeAt(height uint64) ([][]byte, error) {
	for i := range a.manifest.Runtimes {
		if r := &a.manifest.Runtimes[i]; r.Code != nil && r.Code.At == height {
			return a.code(r)
		}
	}
	return nil, fmt.Errorf("%s: the code after block %d: %w", a.name, height, chain.ErrNotKept)
}
