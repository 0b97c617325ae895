package answers

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// findWants determines which further data the proofs of the blocks need, and where: as when the archive was made, or from
// the runtimes of the range. The last runtime gives the key of FeesTreasuryProportion and the item of the base fee, and each runtime whether
// system.blockWeight is needed.
func (r *recorder) findWants(ctx context.Context) error {
	o := r.options
	switch {
	case r.old != nil:
		r.manifest.ParameterKey, r.manifest.BlockWeights = r.old.ParameterKey, r.old.BlockWeights
		r.manifest.BaseFeeItem = r.old.BaseFeeItem
		return nil
	case o.ParameterKey == nil && o.BlockWeight == nil && o.BaseFeeItem == nil:
		return nil
	}
	last, err := r.runtime(ctx, o.Last)
	// Plain files of blocks up to the head are completed later; a segment is taken as it is.
	if errors.Is(err, chain.ErrNotOffered) || errors.Is(err, chain.ErrNoBlock) && !o.Segments {
		return nil // reading the blocks reports the same error
	}
	if err != nil {
		return err
	}
	spec, err := sidecar.DecodeRuntime(last.text)
	if err != nil {
		return err
	}
	if o.ParameterKey != nil {
		r.manifest.ParameterKey = o.ParameterKey(spec)
	}
	if o.BaseFeeItem != nil {
		r.manifest.BaseFeeItem = o.BaseFeeItem(spec)
	}
	if o.BlockWeight == nil {
		return nil
	}
	return r.findWeights(ctx, last)
}

// findWeights finds the heights at which system.blockWeight is needed: those of blocks executed by a runtime that needs
// it. A block's runtime is the one after its parent.
func (r *recorder) findWeights(ctx context.Context, last runtimeAt) error {
	base, err := r.runtime(ctx, r.base)
	if err != nil {
		return err
	}
	of := spanRuntimes{changes: []runtimeAt{base}, seen: []runtimeAt{base, last}}
	if err := r.changes(ctx, base, last, &of); err != nil {
		return err
	}
	for i, change := range of.changes {
		spec, err := sidecar.DecodeRuntime(change.text)
		if err != nil {
			return err
		}
		executed := chain.Heights{First: max(change.at+1, r.options.First), Last: r.options.Last}
		if i == 0 {
			executed.First = r.options.First // block 0 has no parent
		}
		if i+1 < len(of.changes) {
			executed.Last = of.changes[i+1].at
		}
		if executed.First <= executed.Last && r.options.BlockWeight(spec) {
			r.addWeights(executed)
		}
	}
	r.runtimes = map[uint64]runtimeAt{}
	for _, seen := range of.seen {
		r.runtimes[seen.at] = seen
	}
	return nil
}

// addWeights appends heights.
func (r *recorder) addWeights(heights chain.Heights) {
	wanted := r.manifest.BlockWeights
	if n := len(wanted); n > 0 && wanted[n-1].Last+1 == heights.First {
		wanted[n-1].Last = heights.Last
		return
	}
	r.manifest.BlockWeights = append(wanted, heights)
}

// wantsWeight reports whether system.blockWeight is needed at a height.
func (r *recorder) wantsWeight(at uint64) bool {
	return slices.ContainsFunc(r.manifest.BlockWeights, func(h chain.Heights) bool { return h.First <= at && at <= h.Last })
}

// refusable reports whether an answer was requested and may have been refused by the gateway.
func (r *recorder) refusable(path string) bool {
	at, ok := heightIn(path[strings.LastIndexByte(path, '/')+1:])
	return ok && slices.ContainsFunc(r.kinds, func(s state) bool { return s.optional && s.wanted(at) && s.path(at) == path })
}
