package main

import (
	"context"
	"fmt"
	"io"

	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/queue"
)

// jobSize is how many blocks a job has: what a gateway of a few dozen blocks a
// second answers within the time that a job has.
const jobSize = 200

// enqueue makes jobs of what is missing of a span.
func enqueue(ctx context.Context, book *ledger.Book, place string, span ledger.Span, stdout io.Writer) error {
	missing, err := book.Missing(ctx, span)
	if err != nil {
		return ofLedger(place, err)
	}
	total := uint64(0)
	for _, s := range missing {
		total += s.Blocks()
	}
	if total >= manyBlocks { // the workers make them again when no job is left
		if err := book.DropLookups(ctx); err != nil {
			return ofLedger(place, err)
		}
	}
	jobs, err := queue.Enqueue(ctx, book.Pool(), missing, jobSize)
	if err != nil {
		return ofLedger(place, err)
	}
	_, err = fmt.Fprintf(stdout, "%s: blocks %v: %d are missing; %d new jobs, for fees worker\n", shownLedger(place), span, total, jobs)
	return err
}
