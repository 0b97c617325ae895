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
	file, err := r.kept.pieceAt(path)
	if err != nil {
		return nil, err
	}
	var segment Segment
	var entries []Entry
	if r.old != nil {
		segment, _ = r.old.segmentOf(blockPath(s.First))
		entries, err = r.kept.listing(segment)
	} else {
		segment, entries, err = r.kept.rewrite(s)
	}
	if err != nil {
		return nil, err
	}
	if segment.Piece != file {
		return nil, r.kept.damaged(path, archive.ErrChanged)
	}
	paths := r.paths(s)
	others := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return r.refusable(e.Path) })
	if len(others) < len(paths) || !slices.EqualFunc(others[:len(paths)], paths, func(e Entry, path string) bool { return e.Path == path }) {
		return nil, r.kept.damaged(path, errors.New("it contains different answers"))
	}
	return r.kept.ends(segment, entries)
}

// rewrite writes the contents of a segment's file as the recorder would, and returns the result.
func (a *Archive) rewrite(s chain.Heights) (Segment, []Entry, error) {
	path := segmentPath(s)
	fail := func(err error) (Segment, []Entry, error) { return Segment{}, nil, a.damaged(path, err) }
	file, size, err := a.openAt(path)
	if err != nil {
		return Segment{}, nil, err
	}
	defer file.Close()
	z, err := zip.NewReader(file, size)
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
	segment, err := w.end()
	return segment, w.entries, err
}

// ends reads what the recorder needs to continue after a segment.
func (a *Archive) ends(s Segment, entries []Entry) (*keptSegment, error) {
	kept := &keptSegment{Segment: s}
	for _, e := range entries {
		isFirst, isLast := e.Path == blockPath(s.First), e.Path == blockPath(s.Last)
		isRuntime := len(s.Runtimes) > 0 && e.Path == runtimePath(s.Runtimes[len(s.Runtimes)-1])
		if !isFirst && !isLast && !isRuntime {
			continue
		}
		text, err := a.unpack(s, e)
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
