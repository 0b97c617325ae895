package booking

import (
	"fmt"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/sys/plain"
)

// netSuiteColumns are names that NetSuite's Import Assistant maps to the fields of a journal entry.
var netSuiteColumns = []string{
	"External ID", "Date", "Subsidiary", "Currency", "Memo", "Account", "Debit", "Credit", "Line Memo", "Department", "Class", "Location",
}

// The limits of an import job and of an entry (docs.oracle.com, section_N453326 and section_N405613).
const (
	netSuiteRows  = 25 * 1000
	netSuiteLines = 10_000
)

const settingSubsidiary = "netsuite subsidiary"

// newNetSuite is a journal entry import of NetSuite's Import Assistant. The lines of one External
// ID are an entry; accounts and dimensions are names as NetSuite has them. Amounts have at most 10
// digits and 2 decimals.
func newNetSuite(s settings) (*Format, error) {
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	layout, err := s.dateLayout("MM/DD/YYYY") // the user's preference in NetSuite
	if err != nil {
		return nil, err
	}
	subsidiary := s.get(settingSubsidiary)
	if subsidiary != "" {
		if err := chart.CheckName(settingSubsidiary, subsidiary); err != nil {
			return nil, err
		}
	}
	rows := func(e *Entry) (rows []string, err error) {
		lines, err := linesOf(e)
		if len(lines) > netSuiteLines {
			return nil, fmt.Errorf("entry %s has %d lines, and NetSuite takes %d; book by day, or use fewer accounts and cost centres", e.Number, len(lines), netSuiteLines)
		}
		for _, l := range lines {
			if err := fits(l.Amount); err != nil {
				return nil, fmt.Errorf("entry %s: %w", e.Number, err)
			}
			debit, credit := l.sides(l.Amount.StringFixed(2))
			rows = append(rows, csvLine(',',
				e.Number, e.Date.Format(layout), subsidiary, string(s.Prices.Currency), plain.Cell(e.Memo), l.Account, debit, credit, s.describe(l),
				l.Value(chart.Department), l.Value(chart.Class), l.Value(chart.Location),
			))
		}
		return rows, err
	}
	head := csvLine(',', netSuiteColumns...)
	return &Format{carries: []chart.Target{chart.Department, chart.Class, chart.Location}, maxRows: netSuiteRows, crlf: true, head: sameHead(head), rows: rows}, nil
}
