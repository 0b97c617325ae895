package journal

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/finance/chart"
)

// Content is what a format holds.
type Content string

const (
	// Movements are entries in tokens: of each fee, or of all movements with opening and closing balances.
	Movements Content = "movements"
	// Fees are the fees one by one, with their value in the currency.
	Fees Content = "fees"
	// Summaries are entries of fees in the currency of the books, by the company's chart of accounts.
	Summaries Content = "summaries"
)

// Format is a format for accounting software.
type Format struct {
	Name string
	Content

	program  *program                        // of movements
	open     func(settings) (*layout, error) // the layout of summaries
	settings []string                        // of summaries, besides those of all; what follows a space at the end is free
}

// The formats of journals.
var (
	HLedger    = Format{Name: "hledger", Content: Movements, program: hledger}
	Beancount  = Format{Name: "beancount", Content: Movements, program: beancount}
	Ledger     = Format{Name: "ledger", Content: Movements, program: plainLedger}
	Koinly     = Format{Name: "koinly", Content: Fees}
	QuickBooks = Format{Name: "quickbooks", Content: Summaries, open: newQuickBooks, settings: []string{settingDate, settingSeparator, settingQuickBooksAccount}}
	Xero       = Format{Name: "xero", Content: Summaries, open: newXero, settings: []string{settingXeroTax, settingXeroTracking + "1", settingXeroTracking + "2"}}
	NetSuite   = Format{Name: "netsuite", Content: Summaries, open: newNetSuite, settings: []string{settingDate, settingSubsidiary}}
	DATEV      = Format{Name: "datev", Content: Summaries, open: newDATEV, settings: []string{settingConsultant, settingClient, settingYear, settingLength, settingSKR}}
	CSV        = Format{Name: "journal-csv", Content: Summaries, open: newCSV, settings: []string{
		settingColumns, settingDate, settingSeparator, settingDecimal, settingLineEnd, settingEncoding, settingRows,
	}}
)

// Formats returns all formats: the programs, lists, and accounting systems.
func Formats() []Format {
	list := []Format{HLedger, Beancount, Ledger}
	for _, name := range []string{"csv", "jsonl", "xlsx", "parquet"} {
		list = append(list, Format{Name: name, Content: Fees}) // of [List]
	}
	return append(list, Koinly, QuickBooks, Xero, NetSuite, DATEV, CSV)
}

// FormatNamed returns the format with a name.
func FormatNamed(name string) (f Format, ok bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return f, false
}

// FormatNames returns the names of the formats with some contents.
func FormatNames(contents ...Content) (names []string) {
	for _, f := range Formats() {
		if slices.Contains(contents, f.Content) {
			names = append(names, f.Name)
		}
	}
	return names
}

// layout is the layout of the files of an accounting system, by the settings of a chart.
type layout struct {
	zeroLines bool           // amounts that round to zero have lines too
	carries   []chart.Target // the dimensions that it has a place for
	maxRows   int            // of a file, without its header; 0 means unlimited
	monthly   bool           // a file has the entries of one month
	lf        bool           // lines end with LF; else with CR LF
	// head returns the lines above the entries, of a file whose first entry is given.
	head func(first *Entry) []string
	// rows returns the lines of an entry; none where all its amounts are zero.
	rows func(*Entry) ([]string, error)
	// sums returns the debits and credits that the text of a line states.
	sums   func(row string) (debit, credit decimal.Decimal, err error)
	encode func(string) (string, error) // nil is UTF-8
}
