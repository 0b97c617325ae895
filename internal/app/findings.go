package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
)

// The kinds of findings without a check ID.
const (
	Undetermined = "undetermined fee"
	Uncertain    = "block by uncertain rules"
)

// Findings counts the findings in a range of a ledger by kind: the ID of a check, [Undetermined] or [Uncertain].
type Findings struct {
	Blocks chain.Heights
	Kinds  map[string]uint64
	Total  uint64
	First  uint64 // the lowest height with a finding
}

func (f *Findings) add(height uint64, kind string, n uint64) {
	if n == 0 {
		return
	}
	if f.Total == 0 || height < f.First {
		f.First = height
	}
	f.Kinds[kind] += n
	f.Total += n
}

// Findings counts the findings in a range of the ledger.
func (d *Ledger) Findings(ctx context.Context, span chain.Heights) (*Findings, error) {
	found := &Findings{Blocks: span, Kinds: map[string]uint64{}}
	for f, err := range d.Book.Findings(ctx, ledger.Query{Span: span}) {
		if err != nil {
			return nil, d.wrapErr(err)
		}
		found.add(f.Block, f.Check, 1)
	}
	for b, err := range d.Book.Doubtful(ctx, span) {
		if err != nil {
			return nil, d.wrapErr(err)
		}
		found.add(b.Height, Undetermined, b.Undetermined)
		if !b.Certain {
			found.add(b.Height, Uncertain, 1)
		}
	}
	return found, nil
}

// FindingList is a table of all findings in the blocks of a period.
type FindingList struct {
	Held  Held
	Notes []string // the missing parts of the period
	Sheet *table.Sheet
	Count *closing.Findings // of the rows of the sheet, once they are read
}

// ListFindings lists the findings in the blocks of a period. The rows are read from the ledger as the table is
// written.
func (d *Ledger) ListFindings(ctx context.Context, p Period) (*FindingList, error) {
	held, err := d.Held(ctx, p)
	if err != nil {
		return nil, err
	}
	span, err := d.span(&held)
	if err != nil {
		return nil, err
	}
	list := &FindingList{Held: held, Notes: held.Notes(), Count: new(closing.Findings)}
	list.Sheet = closing.List(ctx, d.Book, span, list.Count)
	list.Sheet.Token, err = d.Token(ctx)
	return list, err
}
