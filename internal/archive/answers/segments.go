package answers

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
)

// recordSegment requests a span and stores it in a segment, which gets its name when it is complete.
func (r *recorder) recordSegment(ctx context.Context, w *walk, s chain.Heights) error {
	r.wrote = true
	path := segmentPath(s)
	file, err := r.disk.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	writer := newSegmentWriter(s, file)
	if err := r.recordSpan(ctx, w, s, func(a answer) error { return writer.add(a.path, a.text) }); err != nil {
		return err
	}
	segment, err := writer.end()
	if err != nil {
		return err
	}
	r.manifest.Segments = append(r.manifest.Segments, segment)
	return r.disk.Place(file, path)
}

// keptSegment is a valid existing segment.
type keptSegment struct {
	Segment
	before  chain.Hash // of the parent of its first block
	first   chain.Hash // of its first block
	last    chain.Hash // of its last block
	runtime runtimeAt  // its last runtime, without a path if it has none
}

// pass accepts a segment as it is.
func (r *recorder) pass(w *walk, kept *keptSegment) error {
	if err := r.follow(w, kept.First, kept.before, kept.first); err != nil {
		return err
	}
	w.lastHash = chain.Some(kept.last)
	if kept.runtime.path != "" {
		r.lastRuntime = kept.runtime
	}
	r.manifest.Segments = append(r.manifest.Segments, kept.Segment)
	r.progress(kept.Last)
	return nil
}

// findSegments finds the valid existing segments.
func (r *recorder) findSegments(ctx context.Context) error {
	r.segments = make([]*keptSegment, len(r.spans))
	if !r.options.Segments {
		return nil
	}
	for i, s := range r.spans {
		if err := ctx.Err(); err != nil {
			return err
		}
		kept, err := r.findSegment(s)
		if err == nil {
			r.segments[i] = kept
		} else if !errors.Is(err, ErrLacks) && !errors.Is(err, ErrDamaged) {
			return err
		}
	}
	return nil
}

// findSegment checks a segment against the old manifest. Without a manifest, it writes the segment again, discarding the
// output, and compares the results.
func (r *recorder) findSegment(s chain.Heights) (*keptSegment, error) {
	path := segmentPath(s)
	var segment Segment
	var err error
	if r.old != nil {
		segment, _ = r.old.segmentOf(blockPath(s.First))
	} else if segment, err = r.kept.rewrite(s); err != nil {
		return nil, err
	}
	if err = segment.Check(r.kept.files); err == nil && segment.Path != path {
		err = archive.ErrChanged
	}
	if err != nil {
		return nil, r.kept.damaged(path, err)
	}
	file, err := r.kept.openSegment(segment)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := r.kept.entries(file)
	if err != nil {
		return nil, err
	}
	paths := r.paths(s)
	others := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return r.refusable(e.Path) })
	if len(others) < len(paths) || !slices.EqualFunc(others[:len(paths)], paths, func(e Entry, path string) bool { return e.Path == path }) {
		return nil, r.kept.damaged(path, errors.New("it contains different answers"))
	}
	return r.kept.ends(file, entries)
}

// rewrite writes the contents of a segment's file as the recorder would, and returns the result.
func (a *Archive) rewrite(s chain.Heights) (Segment, error) {
	path := segmentPath(s)
	fail := func(err error) (Segment, error) { return Segment{}, a.unread(path, err) }
	file, size, err := archive.Open(a.files, path)
	if err != nil {
		return fail(err)
	}
	defer file.Close()
	from, ok := file.(io.ReaderAt)
	if !ok {
		return fail(errSequential)
	}
	z, err := zip.NewReader(from, size)
	if err != nil {
		return fail(err)
	}
	w := newSegmentWriter(s, io.Discard)
	for _, f := range z.File[:max(len(z.File), 1)-1] { // the last entry is the list, which is generated again
		raw, err := f.OpenRaw()
		if err != nil {
			return fail(err)
		}
		packed, err := io.ReadAll(io.LimitReader(raw, maxPacked))
		if err != nil {
			return fail(err)
		}
		text, err := archive.Unpack(packed, httpclient.DefaultMaxAnswer)
		if err != nil {
			return fail(err)
		}
		if err := w.add(f.Name, string(text)); err != nil {
			return fail(err)
		}
	}
	return w.end()
}

// ends reads what the recorder needs to continue after a segment.
func (a *Archive) ends(file segmentFile, entries []Entry) (*keptSegment, error) {
	s := file.segment
	kept := &keptSegment{Segment: s}
	for _, e := range entries {
		isFirst, isLast := e.Path == blockPath(s.First), e.Path == blockPath(s.Last)
		isRuntime := len(s.Runtimes) > 0 && e.Path == runtimePath(s.Runtimes[len(s.Runtimes)-1])
		if !isFirst && !isLast && !isRuntime {
			continue
		}
		text, err := a.unpack(file, e)
		if err != nil {
			return nil, err
		}
		if isRuntime {
			kept.runtime = runtimeAt{s.Runtimes[len(s.Runtimes)-1], answer{e.Path, text, true}}
			continue
		}
		b, err := sidecar.DecodeBlock(text)
		if err != nil {
			return nil, a.damaged(s.Path+": "+e.Path, err)
		}
		if isFirst {
			kept.before, kept.first = b.ParentHash, b.Hash
		}
		if isLast {
			kept.last = b.Hash
		}
	}
	return kept, nil
}
