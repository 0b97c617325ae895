package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/source"
)

// mostTemporary is how many blocks a ledger that is thrown away may have.
const mostTemporary = 100_000

// temporaryLedger makes a ledger of a span for one question, sealed and with its
// look-ups. Remove closes it and takes it away; it is there also where there is an
// error.
func temporaryLedger(ctx context.Context, reader *source.Reader, span ledger.Span, concurrency int, p *progress) (book *ledger.Book, remove func(), err error) {
	remove = func() {}
	if span.Last-span.First >= mostTemporary {
		return nil, remove, fmt.Errorf("blocks %v: at most %d are read for one question: fill a ledger by fees sync %v, and name it with --ledger", span, mostTemporary, span)
	}
	dir, err := os.MkdirTemp("", "fees-")
	if err != nil {
		return nil, remove, err
	}
	remove = func() {
		if book != nil {
			book.Close()
		}
		os.RemoveAll(dir)
	}
	id, err := identify(ctx, reader, span.First)
	if err != nil {
		return nil, remove, err
	}
	place := filepath.Join(dir, "fees.db")
	if book, err = ledger.OpenWriter(ctx, place); err == nil {
		err = book.Begin(ctx, id, span.First)
	}
	if err != nil {
		return nil, remove, ofLedger(place, err)
	}
	f := filler{book: book, place: place, prover: proof.Prover{Reader: reader, Concurrency: concurrency}}
	err = f.fill(ctx, span, p)
	p.end()
	return book, remove, errors.Join(err, ctx.Err())
}
