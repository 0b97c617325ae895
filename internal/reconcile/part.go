package reconcile

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// Limits for a part of a workbook, relative to its packed size: a small file that unpacks to millions of elements would
// keep a server busy. Spreadsheets write at most twenty times the packed size, with three marks per packed byte.
const (
	maxPart         = 256 << 20 // bytes, unpacked
	maxRatio        = 100       // unpacked bytes per packed byte, in addition
	freeBytes       = 4 << 20
	maxMarks        = 5 // elements and attributes per packed byte, in addition
	freeMarks       = 256 << 10
	maxBetweenMarks = 1 << 20 // bytes of one text or tag
	maxDirectory    = 2 << 20 // bytes of the list of parts
)

// partReader reads a part within these limits, until the context ends.
type partReader struct {
	ctx     context.Context
	from    io.ReadCloser
	bytes   int // left
	marks   int // left
	between int // bytes since the last element began

	examining *int // bytes left to examine sheets; nil if the part is read
}

// openPart unpacks a part of a workbook within the limits.
func (w *workbook) openPart(file *zip.File) (*partReader, error) {
	p := &partReader{ctx: w.ctx, examining: w.examining}
	if file.UncompressedSize64 > maxPart {
		return nil, fmt.Errorf("it is larger than %d MB; split it", maxPart>>20)
	}
	content, err := file.Open()
	if err != nil {
		return nil, err
	}
	packed := int(min(file.CompressedSize64, maxWorkbook))
	p.from, p.bytes, p.marks = content, min(freeBytes+maxRatio*packed, maxPart), freeMarks+maxMarks*packed
	return p, nil
}

// Read implements [io.Reader].
func (p *partReader) Read(into []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.from.Read(into)
	text := into[:n]
	p.bytes -= n
	if p.examining != nil {
		if *p.examining -= n; *p.examining < 0 {
			return 0, errExamined
		}
	}
	p.marks -= bytes.Count(text, []byte("<")) + bytes.Count(text, []byte("="))
	first := bytes.IndexByte(text, '<')
	if first < 0 {
		first = n
	}
	p.between += first
	const again = "; save it again with a spreadsheet, or as csv"
	switch {
	case p.bytes < 0:
		return 0, errors.New("it unpacks to more data than a spreadsheet writes" + again)
	case p.marks < 0:
		return 0, errors.New("it unpacks to more cells or texts than a spreadsheet writes" + again)
	case p.between > maxBetweenMarks:
		return 0, fmt.Errorf("it contains a text of more than %d MB"+again, maxBetweenMarks>>20)
	case first < n:
		p.between = n - bytes.LastIndexByte(text, '<')
	}
	return n, err
}

// Close implements [io.Closer].
func (p *partReader) Close() error { return p.from.Close() }

// directoryReader reads the list of a zip file's parts, up to a limit.
type directoryReader struct {
	from io.ReaderAt
	left int64
}

// ReadAt implements [io.ReaderAt].
func (d *directoryReader) ReadAt(into []byte, at int64) (int, error) {
	if d.left -= int64(len(into)); d.left < 0 {
		return 0, fmt.Errorf("its list of parts is longer than %d MB", maxDirectory>>20)
	}
	return d.from.ReadAt(into, at)
}
