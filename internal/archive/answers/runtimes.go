package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/jsonscan"
)

// spanRuntimes contains the runtimes of a span.
type spanRuntimes struct {
	changes []runtimeAt // to store: the runtime before the first block, and each change
	seen    []runtimeAt // all runtimes read
}

// runtimeAt is the runtime at a height.
type runtimeAt struct {
	at uint64
	answer
}

// spanRuntimes finds the runtimes of a span, given the last one of the spans before it.
func (r *recorder) spanRuntimes(ctx context.Context, s chain.Heights) (of spanRuntimes, err error) {
	if changes, ok := r.listedRuntimes(); ok {
		return spanRuntimes{changes, changes}, nil
	}
	if s.First == r.options.First {
		r.lastRuntime, err = r.runtime(ctx, r.base)
		if errors.Is(err, chain.ErrNotOffered) {
			return of, nil
		}
		of = spanRuntimes{[]runtimeAt{r.lastRuntime}, []runtimeAt{r.lastRuntime}}
	}
	low := r.lastRuntime
	if err != nil || low.path == "" || low.at == s.Last {
		return of, err
	}
	low.at = max(low.at, max(s.First, 1)-1) // unchanged up to here
	if r.lastRuntime, err = r.runtime(ctx, s.Last); err == nil {
		of.seen = append(of.seen, r.lastRuntime)
		err = r.changes(ctx, low, r.lastRuntime, &of)
	}
	return of, err
}

// changes finds the changes after one height up to another. Versions only increase: if both ends have the same runtime, so
// do all heights in between.
func (r *recorder) changes(ctx context.Context, low, high runtimeAt, of *spanRuntimes) error {
	if maps.Equal(specContent(low.text), specContent(high.text)) {
		return nil
	}
	if high.at == low.at+1 {
		of.changes = append(of.changes, high)
		return nil
	}
	middle, err := r.runtime(ctx, low.at+(high.at-low.at)/2)
	if err != nil {
		return err
	}
	of.seen = append(of.seen, middle)
	if err := r.changes(ctx, low, middle, of); err != nil {
		return err
	}
	return r.changes(ctx, middle, high, of)
}

// listedRuntimes returns the runtimes listed in the old manifest of plain files, if all of them exist and are valid; then
// no request is needed.
func (r *recorder) listedRuntimes() (runtimes []runtimeAt, ok bool) {
	if r.old == nil || r.options.Segments {
		return nil, false
	}
	for _, at := range r.old.heights()[runtimeDirectory] {
		a, ok := r.find(runtimePath(at), checkRuntime(at, chain.Optional[chain.Hash]{}))
		if !ok {
			return nil, false
		}
		runtimes = append(runtimes, runtimeAt{at, a})
	}
	return runtimes, true
}

func (r *recorder) runtime(ctx context.Context, at uint64) (runtimeAt, error) {
	if read, ok := r.runtimes[at]; ok {
		return read, nil
	}
	a, err := r.obtain(ctx, runtimePath(at), fmt.Sprintf("/runtime/spec?at=%d", at), checkRuntime(at, chain.Optional[chain.Hash]{}))
	return runtimeAt{at, a}, err
}

func checkRuntime(at uint64, hash chain.Optional[chain.Hash]) func(text string) error {
	return func(text string) error {
		spec, err := sidecar.DecodeRuntime(text)
		return cmp.Or(err, wrongHeight(at, spec.At), wrongHash(hash, spec.AtHash))
	}
}

// specContent returns a runtime spec without its position in the chain.
func specContent(text string) map[string]string {
	content := map[string]string{}
	spec, err := jsonscan.Parse(text)
	if err != nil {
		return content // cannot fail: it was decoded before
	}
	for name, value := range spec.Members() {
		if name != "at" {
			content[name] = value.Raw()
		}
	}
	return content
}
