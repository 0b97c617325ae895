package proofs

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Record records the blocks of a range in a directory, from the last one down. Each is proved by the one above before it is
// stored.
//
// Existing files that prove valid are not requested again: a recording that was stopped at any moment continues and becomes
// the same archive. The directory must contain nothing else, and only one recorder at a time may write to it.
func Record(ctx context.Context, from Origin, directory string, o RecordOptions) (*Manifest, error) {
	return record(ctx, from, disk.New(directory), o)
}

func record(ctx context.Context, from Origin, d disk.Disk, o RecordOptions) (*Manifest, error) {
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	r, err := newRecorder(ctx, from, d, o)
	if err != nil {
		return nil, err
	}
	if err := r.blocks(ctx, r.batches); err != nil {
		return nil, &httpclient.InterruptedError{Next: r.next(), Err: err}
	}
	return r.finish(ctx)
}

// next returns the highest block not yet in a segment.
func (r *recorder) next() uint64 {
	if kept := r.manifest.Segments; len(kept) > 0 {
		return kept[len(kept)-1].First - 1
	}
	return r.options.Last
}

// newRecorder begins a recording, positioned at the last block.
func newRecorder(ctx context.Context, from Origin, d disk.Disk, o RecordOptions) (*recorder, error) {
	r := &recorder{from: from, disk: d, options: o, runtimes: map[RuntimeName]*met{}}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	return r, r.begin(ctx)
}

// recorder is one recording.
type recorder struct {
	from     Origin
	disk     disk.Disk
	options  RecordOptions
	at       chain.Anchor // the next block, with its hash
	runtimes map[RuntimeName]*met
	likely   *met      // the runtime that probably executed the next blocks
	above    *met      // the runtime that executed the block above; nil for the last block
	old      *Manifest // the manifest of an earlier, finished recording; may be nil
	done     uint64
	manifest Manifest // runtimes and segments are in descending order until it is finished
}

// prepare examines the directory.
func (r *recorder) prepare() error {
	if err := disk.MakeDirectory(r.disk.Directory); err != nil {
		return err
	}
	o := r.options
	r.manifest = Manifest{Format: format, First: o.First, Last: o.Last, Accounts: []string{}}
	for _, account := range o.Accounts {
		r.manifest.Accounts = append(r.manifest.Accounts, account.String())
	}
	if text, err := os.ReadFile(r.disk.At(archive.ManifestPath)); err == nil {
		old, err := readManifest(string(text))
		if err == nil && (old.First != o.First || old.Last != o.Last || !slices.Equal(old.Accounts, r.manifest.Accounts)) {
			return archive.AlreadyContains(r.disk.Directory, old.First, old.Last, old.Accounts)
		}
		r.old = old
	}
	paths := map[string]bool{archive.ManifestPath: true, archive.StampPath: true, finalityPath: true}
	for _, s := range r.spans() {
		paths[headersPath(s)], paths[blocksPath(s)] = true, true
	}
	return r.disk.Sweep(func(path string) bool { return paths[path] || runtimeFile.MatchString(path) })
}

// runtimeFile matches the names of runtime files.
var runtimeFile = regexp.MustCompile(`^runtimes/[a-z][a-z0-9-]*\.(metadata|code)\.zst$`)

func (r *recorder) spans() []chain.Heights {
	return archive.Split(chain.Heights{First: base(r.options.First), Last: r.options.Last}, r.options.segmentSize)
}

// begin finds the last block, and the runtime that executed it, as the origin states them.
func (r *recorder) begin(ctx context.Context) error {
	o := r.options
	t, given := o.Trusted.Get()
	trusted := given && t.Height == o.Last
	if !trusted {
		final, err := r.from.Final(ctx)
		if err != nil {
			return err
		}
		if final < o.Last {
			return fmt.Errorf("block %d: %w; the newest final block is %d", o.Last, archive.ErrNotFinal, final)
		}
	}
	top, err := r.anchors(ctx, chain.Heights{First: base(o.Last), Last: o.Last})
	if err != nil {
		return err
	}
	if r.at = top[len(top)-1]; trusted {
		r.at = t
	}
	r.manifest.LastHash = r.at.Hash
	if r.old != nil && r.old.LastHash != r.at.Hash {
		return fmt.Errorf("%s contains blocks %d to %d of another chain, with the last block %v. Record into another directory.",
			r.disk.Directory, r.old.First, r.old.Last, r.old.LastHash)
	}
	r.likely, err = r.meet(ctx, top[0])
	return err
}

