package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/block"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// ahead is the distance from a block at which the runtime is checked.
const ahead = 1000

// maxRuntimes limits the cached compiled runtimes.
const maxRuntimes = 8

// runtime is a current or former runtime of the chain.
type runtime struct {
	name    string         // with version, such as moonbeam/2100
	version jsonscan.Value // what the node answered to state_getRuntimeVersion
	// metadata is the node's answer to state_getMetadata.
	metadata []byte
	*render.Runtime
	decoder    func() (*block.Decoder, error)
	extrinsics func() (*extrinsic.Runtime, error)
	ownKeys    func() ([][]byte, error) // storage keys needed for a block's answer, the events first
	usualKeys  func() [][]byte          // those of the usual items that the runtime has

	digesting turn
	digested  chain.Optional[chain.Hash] // digest of the metadata, as signers sign it
}

// runtimes caches the runtime after each final block.
type runtimes struct {
	turn  turn
	spans []span     // ascending
	used  []*runtime // compiled, the latest used last
}

// span is a range of blocks with the same runtime after them.
type span struct {
	first, last uint64
	version     jsonscan.Value
	name        string
}

// runtimeAt returns the runtime after a block.
func (g *Gateway) runtimeAt(ctx context.Context, at place) (*runtime, error) {
	r := &g.runtimes
	var asked span
	if !at.final { // not cached: requested without holding the lock
		var err error
		if asked, err = g.version(ctx, at); err != nil {
			return nil, err
		}
	}
	if err := r.turn.take(ctx); err != nil {
		return nil, err
	}
	defer r.turn.leave()
	if !at.final {
		return g.compiled(ctx, at, asked.name, asked.version)
	}
	if s := r.span(at.height); s != nil {
		return g.compiled(ctx, at, s.name, s.version)
	}
	found, err := g.version(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := g.learn(ctx, found); err != nil {
		return nil, err
	}
	return g.compiled(ctx, at, found.name, found.version)
}

// span returns the span that contains a height, nil if unknown.
func (r *runtimes) span(height uint64) *span {
	i := slices.IndexFunc(r.spans, func(s span) bool { return s.first <= height && height <= s.last })
	if i < 0 {
		return nil
	}
	return &r.spans[i]
}

func (r *runtimes) known(height uint64) bool { return r.span(height) != nil }

// version requests the runtime version after a block.
func (g *Gateway) version(ctx context.Context, at place) (found span, err error) {
	version, err := g.node.Call(ctx, "state_getRuntimeVersion", at.hash)
	if err != nil {
		return found, g.stateError(ctx, at, err)
	}
	specName, named := version.Member("specName").Text()
	number, err := jsonread.Uint64(version.Member("specVersion"))
	if !named || err != nil {
		return found, &rpc.DecodeError{What: "runtime version", Err: fmt.Errorf("it has no specName or specVersion: %s", jsonscan.Excerpt(version.Raw()))}
	}
	return span{at.height, at.height, version, runtimeName(specName, number)}, nil
}

func runtimeName(specName string, specVersion uint64) string {
	return fmt.Sprintf("%s/%d", specName, specVersion)
}

// learn records the runtime after a final block, and how far it extends upwards and downwards, because blocks are requested in
// either direction.
func (g *Gateway) learn(ctx context.Context, found span) error {
	r, height := &g.runtimes, found.first
	if err := r.add(found); err != nil {
		return err
	}
	final := g.heights.lastFinal()
	if !r.known(height + 1) {
		if err := g.reach(ctx, found, min(height+ahead, max(final, height))); err != nil && !errors.Is(err, chain.ErrNotKept) {
			return err // an archive may lack the runtime after its last block
		}
	}
	if height == 0 || r.known(height-1) {
		return nil
	}
	err := g.reach(ctx, found, height-min(ahead, height))
	if errors.Is(err, chain.ErrPruned) || errors.Is(err, errNoHash) || errors.Is(err, chain.ErrNotKept) { // the end of the available blocks
		return nil
	}
	return err
}

// reach finds how far a runtime extends: to a distant block, or to where another replaced it, by bisection. A chain
// never returns to an older runtime: between two blocks with the same one there is no other.
func (g *Gateway) reach(ctx context.Context, found span, far uint64) error {
	same, other := int64(found.first), int64(far) // heights are of 32 bits
	for next := other; next != same; next = same + (other-same)/2 {
		there, err := g.versionAt(ctx, uint64(next))
		if err == nil {
			err = g.runtimes.add(there)
		}
		switch {
		case err != nil:
			return err
		case there.name == found.name:
			same = next
		default:
			other = next
		}
	}
	return nil
}

func (g *Gateway) versionAt(ctx context.Context, height uint64) (found span, err error) {
	hash, final, err := g.hash(ctx, height)
	if err != nil {
		return found, err
	}
	return g.version(ctx, place{height, hash, final})
}

// add adds a span, and joins spans of the same runtime. If two runtimes then overlap, the node has contradicted itself, and
// everything learned is discarded.
func (r *runtimes) add(s span) error {
	spans := slices.DeleteFunc(slices.Clone(r.spans), func(x span) bool {
		if x.name == s.name {
			s.first, s.last = min(s.first, x.first), max(s.last, x.last)
		}
		return x.name == s.name
	})
	spans = append(spans, s)
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i := range spans[1:] {
		if a, b := &spans[i], &spans[i+1]; b.first <= a.last {
			r.spans = nil
			return &rpc.DecodeError{What: "runtime version", Err: fmt.Errorf(
				"the node reports blocks %d and %d with runtime %s, but block %d with %s: a chain does not return to a runtime", a.first, a.last, a.name, b.first, b.name)}
		}
	}
	r.spans = spans
	return nil
}

// compiled returns a runtime with its metadata, which are requested once.
func (g *Gateway) compiled(ctx context.Context, at place, name string, version jsonscan.Value) (*runtime, error) {
	r := &g.runtimes
	if i := slices.IndexFunc(r.used, func(x *runtime) bool { return x.name == name }); i >= 0 {
		found := r.used[i]
		r.used = append(slices.Delete(r.used, i, i+1), found)
		return found, nil
	}
	bytes, err := g.node.Metadata(ctx, at.hash)
	if err != nil {
		return nil, g.stateError(ctx, at, err)
	}
	m, err := metadata.Parse(bytes)
	if err != nil {
		return nil, malformed("metadata", fmt.Errorf("runtime %s: %w", name, err))
	}
	if !m.Typed() {
		return nil, fmt.Errorf("runtime %s: metadata version %d contains no types: %w", name, m.Version, chain.ErrUnsupported)
	}
	said := "unknown"
	if v, known := m.RuntimeVersion(); known {
		said = runtimeName(v.SpecName, uint64(v.SpecVersion))
	}
	if said != name {
		r.spans = nil // one of the two is wrong
		return nil, &rpc.DecodeError{What: "metadata", Err: fmt.Errorf("block %d: they belong to runtime %s, but the node reports %s", at.height, said, name)}
	}
	decoder, err := render.NewRuntime(m)
	if err != nil {
		return nil, fmt.Errorf("runtime %s: %w: %w", name, chain.ErrUnsupported, err)
	}
	if len(r.used) >= maxRuntimes {
		r.used = slices.Delete(r.used, 0, 1)
	}
	found := &runtime{name: name, version: version, metadata: bytes, Runtime: decoder, digesting: newTurn()}
	found.decoder = sync.OnceValues(decoder.Decoder)
	found.extrinsics = sync.OnceValues(func() (*extrinsic.Runtime, error) { return extrinsic.NewReader(m, extrinsic.Token{}) })
	found.ownKeys, found.usualKeys = sync.OnceValues(found.findOwnKeys), sync.OnceValue(found.findUsualKeys)
	r.used = append(r.used, found)
	return found, nil
}
