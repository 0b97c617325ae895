package journal

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/text/encoding/charmap"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/plain"
)

// settings are those of a chart.
type settings struct{ *Request }

func (s settings) get(name string) string { return s.Chart.Setting(s.key(name)) }

// key returns the name that a setting has in the chart. With the format's name in front, it is for this format only.
func (s settings) key(name string) string {
	if own := s.Format.Name + " " + name; s.Chart.Line(own) > 0 {
		return own
	}
	return name
}

// check returns an error for a setting that the format would ignore: one with its name in front that it does not have,
// and one that only other formats have.
func (s settings) check() error {
	for _, name := range s.Chart.Settings() {
		bare, isOwn := strings.CutPrefix(name, s.Format.Name+" ")
		if s.Format.has(name) || isOwn && s.Format.has(bare) {
			continue
		}
		line := s.Chart.Line(name)
		if isOwn {
			return fmt.Errorf("line %d of the chart: %s has no %s. Remove the line, or the colon if it is a comment", line, s.Format.Name, plain.Line(bare))
		}
		for _, other := range Formats() {
			if other.has(name) && !strings.HasPrefix(name, other.Name+" ") {
				return fmt.Errorf(`line %d of the chart: %s has no %s. Remove the line, or name the format it is for: "# %s %[3]s: …"`, line, s.Format.Name, name, other.Name)
			}
		}
	}
	return nil
}

// has reports whether a format has a setting.
func (f Format) has(name string) bool {
	return f.open != nil && name == SettingPrefix || slices.ContainsFunc(f.settings, func(one string) bool {
		return name == one || strings.HasSuffix(one, " ") && strings.HasPrefix(name, one)
	})
}

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
	if slices.Contains(words, value) {
		return value, nil
	}
	return "", s.wrong(name, "want "+strings.Join(words, ", "))
}

// wrong is the error that a setting has a wrong value.
func (s settings) wrong(name, want string) error {
	return fmt.Errorf("line %d of the chart: %s %q: %s", s.Chart.Line(s.key(name)), name, plain.Line(s.get(name)), want)
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

// number returns the whole number, from least to most, that a setting has.
func (s settings) number(name, value string, least, most uint64, want string) (int, error) {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || n < least || n > most {
		return 0, s.wrong(name, want)
	}
	return int(n), nil
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
func (s settings) tokens(wei chain.SignedWei) string {
	return s.Tokens(wei) + " " + text(s.Symbol)
}

// toWindows1252 encodes text. A character that Windows-1252 lacks is an error.
func toWindows1252(text string) (string, error) {
	encoded := make([]byte, 0, len(text))
	for _, r := range text {
		b, known := charmap.Windows1252.EncodeRune(r)
		if !known {
			return "", fmt.Errorf("the character %q of %q is not in Windows-1252; rename it, or choose another encoding", r, text)
		}
		encoded = append(encoded, b)
	}
	return string(encoded), nil
}

// inWindows1252 is a text with question marks for the characters that Windows-1252 lacks.
func inWindows1252(text string) string {
	return strings.Map(func(r rune) rune {
		if _, known := charmap.Windows1252.EncodeRune(r); !known {
			return '?'
		}
		return r
	}, text)
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
