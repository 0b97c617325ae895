package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/wire"
)

// ErrNotFinal says that a block could still be replaced by another, and is not
// kept.
var ErrNotFinal = errors.New("not final yet")

// Answers is a gateway that tells what it answers at a path, to the byte.
// [gatewayclient.Client] is one.
type Answers interface {
	Answer(ctx context.Context, path string) (string, error)
}

// RecordOptions say what is recorded.
type RecordOptions struct {
	// First and Last are the heights of the range, both included.
	First, Last uint64
	// Accounts are those whose balances are kept at each height; none by default.
	Accounts []chain.Address
	// Concurrency is how many heights are asked for at once;
	// [gatewayclient.DefaultConcurrency] by default.
	Concurrency int
	// Progress is told, if not nil, how many of the blocks are kept.
	Progress func(done, total uint64)
}

// mostPieces is how many files an archive may have. The manifest of more would be
// larger than what is read of one.
const mostPieces = 150_000

// Record keeps a gateway's answers on a range of blocks in a directory: the
// blocks, their headers, the multipliers, the runtimes where they change, the
// balances of accounts, and what the node is. Each answer is decoded and checked
// before it is kept, and each block must be the parent of the next.
//
// What is there already and holds is not asked for again, so that a recording
// that was stopped, at whatever moment, goes on and becomes the archive that it
// would have been; and a damaged archive is mended. The directory must hold
// nothing else, and one recorder at a time may write to it.
func Record(ctx context.Context, gateway Answers, directory string, o RecordOptions) (*Manifest, error) {
	return record(ctx, gateway, disk{directory: directory}, o)
}

