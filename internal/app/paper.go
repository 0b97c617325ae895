package app

import (
	"context"
	"io"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
)

// PaperSizes lists the paper sizes of PDF documents; the first one is the default.
var PaperSizes = pdf.Sizes()

// Proved is a result about the balances of accounts.
type Proved interface {
	Document(context.Context) *table.Document
	WritePDF(ctx context.Context, w io.Writer, size string, a *closing.About) error
	About(context.Context, AboutRequest) (*closing.About, error)
	Holds() bool
	Explain(error) error
}

// writePaper writes a document to sign, with what a states at the foot of each page.
func writePaper(w io.Writer, size, title string, notes []string, a *closing.About, sheets []*table.Sheet) error {
	return table.WritePDF(w, table.Paper{Size: pdf.Size(size), Title: title, Notes: notes, Footer: a.Footer(), Sign: true}, sheets...)
}

// WritePDF writes the statements as a PDF document, with what a states at the foot of each page.
func (l *Statements) WritePDF(ctx context.Context, w io.Writer, size string, a *closing.About) error {
	sheets, err := l.parts(ctx)
	if err != nil {
		return err
	}
	return writePaper(w, size, "Statements of "+console.Counted(len(l.List), "account")+", "+a.Period, nil, a, sheets)
}

// WritePDF writes the rollforward, or the movements asked for, as a PDF document, with what a states at the foot of each
// page.
func (r *Rollforward) WritePDF(ctx context.Context, w io.Writer, size string, a *closing.About) error {
	if selected, listed := r.request.List.Get(); listed {
		return writePaper(w, size, r.Style.Title, nil, a, []*table.Sheet{r.Style.Brief(ctx, r.Rollforward, selected)})
	}
	return writePaper(w, size, r.Style.Title, r.Style.Notes, a, r.Style.Parts(r.Rollforward))
}

// WriteReconciliationPDF writes a comparison as a PDF document: the mismatches, or all rows. What a states is at the
// foot of each page.
func WriteReconciliationPDF(w io.Writer, r *reconcile.Result, all bool, size string, a *closing.About) error {
	details := statement.Without(r.Details(all), "payer_group", "evm_hash", "extrinsic_hash", "layer", "call", "books_date", "books_account", "books_id", "books_hash")
	details.Notes = nil // they are those of the summary
	return writePaper(w, size, "Reconciliation of "+r.Name(), nil, a, []*table.Sheet{r.Summary(), details, r.Basis()})
}