// passed records that a block is proved; its parent is next.
func (r *recorder) passed(ctx context.Context, h *headed, executed *met) error {
	if t, trusted := r.options.Trusted.Get(); trusted && t.Height == h.Number && t.Hash != h.hash {
		return &BlockError{h.Number, "header", fmt.Errorf("its hash is %v, but the checkpoint has %v", h.hash, t.Hash)}
	}
	if r.above == nil && h.upgrades() {
		if err := r.after(ctx, h); err != nil {
			return err
		}
	}
	if err := r.list(executed); err != nil {
		return err
	}
	if r.above != nil {
		if err := r.code(ctx, h, r.above); err != nil {
			return err
		}
	}
	r.at = leftItBehind(h)
	r.above, r.likely = executed, executed
	if r.done++; r.options.Progress != nil {
		r.options.Progress(r.done, r.options.Last-base(r.options.First)+1)
	}
	return nil
}

// keep writes the files of a segment.
func (r *recorder) keep(s *making) error {
	headers, blocks := appendList(nil, s.encoded), s.encode()
	if len(headers) > maxHeaders || len(blocks) > maxBlocks {
		return fmt.Errorf("blocks %d to %d: %d bytes of headers and %d bytes of contents exceed the limits of %d and %d", s.First, s.Last, len(headers), len(blocks), maxHeaders, maxBlocks)
	}
	kept := Segment{Heights: s.Heights}
	var err error
	if kept.Headers, err = archive.Store(r.disk, headersPath(s.Heights), pack(headers)); err != nil {
		return err
	}
	if kept.Blocks, err = archive.Store(r.disk, blocksPath(s.Heights), pack(blocks)); err != nil {
		return err
	}
	r.manifest.Segments = append(r.manifest.Segments, kept)
	return nil
}

// finish writes the manifest, and removes the files of runtimes that are not the chain's after all, although a node stated
// them before.
func (r *recorder) finish(ctx context.Context) (*Manifest, error) {
	m := &r.manifest
	slices.Reverse(m.Runtimes)
	slices.Reverse(m.Segments)
	if err := r.words(ctx); err != nil {
		return nil, err
	}
	text, err := m.seal()
	if err != nil {
		return nil, err
	}
	if m, err = readManifest(text); err != nil {
		return nil, fmt.Errorf("%s: %w", archive.ManifestPath, err)
	}
	listed := m.listed()
	if err := r.disk.Each(func(path string, _ fs.DirEntry) error {
		if listed[path] || !runtimeFile.MatchString(path) {
			return nil
		}
		return os.Remove(r.disk.At(path))
	}); err != nil {
		return nil, err
	}
	return m, archive.Finish(r.disk, text)
}

// words requests the node's statements about itself and its chain.
func (r *recorder) words(ctx context.Context) error {
	w := &r.manifest.Node
	for _, word := range []struct {
		method string
		text   *string
		any    *json.RawMessage
	}{{"system_chain", &w.Chain, nil}, {"system_chainType", nil, &w.ChainType}, {"system_properties", nil, &w.Properties}, {"system_version", &w.Version, nil}} {
		v, err := r.from.Word(ctx, word.method)
		if err != nil {
			return err
		}
		if len(v.Raw()) > maxWord {
			return fmt.Errorf("%s: an answer of %d bytes, want at most %d", word.method, len(v.Raw()), maxWord)
		}
		if word.any != nil {
			*word.any = json.RawMessage(v.Raw())
			continue
		}
		var ok bool
		if *word.text, ok = v.Text(); !ok {
			return fmt.Errorf("%s: the node answers %s, want a text", word.method, jsonscan.Excerpt(v.Raw()))
		}
	}
	return nil
}
