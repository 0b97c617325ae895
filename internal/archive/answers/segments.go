package answers

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

// recordSegment asks for a span and keeps it in a segment, which has its name when
// it is whole.
func (r *recorder) recordSegment(ctx context.Context, w *walk, s span) error {
	r.wrote = true
	path := segmentPath(s.first, s.last)
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

// keptSegment is a segment that is there already and holds.
type keptSegment struct {
	Segment
	before  chain.Hash // of the block before its first
	first   chain.Hash // of its first block
	last    chain.Hash // of its last block
	runtime runtimeAt  // its last, without a path where it has none
}

// pass takes a segment as it is.
func (r *recorder) pass(w *walk, kept *keptSegment) error {
	if err := r.follow(w, kept.First, kept.before, kept.first); err != nil {
		return err
	}
	w.lastHash = chain.Some(kept.last)
	r.manifest.Segments = append(r.manifest.Segments, kept.Segment)
	r.progress(kept.Last)
	return nil
}

// findSegments looks which segments are there and hold.
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

// findSegment proves a segment by the old manifest. Where there is none, it is
// written once more, to nowhere, and must come out the same.
func (r *recorder) findSegment(s span) (*keptSegment, error) {
	path := segmentPath(s.first, s.last)
	file, err := r.kept.pieceAt(path)
	if err != nil {
		return nil, err
	}
	var segment Segment
	var entries []Entry
	if r.old != nil {
		segment, _ = r.old.segmentOf(blockPath(s.first))
		entries, err = r.kept.listing(segment)
	} else {
		segment, entries, err = r.kept.rewrite(s)
	}
	if err != nil {
		return nil, err
	}
	if segment.Piece != file {
		return nil, r.kept.damaged(path, errChanged)
	}
	paths := r.paths(s)
	others := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return r.refusable(e.Path) })
	if len(others) < len(paths) || !slices.EqualFunc(others[:len(paths)], paths, func(e Entry, path string) bool { return e.Path == path }) {
		return nil, r.kept.damaged(path, errors.New("it has other answers than these"))
	}
	return r.kept.ends(segment, entries)
}

// rewrite writes what a segment's file has as the recorder would, and tells what
// came out.
func (a *Archive) rewrite(s span) (Segment, []Entry, error) {
	path := segmentPath(s.first, s.last)
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
	for _, f := range z.File[:max(len(z.File), 1)-1] { // the last is the list, which is made anew
		raw, err := f.OpenRaw()
		if err != nil {
			return fail(err)
		}
		packed, err := io.ReadAll(io.LimitReader(raw, maxPacked))
		if err != nil {
			return fail(err)
		}
		text, err := decoder().DecodeAll(packed, nil)
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

// ends reads what the recorder has to know of a segment to go on after it.
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