func record(ctx context.Context, gateway Answers, d disk, o RecordOptions) (*Manifest, error) {
	if o.Last < o.First {
		return nil, fmt.Errorf("blocks %d to %d: the range ends before it begins", o.First, o.Last)
	}
	if o.Concurrency <= 0 {
		o.Concurrency = gatewayclient.DefaultConcurrency
	}
	o.Accounts = slices.Clone(o.Accounts)
	slices.SortFunc(o.Accounts, func(a, b chain.Address) int { return slices.Compare(a[:], b[:]) })
	o.Accounts = slices.Compact(o.Accounts)
	if perBlock := uint64(3 + len(o.Accounts)); (o.Last-o.First)/perBlock >= mostPieces || (o.Last-o.First+1)*perBlock > mostPieces {
		return nil, fmt.Errorf("blocks %d to %d: more than the %d files that an archive may have: record %d blocks at a time",
			o.First, o.Last, mostPieces, mostPieces/perBlock)
	}
	r := &recorder{gateway: gateway, disk: d, options: o, kept: New(d.directory, os.DirFS(d.directory)), base: max(o.First, 1) - 1}
	if err := r.prepare(); err != nil {
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

// recorder is one recording. Only blocks asks several questions at once.
type recorder struct {
	gateway  Answers
	disk     disk
	options  RecordOptions
	base     uint64   // the height whose multiplier and runtime the first block had
	kept     *Archive // what is in the directory already
	old      *Manifest
	listed   map[string]string // the old manifest's sums
	noSpec   bool              // the gateway has no /runtime/spec
	spec     map[string]string // the last runtime, as specContent has it
	pieces   []Piece
	manifest Manifest
	wrote    bool
}

// prepare looks at what the directory has.
func (r *recorder) prepare() error {
	if err := os.MkdirAll(r.disk.directory, 0o777); err != nil {
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
		return fmt.Errorf("%s holds blocks %d to %d with the balances of %d accounts already: record into another directory",
			r.disk.directory, old.First, old.Last, len(old.Accounts))
	case err == nil:
		r.old, r.listed = old, old.sums()
	case !errors.Is(err, ErrLacks) && !errors.Is(err, ErrDamaged):
		return err
	}
	return r.disk.sweep(r.expected())
}

// expected tells which paths belong to the archive.
func (r *recorder) expected() func(path string) bool {
	o := r.options
	paths := map[string]bool{manifestPath: true, nodePath: true, multiplierPath(r.base): true, runtimePath(r.base): true}
	for h := o.First; h <= o.Last; h++ {
		for _, path := range []string{blockPath(h), headerPath(h), multiplierPath(h), runtimePath(h)} {
			paths[path] = true
		}
		for _, account := range o.Accounts {
			paths[balancePath(account, h)] = true
		}
	}
	return func(path string) bool { return paths[path] }
}

// answer is a text to be kept under a path, or kept there already.
type answer struct {
	path, text string
	there      bool
}

// find is what is kept under a path and holds.
func (r *recorder) find(path string, check func(text string) error) (answer, bool) {
	text, err := r.kept.readFile(path)
	if err != nil || check(text) != nil {
		return answer{}, false
	}
	if want, ok := r.listed[path]; ok && sum(text) != want || r.listed != nil && !ok {
		return answer{}, false
	}
	return answer{path, text, true}, true
}

// obtain is what is kept under a path and holds, or else what the gateway answers
// to a question.
func (r *recorder) obtain(ctx context.Context, path, question string, check func(text string) error) (answer, error) {
	if a, ok := r.find(path, check); ok {
		return a, nil
	}
	text, err := r.gateway.Answer(ctx, question)
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", question, err)
	}
	return answer{path: path, text: text}, nil
}

// keep writes an answer, unless it is there, and lists it.
func (r *recorder) keep(a answer) error {
	if !a.there {
		r.wrote = true
		if err := r.disk.write(a.path, a.text); err != nil {
			return err
		}
	}
	r.pieces = append(r.pieces, Piece{a.path, len(a.text), sum(a.text)})
	return nil
}

func (r *recorder) node(ctx context.Context) error {
	a, err := r.obtain(ctx, nodePath, "/node/version", func(text string) error {
		_, err := gatewayclient.DecodeNodeVersion(text)
		return err
	})
	if errors.Is(err, gatewayclient.ErrNoEndpoint) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.keep(a)
}

// blocks records the heights of the range: several are asked for at once, and
// they are written in their order.
func (r *recorder) blocks(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	base, err := r.runtime(ctx, r.base, chain.Optional[chain.Hash]{})
	if errors.Is(err, gatewayclient.ErrNoEndpoint) {
		r.noSpec = true
	} else if err != nil {
		return err
	}

	o := r.options
	coming := make(chan chan heightResult, o.Concurrency-1)
	asking.Go(func() {
		defer close(coming)
		for number := o.First; number <= o.Last; number++ {
			slot := make(chan heightResult, 1)
			select {
			case coming <- slot:
			case <-ctx.Done():
				return
			}
			asking.Go(func() {
				h, err := r.height(ctx, number)
				slot <- heightResult{h, err}
			})
		}
	})
	var before chain.Hash
	for slot := range coming {
		result := <-slot
		if result.err != nil {
			return result.err
		}
		h := result.height
		if h.number == o.First {
			if err := r.keepBase(base, h); err != nil {
				return err
			}
			r.manifest.FirstHash = h.hash.String()
		} else if h.parent != before {
			return fmt.Errorf("block %d: %w: its parent is %v, and block %d is %v: if the gateway has another chain by now, record into an empty directory",
				h.number, gatewayclient.ErrWrongBlock, h.parent, h.number-1, before)
		}
		if err := r.keepHeight(h); err != nil {
			return err
		}
		before = h.hash
		if o.Progress != nil {
			o.Progress(h.number-o.First+1, o.Last-o.First+1)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.manifest.LastHash = before.String()
	return nil
}

type heightResult struct {
	height height
	err    error
}

// keepBase keeps what was in force before the first block.
func (r *recorder) keepBase(runtime answer, first height) error {
	if !r.noSpec {
		hash := first.parent
		if r.base == first.number { // block 0 has no parent
			hash = first.hash
		}
		if err := checkRuntime(r.base, chain.Some(hash))(runtime.text); err != nil {
			return fmt.Errorf("/runtime/spec?at=%d: %w", r.base, err)
		}
		r.spec = specContent(runtime.text)
		if err := r.keep(runtime); err != nil {
			return err
		}
	}
	for _, a := range first.before {
		if err := r.keep(a); err != nil {
			return err
		}
	}
	return nil
}

func (r *recorder) keepHeight(h height) error {
	if h.runtime.path != "" {
		if spec := specContent(h.runtime.text); !maps.Equal(spec, r.spec) {
			r.spec = spec
			if err := r.keep(h.runtime); err != nil {
				return err
			}
		}
	}
	for _, a := range h.answers {
		if err := r.keep(a); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the manifest. Where nothing had to be written the old one holds.
func (r *recorder) finish(ctx context.Context) (*Manifest, error) {
	listed := (&Manifest{Pieces: r.pieces}).sums()
	if err := r.disk.sweep(func(path string) bool { return path == manifestPath || listed[path] != "" }); err != nil {
		return nil, err
	}
	if r.old != nil && !r.wrote && len(r.old.Pieces) == len(r.pieces) {
		return r.old, nil
	}
	var err error
	if r.manifest.GatewayVersion, err = r.gatewayVersion(ctx); err != nil {
		return nil, err
	}
	r.manifest.Pieces = r.pieces
	text, err := r.manifest.seal()
	if err != nil {
		return nil, err
	}
	if err := r.disk.flush(); err != nil {
		return nil, err
	}
	if err := r.disk.write(manifestPath, text); err != nil {
		return nil, err
	}
	return &r.manifest, r.disk.flush()
}

// gatewayVersion is what the gateway says of itself at its root. It is asked for
// last: its root has no version in its path, and would tell a client that no path
// has one.
func (r *recorder) gatewayVersion(ctx context.Context) (string, error) {
	text, err := r.gateway.Answer(ctx, "/")
	var unreachable *gatewayclient.UnreachableError
	if errors.As(err, &unreachable) || ctx.Err() != nil {
		return "", err
	}
	if err != nil {
		return "", nil
	}
	root, _ := wire.Parse(text)
	version, _ := root.Member("version").Text()
	return wire.Excerpt(version), nil
}
