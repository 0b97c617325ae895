// Package spill keeps more than fits into memory, in temporary files.
package spill

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// mostHeld is how many bytes of records are held in memory. Those before them are in a
// temporary file.
const mostHeld = 4 << 20

// Records are some bytes each, in the order in which they were added. The zero value has
// none. They are kept until they are closed.
type Records struct {
	file  *os.File // nil while all are held
	size  int64    // of the file
	held  []byte   // what comes after the file
	count int
}

// Add adds a record, and returns where it begins, for [Records.At].
func (r *Records) Add(record []byte) (at int64, err error) {
	if len(r.held) >= mostHeld {
		if err := r.spill(); err != nil {
			return 0, fmt.Errorf("temporary file: %w", err)
		}
	}
	at = r.size + int64(len(r.held))
	r.held = append(binary.AppendUvarint(r.held, uint64(len(record))), record...)
	r.count++
	return at, nil
}

// spill moves what is held to the file.
func (r *Records) spill() (err error) {
	if r.file == nil {
		if r.file, err = NewFile(); err != nil {
			return err
		}
	}
	n, err := r.file.WriteAt(r.held, r.size)
	r.size += int64(n)
	r.held = r.held[:copy(r.held, r.held[n:])]
	return err
}

// Len is how many records there are.
func (r *Records) Len() int { return r.count }

// All are the records. One is valid until the next.
func (r *Records) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var record []byte
		at := int64(0)
		in := r.from(at)
		for range r.count {
			var err error
			if at == r.size { // what comes now is held
				in = r.from(at)
			}
			if record, err = next(in, record); !yield(record, err) || err != nil {
				return
			}
			at += int64(prefixed(len(record)))
		}
	}
}

// mostShort is how long most records are that are looked up one by one.
const mostShort = 256

// At is the record that begins at a place.
func (r *Records) At(at int64) ([]byte, error) { return next(r.sized(at, mostShort), nil) }

// from reads from a place on: the file up to its end, or what is held.
func (r *Records) from(at int64) *bufio.Reader { return r.sized(at, 64<<10) }

// sized reads so many bytes ahead.
func (r *Records) sized(at int64, ahead int) *bufio.Reader {
	if at >= r.size {
		return bufio.NewReaderSize(bytes.NewReader(r.held[at-r.size:]), ahead)
	}
	return bufio.NewReaderSize(io.NewSectionReader(r.file, at, r.size-at), ahead)
}

// prefixed is how many bytes a record takes with its length before it.
func prefixed(length int) int {
	return len(binary.AppendUvarint(nil, uint64(length))) + length
}

// next reads a record into the memory of the one before.
func next(in *bufio.Reader, record []byte) ([]byte, error) {
	length, err := binary.ReadUvarint(in)
	if err == nil {
		if uint64(cap(record)) < length {
			record = make([]byte, length)
		}
		record = record[:length]
		_, err = io.ReadFull(in, record)
	}
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return record, nil
}

// Close gives up the records.
func (r *Records) Close() error {
	file := r.file
	*r = Records{}
	if file == nil {
		return nil
	}
	return CloseFile(file)
}

// NewFile is a temporary file for [CloseFile].
func NewFile() (*os.File, error) {
	file, err := os.CreateTemp("", "fees-")
	if err == nil {
		os.Remove(file.Name()) // where a file can go while it is open; else CloseFile does it
	}
	return file, err
}

// CloseFile closes a temporary file, of which nothing is left.
func CloseFile(file *os.File) error {
	err := file.Close()
	if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
