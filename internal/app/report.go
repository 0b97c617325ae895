package app

import (
	"context"
	"io"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
)

// ReportQuestion asks what the fees of a period add up to.
type ReportQuestion struct {
	Question
	report.Choice
	Beside chain.Optional[PeriodInput] // the period that it is compared with
}

// Fees are a report, or one beside that of another period.
type Fees struct {
	*report.Report
	Compared *report.Comparison // nil where nothing is compared
}

// Fees adds up the fees of a period, beside those of another one where that is asked for.
func (d *Desk) Fees(ctx context.Context, q ReportQuestion) (f *Fees, err error) {
	f = new(Fees)
	if with, compared := q.Beside.Get(); !compared {
		f.Report, err = d.Report(ctx, q)
	} else if f.Compared, err = d.Compare(ctx, q, with); err == nil {
		f.Report = f.Compared.Now
	}
	return f, err
}

// Title says what is reported, and what it is compared with.
func (f *Fees) Title() string {
	if f.Compared != nil {
		return f.Compared.Title()
	}
	return f.Report.Title()
}

// Sheet has all figures.
func (f *Fees) Sheet() *table.Sheet {
	if f.Compared != nil {
		return f.Compared.Sheet()
	}
	return f.Report.Sheet()
}

// Holds tells whether nothing in it is wrong or unknown.
func (f *Fees) Holds() bool { return f.Report.Holds() && (f.Compared == nil || f.Compared.Holds()) }

// Write writes it in a form: json, html, a form of [WriteSheet], or else for people.
func (f *Fees) Write(w io.Writer, form string, width int) error {
	c := f.Compared
	switch {
	case form == "xlsx" && c != nil:
		return table.WriteXLSX(w, c.Sheets()...)
	case sheetForms[form] != nil:
		return WriteSheet(w, form, f.Sheet())
	case form == "json" && c != nil:
		return report.WriteComparisonJSON(w, c)
	case form == "json":
		return report.WriteJSON(w, f.Report)
	case form == "html":
		return report.WriteHTML(w, f.Report)
	case c != nil:
		return report.WriteComparisonTable(w, c, width)
	}
	return report.WriteTable(w, f.Report, width)
}

// sheetForms are the forms of a plain list, and how each is written.
var sheetForms = map[string]func(io.Writer, *table.Sheet) error{
	"csv":     table.WriteCSV,
	"jsonl":   table.WriteJSONLines,
	"xlsx":    func(w io.Writer, s *table.Sheet) error { return table.WriteXLSX(w, s) },
	"parquet": table.WriteParquet,
}

// WriteSheet writes a list as csv, jsonl, xlsx or parquet.
func WriteSheet(w io.Writer, form string, s *table.Sheet) error { return sheetForms[form](w, s) }

// Report adds up the fees of a period.
func (d *Desk) Report(ctx context.Context, q ReportQuestion) (*report.Report, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.report(ctx, &held, n, &q, false)
}

// check wants an address book where the groups are made by it.
func (q *ReportQuestion) check() error {
	if q.By.Labelled() && q.Labels == nil {
		return notUnderstood("a report by %s wants an address book: name one with %v, or put %s beside the ledger", q.By, FieldLabels, AddressBookFile)
	}
	return nil
}

// report adds up what the ledger holds of a period, to be compared with another one or not.
func (d *Desk) report(ctx context.Context, h *Held, n *network.Network, q *ReportQuestion, compared bool) (*report.Report, error) {
	asked := report.Question{
		Choice: q.Choice, Network: n.Name, Symbol: n.Symbol, Name: h.Name, Period: h.Asked, Zone: h.Zone, Cover: h.Cover, Evidence: h.Evidence, Partial: h.Notes(),
		Labels: q.Labels, Prices: q.Prices, PartialPrices: h.Period.Partial, Compared: compared,
	}
	if compared {
		asked.Top = 0
	}
	if len(q.Accounts) > 0 {
		asked.Payers = map[chain.Address]bool{}
		for _, account := range q.Accounts {
			asked.Payers[account] = true
		}
	}
	r, err := report.Make(ctx, d.Book, asked, q.Progress.show)
	q.Progress.end()
	return r, d.of(err)
}
