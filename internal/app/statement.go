package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// StatementQuestion asks what became of accounts' balances.
type StatementQuestion struct {
	Question
	// Balances is who tells what the accounts had; nil asks for none, and proves nothing.
	Balances    source.Source
	Part        string // of [StatementParts], what a list is of; "" is the first
	EveryBlock  bool   // the balance is proved after each block of the period
	Concurrency int    // balances asked for at once; 0 is the default
}

// Statements are those of the accounts that were asked for, in that order, with how they
// are shown.
type Statements struct {
	List  []*statement.Statement
	Style statement.Style
	part  string
	desk  *Desk
}

// StatementParts are the parts of a statement that can be listed.
var StatementParts = []string{"movements", "fees", "transfers", "summary"}

// Sheet lists the part that was asked for.
func (l *Statements) Sheet(ctx context.Context) *table.Sheet {
	switch l.part {
	case "fees":
		return l.Style.Fees(ctx, l.List...)
	case "transfers":
		return l.Style.Transfers(ctx, l.List...)
	case "summary":
		return l.Style.Summary(l.List...)
	}
	return l.Style.Movements(ctx, l.List...)
}

// Write writes them in a form: csv has the part that was asked for, and xlsx, json and the tables
// for people have all.
func (l *Statements) Write(ctx context.Context, w io.Writer, form string, width int) error {
	y := &l.Style
	switch form {
	case "csv":
		return table.WriteCSV(w, l.Sheet(ctx))
	case "xlsx":
		return y.WriteXLSX(ctx, w, l.List)
	}
	for i, s := range l.List {
		var err error
		switch {
		case form == "json" && len(l.List) > 1:
			err = y.WriteJSONLine(ctx, w, s)
		case form == "json":
			err = y.WriteJSON(ctx, w, s)
		default:
			if i > 0 {
				io.WriteString(w, "\n")
			}
			err = y.WriteTable(ctx, w, s, width)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Statements makes the statements of accounts on a period. Their lines are read from the
// ledger when they are written.
func (d *Desk) Statements(ctx context.Context, q StatementQuestion) (*Statements, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.statements(ctx, &held, statement.Style{Network: n.Name, Symbol: n.Symbol, Zone: held.Zone, Labels: q.Labels, Called: q.Labels != nil}, &q)
}

// statements makes the statements on what the ledger holds of a period.
func (d *Desk) statements(ctx context.Context, h *Held, style statement.Style, q *StatementQuestion) (*Statements, error) {
	span, err := d.span(h)
	if err != nil {
		return nil, err
	}
	list := &Statements{Style: style, part: q.Part, desk: d}
	list.Style.Evidence = h.Evidence
	if list.Style.Notes, err = d.notesOn(ctx, h, span); err != nil {
		return nil, err
	}
	var reader balances.Reader
	if q.Balances != nil {
		if reader, err = d.balances(ctx, q.Balances, span.Last); err != nil {
			return nil, err
		}
	}
	options := balances.Options{EveryBlock: q.EveryBlock, Concurrency: q.Concurrency, Progress: q.Progress.show}
	for _, account := range q.Accounts {
		s, err := statement.Make(ctx, d.Book, reader, account, span, options)
		if err != nil {
			return nil, list.Explain(err)
		}
		list.List = append(list.List, s)
	}
	q.Progress.end()
	return list, list.Explain(list.Style.ValueBy(ctx, q.Prices, h.Period.Partial, list.List))
}

// notesOn say what of a period is not there, and that a block of the span is not of it.
func (d *Desk) notesOn(ctx context.Context, h *Held, span chain.Heights) ([]string, error) {
	notes := h.Notes()
	outside, err := d.Book.Outside(ctx, h.Asked, span)
	if err == nil && len(outside) > 0 {
		notes = append(notes, fmt.Sprintf("these are the blocks %v: by its own time, block %d is not of %s", span, outside[0], h.Name))
	}
	return notes, d.of(err)
}

// Explain says of an error whose it is: the ledger is read while statements are written.
func (l *Statements) Explain(err error) error {
	switch {
	case as[*statement.LedgerError](err):
		return l.desk.of(err)
	case errors.Is(err, chain.ErrNotKept):
		return fmt.Errorf("%w, --no-balances does without", err)
	}
	return err
}

// Holds tells whether nothing in the statements is wrong or unknown.
func (l *Statements) Holds() bool { return !slices.ContainsFunc(l.List, isWrong) }

// isWrong tells whether something in a statement does not hold.
func isWrong(s *statement.Statement) bool {
	return !s.Holds() || s.WithoutPayer > 0 || slices.ContainsFunc(s.Fees, func(f statement.LayerFees) bool {
		return f.Unknown+f.Drifting+f.Apart > 0
	})
}
