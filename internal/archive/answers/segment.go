package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/httpclient"
)

// Segment is a file with the answers of consecutive heights: a zip file of zstd frames, one for each answer, under the
// paths used for plain files. Its last entry, pieces.json, lists the others.
//
// The manifest proves the list, and the list proves each answer, so that one can be read without the others. The
// list, not the zip file's own directory, gives their offsets.
type Segment struct {
	chain.Heights
	archive.Piece
	Listing  Entry    `json:"listing"`
	Runtimes []uint64 `json:"runtimes,omitempty"` // the heights of its runtimes, ascending
}

// Entry is a piece in a segment.
type Entry struct {
	archive.Piece       // the answer itself
	Offset        int64 `json:"offset"` // of its zstd frame in the file
	Packed        int64 `json:"packed"` // the size of the frame
}

const (
	segmentDirectory = "segments"
	listingPath      = "pieces.json"
)

func segmentPath(h chain.Heights) string {
	return fmt.Sprintf("%s/%d-%d.zip", segmentDirectory, h.First, h.Last)
}

// maxPacked limits the size of a frame; none is much larger than its answer.
const maxPacked = httpclient.DefaultMaxAnswer + httpclient.DefaultMaxAnswer/8

// The only encoder: its output depends on nothing but the input.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // invalid options
	}
	return e
})

// unpack opens a segment's file and returns the text of an entry.
func (a *Archive) unpack(s Segment, e Entry) (string, error) {
	f, err := a.openSegment(s)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return a.unpackFrom(f, s, e)
}

// openSegment opens a segment's file and checks its size against the manifest.
func (a *Archive) openSegment(s Segment) (segmentFile, error) {
	f, size, err := a.openAt(s.Path)
	switch {
	case errors.Is(err, ErrLacks):
		return nil, a.damaged(s.Path, archive.ErrMissing)
	case err != nil:
		return nil, err
	case size != s.Size: // there is more than what is listed
		f.Close()
		return nil, a.damaged(s.Path, archive.ErrChanged)
	}
	return f, nil
}

// unpackFrom returns the text of an entry of an open segment.
func (a *Archive) unpackFrom(f io.ReaderAt, s Segment, e Entry) (string, error) {
	inside := s.Path + ": " + e.Path
	if e.Size < 0 || e.Size > httpclient.DefaultMaxAnswer || e.Packed < 0 || e.Packed > maxPacked {
		return "", a.damaged(inside, errTooLarge)
	}
	packed := make([]byte, e.Packed)
	if _, err := f.ReadAt(packed, e.Offset); err != nil {
		return "", a.damaged(inside, fmt.Errorf("%w: %w", archive.ErrChanged, err))
	}
	text, err := archive.Unpack(packed, int(e.Size))
	if err != nil || int64(len(text)) != e.Size || archive.Sum(text) != e.SHA256 {
		return "", a.damaged(inside, archive.ErrChanged)
	}
	return string(text), nil
}

// segmentFile supports reading at any offset.
type segmentFile interface {
	io.ReaderAt
	io.Closer
}

func (a *Archive) openAt(path string) (segmentFile, int64, error) {
	file, size, err := a.open(path)
	if err != nil {
		return nil, 0, err
	}
	whole, ok := file.(segmentFile)
	if !ok { // files in a directory support it
		file.Close()
		return nil, 0, a.damaged(path, errors.New("it can only be read sequentially"))
	}
	return whole, size, nil
}

// listing opens a segment's file and returns the list of its entries.
func (a *Archive) listing(s Segment) ([]Entry, error) {
	f, err := a.openSegment(s)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return a.listingFrom(f, s)
}

// listingFrom returns the list of an open segment's entries.
func (a *Archive) listingFrom(f io.ReaderAt, s Segment) ([]Entry, error) {
	text, err := a.unpackFrom(f, s, s.Listing)
	if err != nil {
		return nil, err
	}
	if crowded(text) {
		return nil, a.damaged(s.Path+": "+s.Listing.Path, errCrowded)
	}
	var entries []Entry
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return nil, a.damaged(s.Path+": "+s.Listing.Path, err)
	}
	return entries, nil
}

// maxOpen limits the open segments. Neighbouring blocks are read together, so a few are enough.
const maxOpen = 4

// openSegments caches the most recently used segments.
type openSegments struct {
	sync.Mutex
	list []*openSegment // the most recent one last
}

// openSegment is an open segment. Its file is closed after its last reader releases it, once it has
// left the cache.
type openSegment struct {
	path    string
	entries map[string]Entry
	file    segmentFile
	readers int
	left    bool // has left the cache
}

// readSegment returns the answer that a segment contains under a path, up to a size limit.
func (a *Archive) readSegment(path string, maxSize int) (string, error) {
	segment, ok := a.manifest.segmentOf(path)
	if ok {
		open, err := a.held(segment)
		if err != nil {
			return "", err
		}
		defer a.release(open)
		if e, ok := open.entries[path]; ok {
			if maxSize < httpclient.DefaultMaxAnswer && e.Size > int64(maxSize) {
				return "", a.tooLarge(path)
			}
			return a.unpackFrom(open.file, segment, e)
		}
	}
	return "", fmt.Errorf("%s: %s: %w", a.name, path, ErrLacks)
}

// release ends the use of a segment returned by held.
func (a *Archive) release(o *openSegment) {
	a.opened.Lock()
	defer a.opened.Unlock()
	if o.readers--; o.readers == 0 && o.left {
		o.file.Close()
	}
}

// held returns an open segment from the cache, or opens it. The caller must release it.
func (a *Archive) held(s Segment) (*openSegment, error) {
	a.opened.Lock()
	defer a.opened.Unlock()
	list := a.opened.list
	if i := slices.IndexFunc(list, func(o *openSegment) bool { return o.path == s.Path }); i >= 0 {
		open := list[i]
		a.opened.list = append(slices.Delete(list, i, i+1), open)
		open.readers++
		return open, nil
	}
	file, err := a.openSegment(s)
	if err != nil {
		return nil, err
	}
	listed, err := a.listingFrom(file, s)
	if err != nil {
		file.Close()
		return nil, err
	}
	open := &openSegment{path: s.Path, entries: make(map[string]Entry, len(listed)), file: file, readers: 1}
	for _, e := range listed {
		open.entries[e.Path] = e
	}
	if len(list) == maxOpen {
		if list[0].left = true; list[0].readers == 0 {
			list[0].file.Close()
		}
		list = slices.Delete(list, 0, 1)
	}
	a.opened.list = append(list, open)
	return open, nil
}

// segmentOf returns the segment that contains a path. The first one also contains what applied before its first
// block.
func (m *Manifest) segmentOf(path string) (Segment, bool) {
	heights := appendHeight(nil, path[strings.LastIndexByte(path, '/')+1:])
	if len(heights) == 0 {
		return Segment{}, false
	}
	at := heights[0]
	if at == max(m.First, 1)-1 {
		at = m.First
	}
	i := sort.Search(len(m.Segments), func(i int) bool { return m.Segments[i].Last >= at })
	if at < m.First || i == len(m.Segments) {
		return Segment{}, false
	}
	return m.Segments[i], true
}
