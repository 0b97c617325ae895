package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"runtime"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/reconcile"
)

// maxRecords limits the records that stay parsed. Each has its rows in a temporary file and up to 4 MB of them
// in memory.
const maxRecords = 8

// record is a company's record of fees as parsed with one set of settings. It is cached with the upload, even if
// it cannot be read: that takes as long.
type record struct {
	preview *reconcile.Preview
	file    *reconcile.File
	unread  error // nil if it can be read
}

// read parses the record of a comparison unless it is cached. It uses a slot for expensive reads, so that other
// requests proceed.
func (s *server) read(r *http.Request, c *comparison) (err error) {
	releaseSlot(r)
	books := c.settings.books
	books.Content = nil // the token identifies it
	key := recordKey(c.token, fmt.Sprintf("%q %s %v", fmt.Sprintf("%+v", books), c.options.Zone, c.options.Token()))
	c.record, err = s.records.get(r.Context(), s.Time, key, func(ctx context.Context) (*record, bool, error) {
		leave, err := s.slots.acquireLong(ctx)
		if err != nil {
			return nil, false, err
		}
		defer leave()
		return readRecord(ctx, c)
	})
	return err
}

func recordKey(token, settings string) string { return token + "\n" + settings }

// readRecord parses the record of a comparison.
func readRecord(ctx context.Context, c *comparison) (read *record, keep bool, err error) {
	read = new(record)
	read.preview, _ = c.settings.books.Preview(ctx, c.options, previewed) // Read below reports errors
	read.file, read.unread = c.settings.books.Read(ctx, c.options)
	if broken := new(fs.PathError); ctx.Err() != nil || errors.As(read.unread, &broken) || failure.FullDisk(read.unread) {
		return nil, false, errors.Join(read.unread, ctx.Err())
	}
	if read.file != nil { // requests may use it after eviction
		runtime.AddCleanup(read, func(file *reconcile.File) { _ = file.Close() }, read.file)
	}
	return read, true, nil
}
