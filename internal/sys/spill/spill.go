// Package spill stores more records than fit in memory, using temporary files.
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

// maxHeld limits the bytes of records held in memory. Earlier records are in a temporary file.
const maxHeld = 4 << 20

// Records is an append-only list of byte records. The zero value is empty. Close releases it.
type Records struct {
	file  *os.File // nil while everything is in memory
	size  int64    // of the file
	held  []byte   // the records after those in the file
	count int
}

// Add appends a record and returns its position for [Records.At].
func (r *Records) Add(record []byte) (at int64, err error) {
	if len(r.held) >= maxHeld {
		if err := r.spill(); err != nil {
			return 0, fmt.Errorf("temporary file: %w", err)
		}
	}
	at = r.size + int64(len(r.held))
	r.held = append(binary.AppendUvarint(r.held, uint64(len(record))), record...)
	r.count++
	return at, nil
}

// spill moves the records in memory to the file.
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

// Len returns the number of records.
func (r *Records) Len() int { return r.count }

// All yields the records. Each is valid until the next.
func (r *Records) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var record []byte
		at := int64(0)
		in := r.from(at)
		for range r.count {
			var err error
			if at == r.size { // the rest is in memory
				in = r.from(at)
			}
			if record, err = next(in, record); !yield(record, err) || err != nil {
				return
			}
			at += int64(prefixed(len(record)))
		}
	}
}

// maxShortBytes is the read-ahead for single lookups: most such records are shorter.
const maxShortBytes = 256

// At returns the record at a position.
func (r *Records) At(at int64) ([]byte, error) { return next(r.sized(at, maxShortBytes), nil) }

// from reads from a position to the end of the file or of the memory.
func (r *Records) from(at int64) *bufio.Reader { return r.sized(at, 64<<10) }

// sized is from with a given read-ahead.
func (r *Records) sized(at int64, ahead int) *bufio.Reader {
	if at >= r.size {
		return bufio.NewReaderSize(bytes.NewReader(r.held[at-r.size:]), ahead)
	}
	return bufio.NewReaderSize(io.NewSectionReader(r.file, at, r.size-at), ahead)
}

// prefixed returns the size of a record including its length prefix.
func prefixed(length int) int {
	return len(binary.AppendUvarint(nil, uint64(length))) + length
}

// next reads a record into the memory of the previous one.
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

// Close discards the records.
func (r *Records) Close() error {
	file := r.file
	*r = Records{}
	if file == nil {
		return nil
	}
	return CloseFile(file)
}

// NewFile creates a temporary file; close it with [CloseFile].
func NewFile() (*os.File, error) {
	file, err := os.CreateTemp("", "fees-")
	if err == nil {
		os.Remove(file.Name()) // works where open files can be removed; elsewhere CloseFile does it
	}
	return file, err
}

// CloseFile closes and removes a temporary file.
func CloseFile(file *os.File) error {
	err := file.Close()
	if gone := os.Remove(file.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
