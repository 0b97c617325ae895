package booking

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Format writes entries for an accounting system.
type Format struct {
	Name string
	// ZeroLines reports whether amounts that round to zero have lines too.
	ZeroLines bool
	carries   []chart.Target // the dimensions that it has a place for
	maxRows   int            // of a file, without its header; 0 means unlimited
	monthly   bool           // a file has the entries of one month
	crlf      bool           // lines end with CR LF; else with LF
	// head returns the lines above the entries, of a file whose first entry is given.
	head func(first *Entry) []string
	// rows returns the lines of an entry; none where all its amounts are zero.
	rows   func(*Entry) ([]string, error)
	encode func(string) (string, error) // nil is UTF-8
}

// The names of the formats.
const (
	QuickBooks = "quickbooks"
	Xero       = "xero"
	NetSuite   = "netsuite"
	DATEV      = "datev"
	CSV        = "journal-csv"
)

// Formats lists the names of the formats.
func Formats() []string { return []string{QuickBooks, Xero, NetSuite, DATEV, CSV} }

// NewFormat returns a format of [Formats], with the settings of the question's chart.
func NewFormat(name string, q *Question) (*Format, error) {
	s := settings{q}
	create := map[string]func(settings) (*Format, error){
		QuickBooks: newQuickBooks, Xero: newXero, NetSuite: newNetSuite, DATEV: newDATEV, CSV: newCSV,
	}[name]
	if create == nil {
		return nil, fmt.Errorf("no accounting system is called %q", name)
	}
	f, err := create(s)
	if err != nil {
		return nil, fmt.Errorf("--as %s: %w", name, err)
	}
	f.Name = name
	return f, nil
}

// Lacks returns the dimensions that a journal has and the format does not.
func (f *Format) Lacks(j *Journal) (names []string) {
	for _, t := range chart.DimensionTargets() {
		if j.Dimensions[t] && !slices.Contains(f.carries, t) {
			names = append(names, string(t))
		}
	}
	return names
}

// settings are those of a chart.
type settings struct{ *Question }

func (s settings) get(name string) string { return s.Chart.Setting(name) }

// need returns a setting that has to be there.
func (s settings) need(name, example string) (string, error) {
	value := s.get(name)
	if value == "" {
		return "", fmt.Errorf(`the chart lacks a setting; add a line such as "# %s: %s"`, name, example)
	}
	return value, nil
}

// choice returns a setting that is one of some words, the first where it is not there.
func (s settings) choice(name string, words ...string) (string, error) {
	value := strings.ToLower(s.get(name))
	if value == "" {
		return words[0], nil
	}
	for _, word := range words {
		if value == word {
			return word, nil
		}
	}
	return "", s.wrong(name, "want "+strings.Join(words, ", "))
}

// wrong is the error that a setting has a wrong value.
func (s settings) wrong(name, want string) error {
	return fmt.Errorf("line %d of the chart: %s %q: %s", s.Chart.Line(name), name, console.Printable(s.get(name)), want)
}

// Settings that several formats have.
const (
	settingDate      = "date form"
	settingSeparator = "separator"
)

var dateForm = regexp.MustCompile(`^(YYYY|MM|MMM|DD|[-./ ])+$`)

// dateLayout returns the layout of dates, for package time.
func (s settings) dateLayout(standard string) (string, error) {
	form := strings.ToUpper(s.get(settingDate))
	if form == "" {
		form = standard
	}
	if !dateForm.MatchString(form) || strings.Count(form, "YYYY") != 1 || strings.Count(form, "DD") != 1 || !strings.Contains(form, "MM") {
		return "", s.wrong(settingDate, "want a form such as YYYY-MM-DD, MM/DD/YYYY or DD.MM.YYYY")
	}
	return strings.NewReplacer("YYYY", "2006", "MMM", "Jan", "MM", "01", "DD", "02").Replace(form), nil
}

func (s settings) separator() (rune, error) {
	word, err := s.choice(settingSeparator, "comma", "semicolon", "tab", ",", ";")
	return map[string]rune{"comma": ',', ",": ',', "semicolon": ';', ";": ';', "tab": '\t'}[word], err
}

// twoDecimals requires a currency whose amounts two decimals can express.
func (s settings) twoDecimals() error {
	if c := s.Prices.Currency; c.Decimals() > 2 {
		return fmt.Errorf("%s has %d decimals, and the format has 2; choose journal-csv", c, c.Decimals())
	}
	return nil
}

// sameHead is the head of a format whose files all begin with the same line.
func sameHead(line string) func(*Entry) []string {
	return func(*Entry) []string { return []string{line} }
}

// linesOf are an entry's lines that are not zero.
func linesOf(e *Entry) (lines []*Line, err error) {
	all, err := e.Lines()
	for _, l := range all {
		if !l.Amount.IsZero() {
			lines = append(lines, l)
		}
	}
	return lines, err
}

// sides are the cells of an amount in a column of debits and one of credits.
func (l *Line) sides(amount string) (debit, credit string) {
	if l.Debit {
		return amount, ""
	}
	return "", amount
}

// signed is the amount with a minus for a credit.
func (l *Line) signed() decimal.Decimal {
	if l.Debit {
		return l.Amount
	}
	return l.Amount.Neg()
}

// describe returns the text of a line, with the amount in the token.
func (s settings) describe(l *Line) string {
	text := l.Memo
	if l.Fees > 0 {
		text += ": " + s.tokens(l.Wei)
	}
	if l.Fees > 1 {
		text += fmt.Sprintf(", %d fees", l.Fees)
	}
	if l.Hash != "" {
		text += ", " + l.Hash
	}
	return plain.Cell(text)
}

// tokens is an amount in the token, with its symbol.
func (s settings) tokens(wei chain.Wei) string {
	return s.Tokens(wei) + " " + text(s.Symbol)
}

// csvLine is a line of CSV, without its end.
func csvLine(separator rune, fields ...string) string {
	var line strings.Builder
	w := csv.NewWriter(&line)
	w.Comma = separator
	if err := w.Write(fields); err != nil {
		panic(err) // the separator is one of ours
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// maxAmount is the largest amount of 10 digits and 2 decimals.
var maxAmount = decimal.New(999_999_999_999, -2)

// fits requires an amount of at most 10 digits and 2 decimals.
func fits(amount decimal.Decimal) error {
	if amount.GreaterThan(maxAmount) {
		return fmt.Errorf("%s has more than 10 digits; book by day, or by transaction", amount.StringFixed(2))
	}
	return nil
}

// monthOf is the first day of a date's month.
func monthOf(date time.Time) time.Time {
	return time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0, time.UTC)
}
