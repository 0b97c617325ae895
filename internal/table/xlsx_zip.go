package table

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/xuri/excelize/v2"
)

// writeBook writes the workbook's zip file: its parts in order of their names, without times. Excelize's own
// has sheets in random order, and keeps the file in memory.
func writeBook(w io.Writer, book *excelize.File) (err error) {
	p := &parts{}
	defer func() { err = errors.Join(err, p.remove()) }()
	book.SetZipWriter(func(io.Writer) excelize.ZipWriter { return p })
	if _, err := book.WriteToBuffer(); err != nil { // the buffer stays empty
		return err
	}
	return p.writeTo(w)
}

// compressors are reused: their tables of almost 1 MB take longer to build than most parts to compress.
var compressors = sync.Pool{New: func() any {
	compressor, _ := flate.NewWriter(nil, flate.DefaultCompression) // only fails for other levels
	return compressor
}}

// parts are the files of a workbook, each compressed in a temporary file.
type parts struct{ list []*part }

// part is a file of a workbook.
type part struct {
	name       string
	file       *os.File
	compressor *flate.Writer
	sum        hash.Hash32
	size       uint64
}

// Create starts a part.
func (p *parts) Create(name string) (io.Writer, error) {
	file, err := os.CreateTemp("", "fees-xlsx-")
	if err != nil {
		return nil, err
	}
	compressor := compressors.Get().(*flate.Writer)
	compressor.Reset(file)
	next := &part{name: name, file: file, compressor: compressor, sum: crc32.NewIEEE()}
	p.list = append(p.list, next)
	return next, nil
}

// AddFS is never called by excelize for these workbooks.
func (p *parts) AddFS(fs.FS) error { return errors.ErrUnsupported }

// Close is called when all parts are written.
func (p *parts) Close() error {
	for _, part := range p.list {
		if err := part.compressor.Close(); err != nil {
			return err
		}
		compressors.Put(part.compressor)
	}
	return nil
}

// Write adds to a part.
func (p *part) Write(text []byte) (int, error) {
	if p.size += uint64(len(text)); p.size > math.MaxUint32 {
		return 0, fmt.Errorf("%s would exceed 4 GiB, which spreadsheet programs cannot read; write CSV or Parquet", p.name)
	}
	p.sum.Write(text)
	return p.compressor.Write(text)
}

// writeTo writes the zip file.
func (p *parts) writeTo(w io.Writer) error {
	slices.SortFunc(p.list, func(a, b *part) int { return strings.Compare(a.name, b.name) })
	out := zip.NewWriter(w)
	for _, part := range p.list {
		compressed, err := part.file.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		entry, err := out.CreateRaw(&zip.FileHeader{
			Name: part.name, Method: zip.Deflate, CRC32: part.sum.Sum32(),
			CompressedSize64: uint64(compressed), UncompressedSize64: part.size,
		})
		if err != nil {
			return err
		}
		if _, err := part.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.Copy(entry, part.file); err != nil {
			return err
		}
	}
	return out.Close()
}

func (p *parts) remove() (err error) {
	for _, part := range p.list {
		err = errors.Join(err, part.file.Close(), os.Remove(part.file.Name()))
	}
	return err
}
