package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/metadata"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/tx/extrinsic"
)

// ahead is how far from a block it is asked which runtime there is.
const ahead = 1000

// mostRuntimes is how many compiled runtimes are remembered.
const mostRuntimes = 8

// runtime is one that the chain has or had.
type runtime struct {
	name    string         // and version, such as moonbeam/2100
	version jsonscan.Value // what the node answered to state_getRuntimeVersion
	// metadata are what the node answered to state_getMetadata.
	metadata []byte
	*render.Runtime
	extrinsics func() (*extrinsic.Runtime, error)

	digesting turn
	digested  chain.Optional[chain.Hash] // of the metadata, as signers sign it
}

// runtimes knows which final blocks left which runtime behind.
type runtimes struct {
	turn  turn
	spans []span     // rising
	used  []*runtime // compiled, the latest used last
}

// span are heights whose blocks left the same runtime behind.
type span struct {
	first, last uint64
	version     jsonscan.Value
	name        string
}

// runtimeAt is the runtime that a block left behind.
func (g *Gateway) runtimeAt(ctx context.Context, at place) (*runtime, error) {
	r := &g.runtimes
	var asked span
	if !at.final { // nothing is known of it: it is asked without making others wait
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

// span is the one that has a height, nil where none is known.
func (r *runtimes) span(height uint64) *span {
	i := slices.IndexFunc(r.spans, func(s span) bool { return s.first <= height && height <= s.last })
	if i < 0 {
		return nil
	}
	return &r.spans[i]
}

func (r *runtimes) known(height uint64) bool { return r.span(height) != nil }

// version asks which runtime a block left behind.
func (g *Gateway) version(ctx context.Context, at place) (found span, err error) {
	version, err := g.node.Call(ctx, "state_getRuntimeVersion", at.hash)
	if err != nil {
		return found, g.stateError(ctx, at, err)
	}
	specName, named := version.Member("specName").Text()
	number, err := chain.ReadUint64(version.Member("specVersion"))
	if !named || err != nil {
		return found, &rpc.DecodeError{What: "runtime version", Err: fmt.Errorf("it has no specName or specVersion: %s", jsonscan.Excerpt(version.Raw()))}
	}
	return span{at.height, at.height, version, runtimeName(specName, number)}, nil
}

func runtimeName(specName string, specVersion uint64) string {
	return fmt.Sprintf("%s/%d", specName, specVersion)
}

// learn remembers which runtime a final block left behind, and how far that goes upwards and
// downwards, for blocks are asked for in either direction.
func (g *Gateway) learn(ctx context.Context, found span) error {
	r, height := &g.runtimes, found.first
	if err := r.add(found); err != nil {
		return err
	}
	final := g.heights.lastFinal()
	if !r.known(height + 1) {
		if err := g.reach(ctx, found, min(height+ahead, max(final, height))); err != nil {
			return err
		}
	}
	if height == 0 || r.known(height-1) {
		return nil
	}
	err := g.reach(ctx, found, height-min(ahead, height))
	if errors.Is(err, chain.ErrPruned) || errors.Is(err, errNoHash) || errors.Is(err, chain.ErrNotKept) { // the end of what can be asked for
		return nil
	}
	return err
}

// reach finds how far a runtime goes: to a block that is far away, or to where another took
// its place, which is found by bisection. A chain never goes back to an older runtime:
// between two blocks with the same one is no other.
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

// add adds a span, and joins all that are of the same runtime. Where two runtimes then have
// the same heights, the node has said something wrong, and nothing of it is remembered.
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
				"the node says that blocks %d and %d left %s behind, and block %d %s: a chain does not go back to a runtime", a.first, a.last, a.name, b.first, b.name)}
		}
	}
	r.spans = spans
	return nil
}

// compiled is a runtime with its metadata, which are asked for once.
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
		return nil, fmt.Errorf("runtime %s: its metadata, of version %d, have no types: %w", name, m.Version, chain.ErrCannotTell)
	}
	said := "unknown"
	if v, known := m.RuntimeVersion(); known {
		said = runtimeName(v.SpecName, uint64(v.SpecVersion))
	}
	if said != name {
		r.spans = nil // one of the two is wrong
		return nil, &rpc.DecodeError{What: "metadata", Err: fmt.Errorf("block %d: they are of the runtime %s, and the node says that it is %s", at.height, said, name)}
	}
	decoder, err := render.NewRuntime(m)
	if err != nil {
		return nil, fmt.Errorf("runtime %s: %w: %w", name, chain.ErrCannotTell, err)
	}
	if len(r.used) >= mostRuntimes {
		r.used = slices.Delete(r.used, 0, 1)
	}
	found := &runtime{name: name, version: version, metadata: bytes, Runtime: decoder, digesting: newTurn()}
	found.extrinsics = sync.OnceValues(func() (*extrinsic.Runtime, error) { return extrinsic.NewRuntime(m, extrinsic.Token{}) })
	r.used = append(r.used, found)
	return found, nil
}
