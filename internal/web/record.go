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

// maxRecords is how many records stay read. Each has its rows in a temporary file, and 4 MB of them in
// memory.
const maxRecords = 8

// record is a company's record of fees as one set of settings reads it. It is kept with the upload, also
// where it cannot be read: that takes as long.
type record struct {
	preview *reconcile.Preview
	file    *reconcile.File
	unread  error // nil where it can be read
}

// read reads the record of a comparison, unless that was done. It takes one of the places of questions that
// read much, so that others go on.
func (s *server) read(r *http.Request, c *comparison) (err error) {
	stepAside(r)
	books := c.settings.books
	books.Content = nil // the token stands for it
	key := recordKey(r.PathValue("token"), fmt.Sprintf("%q %s %s", fmt.Sprintf("%+v", books), c.options.Zone, c.options.Symbol))
	c.record, err = s.records.get(r.Context(), s.Time, key, func(ctx context.Context) (*record, bool, error) {
		leave, err := turn(ctx, s.longWaiting, s.long)
		if err != nil {
			return nil, false, err
		}
		defer leave()
		return readRecord(ctx, c)
	})
	return err
}

func recordKey(token, settings string) string { return token + "\n" + settings }

// readRecord reads the record of a comparison.
func readRecord(ctx context.Context, c *comparison) (read *record, keep bool, err error) {
	read = new(record)
	read.preview, _ = c.settings.books.Preview(ctx, c.options, previewed) // what is wrong is told below
	read.file, read.unread = c.settings.books.Read(ctx, c.options)
	if broken := new(fs.PathError); ctx.Err() != nil || errors.As(read.unread, &broken) || failure.FullDisk(read.unread) {
		return nil, false, errors.Join(read.unread, ctx.Err())
	}
	if read.file != nil { // others may use it when it is kept no more
		runtime.AddCleanup(read, func(file *reconcile.File) { _ = file.Close() }, read.file)
	}
	return read, true, nil
}
