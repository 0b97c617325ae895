package answers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Answers is a gateway that returns the exact bytes of its answers.
type Answers interface {
	Get(ctx context.Context, path string) (string, error)
}

// Record records a gateway's answers for a range of blocks in a directory: the blocks, their headers, the multipliers, the
// runtimes where they change, FeesTreasuryProportion if the fees depend on it, system.blockWeight if the multiplier
// does, the balances of accounts, and the node's version. Each answer is decoded and checked before it is stored, and
// each block must be the parent of the next.
//
// Valid existing files are not requested again: a recording that was stopped at any moment continues and becomes the same
// archive, and a damaged archive is repaired. Only complete segments exist. The directory must contain nothing else, and
// only one recorder at a time may write to it.
func Record(ctx context.Context, gateway Answers, directory string, o RecordOptions) (*Manifest, error) {
	return record(ctx, gateway, disk.New(directory), o)
}

func record(ctx context.Context, gateway Answers, d disk.Disk, o RecordOptions) (*Manifest, error) {
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	r := &recorder{
		gateway: gateway,
		disk:    d,
		options: o,
		base:    o.base(),
		spans:   o.spans(),
		places:  make(chan struct{}, o.Concurrency),
		kept:    New(d.Directory, os.DirFS(d.Directory)),
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.findSegments(ctx); err != nil {
		return nil, err
	}
	if err := r.node(ctx); err != nil {
		return nil, err
	}
	if err := r.blocks(ctx); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// recorder is one recording.
type recorder struct {
	gateway     Answers
	disk        disk.Disk
	options     RecordOptions
	base        uint64
	spans       []chain.Heights
	places      chan struct{} // slots for concurrent requests
	kept        *Archive      // the existing contents of the directory
	old         *Manifest
	listed      map[string]archive.Piece // of the old manifest
	segments    []*keptSegment           // the valid existing segments
	runtimes    map[uint64]runtimeAt     // runtimes read before the blocks, by height
	lastRuntime runtimeAt                // of the spans so far, without a path if the gateway offers none
	manifest    Manifest
	kinds       []state // of the answers to record
	wrote       bool
}

// prepare examines the directory.
func (r *recorder) prepare(ctx context.Context) error {
	if err := disk.MakeDirectory(r.disk.Directory); err != nil {
		return err
	}
	o := r.options
	r.manifest = Manifest{Format: manifestFormat, Tool: tool, First: o.First, Last: o.Last, Accounts: []string{}}
	for _, account := range o.Accounts {
		r.manifest.Accounts = append(r.manifest.Accounts, account.String())
	}
	old, err := r.kept.readManifest()
	switch {
	case err == nil && (old.First != o.First || old.Last != o.Last || !slices.Equal(old.Accounts, r.manifest.Accounts)):
		return archive.AlreadyContains(r.disk.Directory, old.First, old.Last, old.Accounts)
	case err == nil:
		r.old, r.listed = old, old.pieces()
	case !errors.Is(err, ErrLacks) && !errors.Is(err, ErrDamaged):
		return err
	}
	if err := r.findWants(ctx); err != nil {
		return err
	}
	r.kinds = r.findKinds()
	switch {
	case o.Segments && r.kept.has(blockDirectory):
		return fmt.Errorf("%s contains plain files, but these blocks need segments. Record into another directory.", r.disk.Directory)
	case !o.Segments && r.kept.has(segmentDirectory):
		return fmt.Errorf("%s contains segments. Record in segments again, or into another directory.", r.disk.Directory)
	}
	return r.disk.Sweep(r.expected())
}

// expected returns a function that reports whether a path belongs to the archive.
func (r *recorder) expected() func(path string) bool {
	o := r.options
	paths := map[string]bool{archive.ManifestPath: true, archive.StampPath: true, nodePath: true}
	if o.Segments {
		for _, s := range r.spans {
			paths[segmentPath(s)] = true
		}
		return func(path string) bool { return paths[path] }
	}
	for _, s := range r.spans {
		for _, path := range r.paths(s) {
			paths[path] = true
		}
	}
	for at := r.base; at <= o.Last; at++ {
		paths[runtimePath(at)] = true
		for _, s := range r.kinds {
			paths[s.path(at)] = s.wanted(at)
		}
	}
	return func(path string) bool { return paths[path] }
}

// paths returns the paths of the answers of a span in the order of storage, without those that the gateway may have
// refused, and without the runtimes.
func (r *recorder) paths(s chain.Heights) []string {
	var paths []string
	states := func(at uint64) {
		for _, s := range r.kinds {
			if !s.optional && s.wanted(at) {
				paths = append(paths, s.path(at))
			}
		}
	}
	if s.First == r.options.First && r.base < s.First {
		states(r.base)
	}
	for h := s.First; h <= s.Last; h++ {
		paths = append(paths, headerPath(h))
		states(h)
		paths = append(paths, blockPath(h))
	}
	return paths
}

// node records the node's version.
func (r *recorder) node(ctx context.Context) error {
	a, err := r.obtain(ctx, nodePath, "/node/version", func(text string) error {
		_, err := sidecar.DecodeNodeVersion(text)
		return err
	})
	if errors.Is(err, chain.ErrNotOffered) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.keep(a)
}

// finish writes the manifest. If nothing had to be written, the old one is valid; its writer may have ended before the
// name was synced.
func (r *recorder) finish(ctx context.Context) (*Manifest, error) {
	listed := r.manifest.pieces()
	if err := r.disk.Sweep(func(path string) bool {
		return path == archive.ManifestPath || path == archive.StampPath || listed[path].Path != ""
	}); err != nil {
		return nil, err
	}
	if r.old != nil && !r.wrote && len(r.listed) == len(listed) {
		return r.old, r.disk.Flush()
	}
	var err error
	if r.manifest.GatewayVersion, err = r.gatewayVersion(ctx); err != nil {
		return nil, err
	}
	text, err := r.manifest.seal()
	if err != nil {
		return nil, err
	}
	return &r.manifest, archive.Finish(r.disk, text)
}

// gatewayVersion returns the version that the gateway states at its root. It is requested last: the root has no
// version in its path, and a client would conclude that no path has one.
func (r *recorder) gatewayVersion(ctx context.Context) (string, error) {
	text, err := r.gateway.Get(ctx, "/")
	var unreachable *httpclient.UnreachableError
	if errors.As(err, &unreachable) || ctx.Err() != nil {
		return "", err
	}
	if err != nil {
		return "", nil
	}
	root, _ := jsonscan.Parse(text)
	version, _ := root.Member("version").Text()
	return jsonscan.Excerpt(version), nil
}
