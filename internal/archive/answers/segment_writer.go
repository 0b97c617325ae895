package answers

import (
	"archive/zip"
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
)

// segmentWriter writes a segment's file. It holds the list of its pieces, but not their text.
type segmentWriter struct {
	segment Segment // as written so far
	entries []Entry
	buffer  *bufio.Writer // buffers writes to the file
	zip     *zip.Writer
	digest  hash.Hash
	packed  []byte // the last frame
}

func newSegmentWriter(s chain.Heights, file io.Writer) *segmentWriter {
	w := &segmentWriter{buffer: bufio.NewWriterSize(file, 1<<16), digest: sha256.New()}
	w.segment = Segment{Heights: s, Piece: archive.Piece{Path: segmentPath(s)}}
	w.zip = zip.NewWriter(w)
	return w
}

// Write receives the zip file's bytes: it counts and hashes them.
func (w *segmentWriter) Write(part []byte) (int, error) {
	w.digest.Write(part)
	w.segment.Size += int64(len(part))
	return w.buffer.Write(part)
}

// add appends an answer.
func (w *segmentWriter) add(path, text string) error {
	e, err := w.put(path, text)
	w.entries = append(w.entries, e)
	if name, ok := strings.CutPrefix(path, runtimeDirectory+"/"); ok {
		w.segment.Runtimes = appendHeight(w.segment.Runtimes, name)
	}
	return err
}

func (w *segmentWriter) put(path, text string) (Entry, error) {
	w.packed = encoder().EncodeAll([]byte(text), w.packed[:0])
	e := Entry{Piece: archive.PieceOf(path, text), Packed: int64(len(w.packed))}
	out, err := w.zip.CreateRaw(&zip.FileHeader{ // without a time
		Name:               path,
		Method:             zstd.ZipMethodWinZip,
		ReaderVersion:      63, // the first version of the zip format with zstd
		CRC32:              crc32.ChecksumIEEE([]byte(text)),
		CompressedSize64:   uint64(len(w.packed)),
		UncompressedSize64: uint64(len(text)),
	})
	if err != nil {
		return e, err
	}
	if err := w.zip.Flush(); err != nil {
		return e, err
	}
	e.Offset = w.segment.Size
	_, err = out.Write(w.packed)
	return e, err
}

// end appends the list of the pieces and returns the segment.
func (w *segmentWriter) end() (Segment, error) {
	list, err := json.Marshal(w.entries)
	if err != nil {
		return Segment{}, err
	}
	if w.segment.Listing, err = w.put(listingPath, string(list)+"\n"); err != nil {
		return Segment{}, err
	}
	if err := errors.Join(w.zip.Close(), w.buffer.Flush()); err != nil {
		return Segment{}, err
	}
	w.segment.SHA256 = hex.EncodeToString(w.digest.Sum(nil))
	return w.segment, nil
}
