package booking

import (
	"cmp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/finance/chart"
)

// xeroColumns are those of Xero's template for manual journals. The asterisks are part of the names.
var xeroColumns = []string{
	"*Narration", "*Date", "Description", "*AccountCode", "*TaxRate", "*Amount", "TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2",
}

// xeroRows is how many lines Xero imports of a file (help.xero.com, ManualJournalsImport).
const xeroRows = 300

// Settings of Xero.
const (
	settingXeroTax       = "xero tax rate"
	settingXeroTracking1 = "xero tracking 1"
	settingXeroTracking2 = "xero tracking 2"
)

// newXero is the import of manual journals of Xero. Lines with the same narration and date are a
// journal, so the narration has the entry's number. A debit is positive, a credit negative.
func newXero(s settings) (*Format, error) {
	if err := s.twoDecimals(); err != nil {
		return nil, err
	}
	layout, err := s.dateLayout("DD MMM YYYY") // which Xero reads in every region (help.xero.com, ManualJournalsImport)
	if err != nil {
		return nil, err
	}
	rate, err := s.need(settingXeroTax, "Tax Exempt")
	if err != nil {
		return nil, err
	}
	if err := chart.CheckName(settingXeroTax, rate); err != nil {
		return nil, err
	}
	var tracked [2]tracking
	for i, name := range []string{settingXeroTracking1, settingXeroTracking2} {
		if tracked[i], err = s.tracking(name); err != nil {
			return nil, err
		}
	}
	rows := func(e *Entry) (rows []string, err error) {
		lines, err := linesOf(e)
		for _, l := range lines {
			tax := cmp.Or(l.Value(chart.TaxCode), rate)
			fields := []string{e.Number + ": " + e.Memo, e.Date.Format(layout), s.describe(l), l.Account, tax, l.signed().StringFixed(2)}
			for _, t := range tracked {
				fields = append(fields, t.cells(l)...)
			}
			rows = append(rows, csvLine(',', fields...))
		}
		return rows, err
	}
	head := csvLine(',', xeroColumns...)
	return &Format{carries: []chart.Target{chart.TaxCode, tracked[0].of, tracked[1].of}, maxRows: xeroRows, crlf: true, head: sameHead(head), rows: rows}, nil
}

// tracking is a tracking category of Xero, and the dimension that its options are.
type tracking struct {
	name string
	of   chart.Target
}

// tracking reads a setting such as "Region = location".
func (s settings) tracking(setting string) (t tracking, err error) {
	value := s.get(setting)
	if value == "" {
		return t, nil
	}
	name, of, _ := strings.Cut(value, "=")
	t = tracking{strings.TrimSpace(name), chart.Target(strings.TrimSpace(of))}
	if t.name == "" || !slices.Contains(chart.DimensionTargets(), t.of) {
		return t, s.wrong(setting, "want a tracking category and a column of the chart, such as Region = location")
	}
	if err := chart.CheckName(setting, t.name); err != nil {
		return t, err
	}
	return t, nil
}

// cells are the name and the option, both empty where the line has none.
func (t *tracking) cells(l *Line) []string {
	option := l.Value(t.of)
	if option == "" {
		return []string{"", ""}
	}
	return []string{t.name, option}
}
