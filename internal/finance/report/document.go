package report

import "github.com/feeledger/fees/internal/table"

// Result is a report, or a comparison of two.
type Result interface {
	Title() string
	Sheet() *table.Sheet // all figures
	Shown() *table.Sheet // the same for people: what the ledger lacks in a row is one row
	Document() *table.Document
	Holds() bool // nothing in it is wrong or unknown
}

// Document returns the report in all its formats.
func (r *Report) Document() *table.Document {
	return &table.Document{List: r.Sheet(), JSON: r.writeJSON, HTML: r.writeHTML, Text: r.writeText}
}

// Document returns the comparison in all its formats. It has no HTML.
func (c *Comparison) Document() *table.Document {
	return &table.Document{List: c.Sheet(), Book: c.Sheets(), JSON: c.writeJSON, Text: c.writeText}
}
