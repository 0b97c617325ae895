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
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/disk"
)

// Record keeps the blocks of a range in a directory, from the last one down, each proved by the
// one above it before it is kept.
//
// What is there already and proves right is not asked for again, so that a recording that was
// stopped, at whatever moment, goes on and becomes the archive that it would have been. The
// directory must hold nothing else, and one recorder at a time may write to it.
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
	if err := r.blocks(ctx, r.portions); err != nil {
		return nil, &httpclient.InterruptedError{Next: r.next(), Err: err}
	}
	return r.finish(ctx)
}

// next is the highest block that no segment holds.
func (r *recorder) next() uint64 {
	if kept := r.manifest.Segments; len(kept) > 0 {
		return kept[len(kept)-1].First - 1
	}
	return r.options.Last
}

// newRecorder is a recording that has begun: it comes next to the last block.
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
	at       chain.Anchor // the block that comes next, by its hash
	runtimes map[RuntimeName]*met
	likely   *met      // the runtime whose keys the next blocks have, as far as is known
	above    *met      // the runtime that executed the block above, nil for the last one
	old      *Manifest // of a recording that was finished, nil where there is none
	done     uint64
	manifest Manifest // with runtimes and segments from the highest down, until it is finished
}

// prepare looks at what the directory has.
func (r *recorder) prepare() error {
	if err := disk.MakeDirectory(r.disk.Directory); err != nil {
		return err
	}
	o := r.options
	r.manifest = Manifest{Format: format, First: o.First, Last: o.Last, Accounts: []string{}}
	for _, account := range o.Accounts {
		r.manifest.Accounts = append(r.manifest.Accounts, account.String())
	}
	if text, err := os.ReadFile(r.disk.At(manifestPath)); err == nil {
		old, err := readManifest(text)
		if err == nil && (old.First != o.First || old.Last != o.Last || !slices.Equal(old.Accounts, r.manifest.Accounts)) {
			return fmt.Errorf("%s holds blocks %d to %d with the balances of %d accounts already: record into another directory",
				r.disk.Directory, old.First, old.Last, len(old.Accounts))
		}
		r.old = old
	}
	paths := map[string]bool{manifestPath: true, stampPath: true}
	for _, s := range r.spans() {
		paths[s.headersPath()], paths[s.blocksPath()] = true, true
	}
	return r.disk.Sweep(func(path string) bool { return paths[path] || runtimeFile.MatchString(path) })
}

// runtimeFile is what the files of runtimes are called.
var runtimeFile = regexp.MustCompile(`^runtimes/[a-z][a-z0-9-]*\.(metadata|code)\.zst$`)

func (r *recorder) spans() []span {
	return spans(base(r.options.First), r.options.Last, r.options.segmentSize)
}

// begin finds the last block, and the runtime that executed it, by the origin's word.
func (r *recorder) begin(ctx context.Context) error {
	o := r.options
	t, any := o.Trusted.Get()
	trusted := any && t.Height == o.Last
	if !trusted {
		final, err := r.from.Final(ctx)
		if err != nil {
			return err
		}
		if final < o.Last {
			return fmt.Errorf("block %d: %w: the newest final block is %d", o.Last, ErrNotFinal, final)
		}
	}
	top, err := r.anchors(ctx, span{base(o.Last), o.Last})
	if err != nil {
		return err
	}
	if r.at = top[len(top)-1]; trusted {
		r.at = t
	}
	r.manifest.LastHash = r.at.Hash
	if r.old != nil && r.old.LastHash != r.at.Hash {
		return fmt.Errorf("%s holds blocks %d to %d of another chain, whose last block is %v: record into another directory",
			r.disk.Directory, r.old.First, r.old.Last, r.old.LastHash)
	}
	r.likely, err = r.meet(ctx, top[0])
	return err
}

// passed notes that a block is proved: the next one is its parent.
func (r *recorder) passed(ctx context.Context, h *headed, executed *met) error {
	if t, trusted := r.options.Trusted.Get(); trusted && t.Height == h.Number && t.Hash != h.hash {
		return &BlockError{h.Number, "header", fmt.Errorf("its hash is %v, and %v is trusted", h.hash, t.Hash)}
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
		return fmt.Errorf("blocks %d to %d: headers of %d bytes and %d bytes beside them: an archive keeps at most %d and %d", s.first, s.last, len(headers), len(blocks), maxHeaders, maxBlocks)
	}
	kept := Segment{First: s.first, Last: s.last}
	var err error
	if kept.Headers, err = r.file(s.headersPath(), pack(headers)); err != nil {
		return err
	}
	if kept.Blocks, err = r.file(s.blocksPath(), pack(blocks)); err != nil {
		return err
	}
	r.manifest.Segments = append(r.manifest.Segments, kept)
	return nil
}

// file writes a file, unless it is there.
func (r *recorder) file(path string, bytes []byte) (Piece, error) {
	piece := pieceOf(path, bytes)
	if have, err := os.ReadFile(r.disk.At(path)); err == nil && pieceOf(path, have) == piece {
		return piece, nil
	}
	return piece, r.disk.Write(path, string(bytes))
}

// finish writes the manifest, and removes the files of runtimes that are none of the chain's,
// as a node may have said before that they were.
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
		return nil, fmt.Errorf("%s: %w", manifestPath, err)
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
	if err := r.disk.Flush(); err != nil {
		return nil, err
	}
	if _, err := r.file(manifestPath, text); err != nil {
		return nil, err
	}
	return m, r.disk.Flush()
}

// words asks what the node says of itself and its chain.
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
