package app

import (
	"context"
	"io"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
)

// ReportQuestion asks for the total fees of a period.
type ReportQuestion struct {
	Question
	report.Choice
	ChartInput                             // for groupings by a user's files
	Beside     chain.Optional[PeriodInput] // the period to compare with
}

// Fees is a report, optionally compared with that of another period.
type Fees struct {
	*report.Report
	Compared *report.Comparison // nil without a comparison
}

// Fees reports the fees of a period, beside those of another if the question names one.
func (d *Ledger) Fees(ctx context.Context, q ReportQuestion) (f *Fees, err error) {
	f = new(Fees)
	if with, compared := q.Beside.Get(); !compared {
		f.Report, err = d.Report(ctx, q)
	} else if f.Compared, err = d.Compare(ctx, q, with); err == nil {
		f.Report = f.Compared.Now
	}
	return f, err
}

// Title returns the title of the report or comparison.
func (f *Fees) Title() string {
	if f.Compared != nil {
		return f.Compared.Title()
	}
	return f.Report.Title()
}

// Sheet returns all figures as a table.
func (f *Fees) Sheet() *table.Sheet {
	if f.Compared != nil {
		return f.Compared.Sheet()
	}
	return f.Report.Sheet()
}

// Holds reports whether nothing in it is wrong or unknown.
func (f *Fees) Holds() bool { return f.Report.Holds() && (f.Compared == nil || f.Compared.Holds()) }

// Write writes it as json, html, a form of [WriteSheet] or, for any other form, text.
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

// sheetForms maps the formats of a plain list to their writers.
var sheetForms = map[string]func(io.Writer, *table.Sheet) error{
	"csv":     table.WriteCSV,
	"jsonl":   table.WriteJSONLines,
	"xlsx":    func(w io.Writer, s *table.Sheet) error { return table.WriteXLSX(w, s) },
	"parquet": table.WriteParquet,
}

// WriteSheet writes a list as csv, jsonl, xlsx or parquet.
func WriteSheet(w io.Writer, form string, s *table.Sheet) error { return sheetForms[form](w, s) }

// Report reports the fees of a period.
func (d *Ledger) Report(ctx context.Context, q ReportQuestion) (*report.Report, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	return d.report(ctx, &held, n, &q, false)
}

// check requires an address book for groupings that need one.
func (q *ReportQuestion) check() error {
	if q.By.Labelled() && q.Labels == nil {
		return notUnderstood("a report by %s needs an address book. Name one with %v, or put %s beside the ledger.", q.By, FieldLabels, AddressBookFile)
	}
	return q.checkMarks()
}

// report reports what the ledger contains of a period, possibly for a comparison.
func (d *Ledger) report(ctx context.Context, h *Held, n *network.Network, q *ReportQuestion, compared bool) (*report.Report, error) {
	prices, err := pricesOf(console.Token(n.Token()), q.Prices)
	if err != nil {
		return nil, err
	}
	if err := checkChain(q.Labels, console.Token(n.Token())); err != nil {
		return nil, err
	}
	accounts, err := d.natives(ctx, q.Accounts)
	if err != nil {
		return nil, err
	}
	asked := report.Question{
		Choice: q.Choice, Network: n.Name, Token: console.Token(n.Token()), Name: h.Name, Period: h.Asked, Zone: h.Zone, Cover: h.Cover, Evidence: h.Evidence, Partial: h.Notes(),
		Labels: q.Labels, Prices: prices, PartialPrices: h.Period.Partial, Compared: compared,
		Marker: d.marker(q),
	}
	if compared {
		asked.Top = 0
	}
	if len(accounts) > 0 {
		asked.Payers = map[chain.Address]bool{}
		for _, account := range accounts {
			asked.Payers[account] = true
		}
	}
	r, err := report.Make(ctx, d.Book, asked, q.Progress.show)
	q.Progress.end()
	if as[*InputError](err) { // of a tag file
		return nil, err
	}
	return r, d.wrapErr(err)
}
