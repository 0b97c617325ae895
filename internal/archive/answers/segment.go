package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// segmentFile is the open file of a segment.
type segmentFile struct {
	fs.File
	io.ReaderAt
	segment Segment
}

// openSegment opens a segment's file, which must have the size in the manifest.
func (a *Archive) openSegment(s Segment) (f segmentFile, err error) {
	file, size, err := archive.Open(a.files, s.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, a.damaged(s.Path, archive.ErrMissing)
	case err != nil:
		return f, a.damaged(s.Path, err)
	}
	from, ok := file.(io.ReaderAt)
	switch {
	case !ok: // files in a directory can
		err = errSequential
	case size != s.Size: // there is more than what is listed
		err = archive.ErrChanged
	default:
		return segmentFile{file, from, s}, nil
	}
	file.Close()
	return f, a.damaged(s.Path, err)
}

var errSequential = errors.New("it can only be read sequentially")

// unpack returns the text of an entry of a segment.
func (a *Archive) unpack(f segmentFile, e Entry) (string, error) {
	inside := f.segment.Path + ": " + e.Path
	if e.Size < 0 || e.Size > httpclient.DefaultMaxAnswer || e.Packed < 0 || e.Packed > maxPacked {
		return "", a.damaged(inside, errTooLarge)
	}
	packed := make([]byte, e.Packed)
	if _, err := f.ReadAt(packed, e.Offset); err != nil {
		return "", a.damaged(inside, fmt.Errorf("%w: %w", archive.ErrChanged, err))
	}
	text, err := archive.Unpack(packed, int(e.Size))
	if err != nil || archive.PieceOf(e.Path, text) != e.Piece {
		return "", a.damaged(inside, archive.ErrChanged)
	}
	return string(text), nil
}

// entries returns the list of a segment's entries.
func (a *Archive) entries(f segmentFile) (list []Entry, err error) {
	text, err := a.unpack(f, f.segment.Listing)
	if err != nil {
		return nil, err
	}
	if crowded(text) {
		err = errCrowded
	} else {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil {
		return nil, a.damaged(f.segment.Path+": "+f.segment.Listing.Path, err)
	}
	return list, nil
}

// openSegment is a segment in the cache.
type openSegment struct {
	segmentFile // closed with the garbage, when neither the cache nor a reader has it
	byPath      map[string]Entry
}

// held returns an open segment from the cache, or opens it.
func (a *Archive) held(s Segment) (openSegment, error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	if known, ok := a.segments.Get(s.Path); ok {
		return known, nil
	}
	file, err := a.openSegment(s)
	if err != nil {
		return openSegment{}, err
	}
	list, err := a.entries(file)
	if err != nil {
		file.Close()
		return openSegment{}, err
	}
	open := openSegment{file, make(map[string]Entry, len(list))}
	for _, e := range list {
		open.byPath[e.Path] = e
	}
	a.segments.Add(s.Path, open)
	return open, nil
}

// readSegment returns the answer that a segment contains under a path, up to a size limit.
func (a *Archive) readSegment(path string, maxSize int) (string, error) {
	if segment, ok := a.manifest.segmentOf(path); ok {
		open, err := a.held(segment)
		if err != nil {
			return "", err
		}
		if e, ok := open.byPath[path]; ok {
			if maxSize < httpclient.DefaultMaxAnswer && e.Size > int64(maxSize) {
				return "", a.tooLarge(path)
			}
			return a.unpack(open.segmentFile, e)
		}
	}
	return "", fmt.Errorf("%s: %s: %w", a.name, path, ErrLacks)
}

// segmentOf returns the segment that contains a path. The first one also contains what applied before its first
// block.
func (m *Manifest) segmentOf(path string) (Segment, bool) {
	at, ok := heightIn(path[strings.LastIndexByte(path, '/')+1:])
	if !ok {
		return Segment{}, false
	}
	if at == max(m.First, 1)-1 {
		at = m.First
	}
	i := sort.Search(len(m.Segments), func(i int) bool { return m.Segments[i].Last >= at })
	if at < m.First || i == len(m.Segments) {
		return Segment{}, false
	}
	return m.Segments[i], true
}
