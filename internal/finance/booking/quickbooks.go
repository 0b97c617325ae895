package booking

import (
	"fmt"

	"github.com/feeledger/fees/internal/finance/chart"
)

// quickBooksColumns are those of Intuit's sample file. The asterisks are part of the names.
var quickBooksColumns = []string{
	"*JournalNo", "*JournalDate", "*AccountName", "*Debits", "*Credits", "Description", "Name", "Currency", "Location", "Class",
}

const (
	// quickBooksNumber is how many characters a journal number has at most (Intuit, DocNumber).
	quickBooksNumber = 21
	// quickBooksRows is how many lines a file gets: imports of more are reported to fail.
	quickBooksRows = 1000
)

// newQuickBooks is the import of journal entries of QuickBooks Online. Accounts are names, with
// Parent:Sub for a subaccount; the lines of one number are an entry.
func newQuickBooks(s settings) (*Format, error) {
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	layout, err := s.dateLayout("MM/DD/YYYY")
	if err != nil {
		return nil, err
	}
	separator, err := s.separator() // macOS versions of spreadsheets want semicolons
	if err != nil {
		return nil, err
	}
	rows := func(e *Entry) (rows []string, err error) {
		if len(e.Number) > quickBooksNumber {
			return nil, fmt.Errorf(`the journal number %s has more than %d characters; set a shorter one with "# %s: F-"`, e.Number, quickBooksNumber, SettingPrefix)
		}
		lines, err := linesOf(e)
		for _, l := range lines {
			debit, credit := l.sides(l.Amount.StringFixed(2))
			rows = append(rows, csvLine(separator,
				e.Number, e.Date.Format(layout), l.Account, debit, credit, s.describe(l), "", string(s.Prices.Currency), l.Value(chart.Location), l.Value(chart.Class),
			))
		}
		return rows, err
	}
	head := csvLine(separator, quickBooksColumns...)
	return &Format{carries: []chart.Target{chart.Location, chart.Class}, maxRows: quickBooksRows, crlf: true, head: sameHead(head), rows: rows}, nil
}
