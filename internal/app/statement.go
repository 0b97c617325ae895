package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// StatementRequest requests the balance statements of accounts.
type StatementRequest struct {
	Request
	// Balances is the source of balances; without it nothing is proved.
	Balances    source.Source
	Part        string // the part to list, of [StatementParts]; "" is the first
	EveryBlock  bool   // prove the balance after each block of the period
	Concurrency int    // parallel balance requests; 0 is the default
	Items       bool   // for [Statements.Items]: sum them up in the same reading
}

// Statements are the statements of the requested accounts, in that order, with their style.
type Statements struct {
	List    []*statement.Statement
	Style   statement.Style
	request *StatementRequest
	held    *Held
	ledger  *Ledger
	network *network.Network
}

// StatementParts lists the parts of a statement that can be listed.
var StatementParts = []string{"movements", "fees", "transfers", "summary"}

// Sheet returns the requested part as a table.
func (l *Statements) Sheet(ctx context.Context) *table.Sheet {
	switch l.request.Part {
	case "fees":
		return l.Style.Fees(ctx, l.List...)
	case "transfers":
		return l.Style.Transfers(ctx, l.List...)
	case "summary":
		return l.Style.Summary(l.List...)
	}
	return l.Style.Movements(ctx, l.List...)
}

// SheetByFee returns the requested part as a table; of the movements, those of a fee as one row.
func (l *Statements) SheetByFee(ctx context.Context) *table.Sheet {
	if l.request.Part == StatementParts[0] {
		return l.Style.MovementsByFee(ctx, l.List...)
	}
	return l.Sheet(ctx)
}

// Document returns the statements in all their formats. A list is of the requested part; the others contain
// everything.
func (l *Statements) Document(ctx context.Context) *table.Document {
	y := &l.Style
	return &table.Document{
		List: l.Sheet(ctx), Book: y.Sheets(ctx, l.List),
		JSON: func(w io.Writer) error {
			if len(l.List) == 1 {
				return y.WriteJSON(ctx, w, l.List[0])
			}
			for _, s := range l.List {
				if err := y.WriteJSONLine(ctx, w, s); err != nil {
					return err
				}
			}
			return nil
		},
		Text: func(w io.Writer, width int) error {
			sheets, err := l.parts(ctx)
			if err != nil {
				return err
			}
			return table.WriteTables(w, width, sheets...)
		},
	}
}

// parts returns the sheets of all statements for people.
func (l *Statements) parts(ctx context.Context) (sheets []*table.Sheet, err error) {
	for _, s := range l.List {
		parts, err := l.Style.Parts(ctx, s)
		if err != nil {
			return nil, err
		}
		sheets = append(sheets, parts...)
	}
	return sheets, nil
}

// Statements makes the statements of accounts for a period. Their lines are read from the ledger as they are written.
func (d *Ledger) Statements(ctx context.Context, q StatementRequest) (*Statements, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.statements(ctx, &held, n, statement.Style{Network: n.Name, Token: console.Token(n.Token()), Zone: held.Zone, Labels: q.Labels, Called: q.Labels != nil}, &q)
}

// statements makes the statements from what the ledger contains of a period.
func (d *Ledger) statements(ctx context.Context, h *Held, n *network.Network, style statement.Style, q *StatementRequest) (*Statements, error) {
	span, err := d.span(h)
	if err != nil {
		return nil, err
	}
	prices, accounts, err := d.resolve(ctx, style.Token, &q.Request)
	if err != nil {
		return nil, err
	}
	list := &Statements{Style: style, request: q, held: h, ledger: d, network: n}
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
	book, err := d.withDeposits(ctx, n, q.deposits, accounts, span)
	if err != nil {
		return nil, err
	}
	options := statement.Options{Options: balances.Options{EveryBlock: q.EveryBlock, Concurrency: q.Concurrency, Progress: q.Progress.show}}
	if q.Items {
		options.Lines = func() statement.LineOf { return d.linesOf(n) }
	}
	for _, account := range accounts {
		s, err := statement.Make(ctx, book, reader, account, span, options)
		if err != nil {
			return nil, list.Explain(err)
		}
		list.List = append(list.List, s)
	}
	q.Progress.end()
	valued := statement.Valued{Prices: prices, Partial: h.Period.Partial}
	if valued.OpensAt, valued.ClosesAt, err = d.valuedAt(ctx, h, span); err != nil {
		return nil, err
	}
	return list, list.Explain(list.Style.ValueBy(ctx, valued, list.List))
}

// notesOn notes the missing parts of a period, and a block of the range that lies outside it by its own time.
func (d *Ledger) notesOn(ctx context.Context, h *Held, span chain.Heights) ([]string, error) {
	notes := h.Notes()
	outside, err := d.Book.Outside(ctx, h.Asked, span)
	if err == nil && len(outside) > 0 {
		notes = append(notes, fmt.Sprintf("covers blocks %v, although block %d lies outside %s by its own time", span, outside[0], h.Name))
	}
	return notes, d.wrapErr(err)
}

// Explain adds the ledger's location to an error that the ledger caused while statements were written.
func (l *Statements) Explain(err error) error {
	switch {
	case as[*statement.LedgerError](err):
		return l.ledger.wrapErr(err)
	case errors.Is(err, chain.ErrNotKept):
		err = fmt.Errorf("%w; --no-balances skips it", err)
	}
	return inOwnForm(err, l.Style.Token)
}

// Holds reports whether nothing in the statements is wrong or unknown.
func (l *Statements) Holds() bool { return !slices.ContainsFunc(l.List, isWrong) }

// isWrong reports whether anything in a statement is wrong or unknown.
func isWrong(s *statement.Statement) bool {
	return !s.Holds() || s.WithoutPayer > 0 || slices.ContainsFunc(s.Fees, func(f statement.LayerFees) bool {
		return f.Unknown+f.Drifting+f.Apart > 0
	})
}
