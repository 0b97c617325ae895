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
	WritePDF(ctx context.Context, w io.Writer, p Paper, a *closing.About) error
	About(context.Context, AboutRequest) (*closing.About, error)
	Holds() bool
	Explain(error) error
}

// Paper is what a document is printed on, and with.
type Paper struct {
	Size string
	Font *pdf.Font // shows the characters that the document's own fonts lack; nil for none
	// Lacking, if not nil, gets the texts that cannot be printed, such as labels.
	Lacking func(texts []string)
	// Unproved says why balances are not available; "" if none were requested.
	Unproved string
	// Signed means that the document names who signed it, and has no place to sign.
	Signed bool
}

// ReadFont reads a TrueType font for documents; it returns nil for an empty path.
func ReadFont(path string) (*pdf.Font, error) {
	if path == "" {
		return nil, nil
	}
	font, err := pdf.ReadFont(path)
	if err != nil {
		return nil, inFile(FieldFont, path, err)
	}
	return font, nil
}

// write writes a document to sign, with what a states at the foot of each page.
func (p *Paper) write(w io.Writer, one table.Paper, a *closing.About, sheets []*table.Sheet) error {
	one.Size, one.Font, one.Lacking, one.Footer, one.Sign = pdf.Size(p.Size), p.Font, p.Lacking, a.Footer(), !p.Signed
	return table.WritePDF(w, one, sheets...)
}

// WritePDF writes the statements as a PDF document in portrait, with what a states at the foot of each page.
func (l *Statements) WritePDF(ctx context.Context, w io.Writer, p Paper, a *closing.About) error {
	var sheets []*table.Sheet
	for _, s := range l.List {
		parts, err := l.paper(ctx, s, p.Unproved)
		if err != nil {
			return err
		}
		sheets = append(sheets, parts...)
	}
	title := "Statements of " + console.Counted(len(l.List), "account") + ", " + console.PeriodName(a.Period)
	if len(l.List) == 1 { // its heading is the document's
		title, sheets[0].Above.Title = sheets[0].Above.Title, ""
	}
	return p.write(w, table.Paper{Title: title, Portrait: true}, a, sheets)
}

// WritePDF writes the rollforward, or the movements asked for, as a PDF document, with what a states at the foot of each
// page.
func (r *Rollforward) WritePDF(ctx context.Context, w io.Writer, p Paper, a *closing.About) error {
	one := table.Paper{Title: r.Style.Title}
	if r.request.Balances == nil {
		one.Framed = []string{BalancesMissing(p.Unproved)}
	}
	if selected, listed := r.request.List.Get(); listed {
		return p.write(w, one, a, []*table.Sheet{r.Style.Brief(ctx, r.Rollforward, selected)})
	}
	one.Notes = r.Style.Notes
	return p.write(w, one, a, r.Style.Parts(r.Rollforward))
}

// WriteReconciliationPDF writes a comparison as a PDF document: the mismatches, or all rows. What a states is at the
// foot of each page.
func WriteReconciliationPDF(w io.Writer, r *reconcile.Result, all bool, p Paper, a *closing.About) error {
	details := statement.Without(r.Details(all), "payer_group", "evm_hash", "extrinsic_hash", "layer", "call", "books_date", "books_account", "books_id", "books_hash")
	details.Notes = nil // they are those of the summary
	return p.write(w, table.Paper{Title: "Reconciliation of " + r.Name()}, a, []*table.Sheet{r.Summary(), details, r.Basis()})
}
