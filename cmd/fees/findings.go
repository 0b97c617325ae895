package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
)

// The kinds of findings that no check has a name for.
const (
	undetermined = "undetermined fee"
	uncertain    = "block by rules that are not certain"
)

// storedFindings is what does not hold in a part of a ledger, by kind.
type storedFindings struct {
	span  ledger.Span
	kinds map[string]uint64
	total uint64
	first uint64 // the lowest height
}

func (s *storedFindings) add(height uint64, kind string, n uint64) {
	if n == 0 {
		return
	}
	if s.total == 0 || height < s.first {
		s.first = height
	}
	s.kinds[kind] += n
	s.total += n
}

// findStored counts what does not hold in a part of a ledger.
func findStored(ctx context.Context, book *ledger.Book, span ledger.Span) (*storedFindings, error) {
	s := &storedFindings{span: span, kinds: map[string]uint64{}}
	err := book.Findings(ctx, span, func(f evidence.Finding) error {
		s.add(f.Block, f.Check, 1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, book.Blocks(ctx, span, func(b *ledger.Block) error {
		s.add(b.Height, undetermined, b.Undetermined)
		if !b.Certain {
			s.add(b.Height, uncertain, 1)
		}
		return nil
	})
}

// String says how many there are, of which kinds, and what shows them.
func (s *storedFindings) String() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", s.kinds[kind], kind))
	}
	from := s.first
	if from > s.span.First { // some are about a block and the one before
		from--
	}
	return fmt.Sprintf("does not hold in blocks %v: %s; the first is in block %d: fees verify %d..%d, with the same gateway, shows it, and the ledger's view book_findings all of the checks",
		s.span, strings.Join(kinds, ", "), s.first, from, s.first)
}

// tellFindings says what of a block does not hold.
func tellFindings(w io.Writer, r *evidence.Report) {
	for _, f := range r.Findings {
		fmt.Fprintf(w, "fees: does not hold: %s\n", console.Printable(f.String()))
	}
	if n := r.Totals.Undetermined; n > 0 {
		fmt.Fprintf(w, "fees: does not hold: block %d: %d %s\n", r.Number, n, undetermined)
	}
	if !r.Proved() {
		fmt.Fprintf(w, "fees: does not hold: block %d: %s\n", r.Number, uncertain)
	}
}
