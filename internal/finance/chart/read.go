package chart

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/plain"
)

const (
	maxRules        = 10_000
	maxTextBytes    = 200   // of a field
	maxSettingBytes = 2_000 // of a setting: one of them lists columns
	maxAlternatives = 1_000 // in a field
	maxErrors       = 20    // that are named
)

// separators are those between the columns of a chart.
const separators = ",;\t"

// aliases are other names of columns.
var aliases = map[string]string{
	"cost_center": string(CostCentre), "asset_account": string(Asset), "expense_account": string(Account),
	"expense": string(Account), "status": "outcome", "transaction": "id", "hash": "id",
}

// ignored are the columns that are for people.
var ignored = []string{"note", "notes", "comment", "description"}

// Read reads a chart of accounts: CSV with a header that names the columns in any order.
//
// An empty condition holds for every transaction, - for one that has no such value. Several
// values have | between, and a * at the end stands for any rest. Case does not matter. Lines that
// begin with # are settings, "# name: value", or comments.
//
// The error lists what is wrong, each with its line.
func Read(text []byte) (*Chart, error) {
	sum := sha256.Sum256(text)
	c := &Chart{settings: map[string]setting{}, SHA256: hex.EncodeToString(sum[:])}
	text, err := csvlist.Text(text)
	if err != nil {
		return nil, err
	}
	text = norm.NFC.Bytes(text) // as address books
	rows, wrong := c.readSettings(text)
	var columns []string
	err = eachRow(rows, wrong, func(row csvlist.Row) (fatal bool, err error) {
		switch {
		case columns == nil:
			columns, err = readHeader(row.Cut(0))
			return err != nil, err
		case len(c.rules) == maxRules:
			return true, fmt.Errorf("more than %d rules", maxRules)
		}
		r, err := parseRule(columns, row.Cut(len(columns)))
		r.line = row.Line
		c.rules = append(c.rules, r)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	if len(c.rules) == 0 {
		return nil, errors.New("it has no rule: want a header such as label,layer,account and a line for each rule")
	}
	return c, nil
}

// eachRow calls do for each row of a list. Its errors are collected after those that are wrong already, up to
// maxErrors or a fatal one.
func eachRow(text []byte, wrong []error, do func(csvlist.Row) (fatal bool, err error)) error {
	separator := cmp.Or(csvlist.Separator(csvlist.FirstLine(text), separators), ',')
	for row, err := range csvlist.Rows(text, separator) {
		if err != nil {
			return errors.Join(append(wrong, err)...)
		}
		fatal, err := do(row)
		if err == nil {
			continue
		}
		wrong = append(wrong, fmt.Errorf("line %d: %w", row.Line, err))
		switch {
		case fatal:
			return errors.Join(wrong...)
		case len(wrong) >= maxErrors:
			return errors.Join(append(wrong, errors.New("and perhaps more"))...)
		}
	}
	return errors.Join(wrong...)
}

// readSettings reads the lines that begin with #, and returns the text with these lines empty.
func (c *Chart) readSettings(text []byte) (rows []byte, wrong []error) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		remark, ok := csvlist.Remark(string(line))
		if !ok {
			rows = append(rows, line...)
			continue
		}
		rows = append(rows, '\n')
		name, value, ok := strings.Cut(remark, ":")
		name, value = strings.ToLower(strings.Join(strings.Fields(name), " ")), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			continue
		}
		if err := c.set(name, value, number); err != nil && len(wrong) < maxErrors {
			wrong = append(wrong, fmt.Errorf("line %d: %w", number, err))
		}
	}
	return rows, wrong
}

func (c *Chart) set(name, value string, line int) error {
	if old, twice := c.settings[name]; twice && old.value != value {
		return fmt.Errorf("%q is set to %q here, and to %q on line %d", plain.Line(name), plain.Line(value), plain.Line(old.value), old.line)
	}
	if slices.Contains([]string{SettingSuspense, SettingRounding, SettingAsset}, name) {
		if err := CheckName(name, value); err != nil {
			return err
		}
	}
	if len(value) > maxSettingBytes {
		return fmt.Errorf("%q is longer than %d bytes", plain.Line(name), maxSettingBytes)
	}
	c.settings[name] = setting{value, line}
	return nil
}

// readHeader returns the columns by their own names, "" for those that are for people.
func readHeader(fields []string) (columns []string, err error) {
	hasTarget := false
	for _, field := range fields {
		name := strings.ReplaceAll(strings.Join(strings.Fields(strings.ToLower(field)), "_"), "-", "_")
		if alias, ok := aliases[name]; ok {
			name = alias
		}
		switch {
		case slices.Contains(ignored, name):
			name = ""
		case !slices.Contains(columnNames(), name):
			return nil, fmt.Errorf("the column %q is not known: want %s", plain.Line(field), strings.Join(columnNames(), ", "))
		case slices.Contains(columns, name):
			return nil, fmt.Errorf("two columns are named %q", plain.Line(field))
		}
		hasTarget = hasTarget || slices.Contains(Targets(), Target(name))
		columns = append(columns, name)
	}
	if !hasTarget {
		return nil, errors.New("no column names an account: want a column account")
	}
	return columns, nil
}

// columnNames are the columns that a chart can have.
func columnNames() (names []string) {
	for c := range conditionCount {
		names = append(names, conditions[c].name)
	}
	for _, t := range Targets() {
		names = append(names, string(t))
	}
	return names
}

func parseRule(columns, fields []string) (r rule, err error) {
	r.targets = map[Target]string{}
	if len(fields) > len(columns) {
		return r, fmt.Errorf("%d fields, and there are %d columns; text with a separator in it belongs in quotes", len(fields), len(columns))
	}
	for i, value := range fields {
		name := columns[i]
		if value == "" || name == "" {
			continue
		}
		at := slices.Index(columnNames(), name)
		if at >= int(conditionCount) {
			if err := CheckName(name, value); err != nil {
				return r, err
			}
			r.targets[Target(name)] = value
			continue
		}
		if r.conditions[at], err = parseAlternatives(value, condition(at)); err != nil {
			return r, fmt.Errorf("%s %q: %w", name, plain.Line(value), err)
		}
	}
	if len(r.targets) == 0 {
		return r, errors.New("it names no account and no dimension: remove it, or fill in the account")
	}
	return r, nil
}

func parseAlternatives(text string, c condition) (list alternatives, err error) {
	check := conditions[c].check
	for one := range strings.SplitSeq(text, "|") {
		one = strings.TrimSpace(one)
		if one == "" {
			return nil, errors.New("an alternative is empty")
		}
		folded := strings.ToLower(one)
		if check != nil && folded != none && folded != anyValue {
			value := folded
			if account, err := chain.ParseAccount(one); err == nil && c == condPayer {
				value, folded = one, strings.ToLower(account.String()) // SS58 may have any prefix
			} else if strings.HasPrefix(folded, "0x") && len(folded) == 42 {
				value = one // the case of an address is its checksum
			}
			if err := check(value); err != nil {
				return nil, err
			}
		}
		if list = append(list, folded); len(list) > maxAlternatives {
			return nil, fmt.Errorf("more than %d alternatives", maxAlternatives)
		}
	}
	return list, nil
}

// CheckName checks the name of an account or a dimension. It is written into files that
// spreadsheets open, exactly as it is here.
func CheckName(name, value string) error {
	shown := plain.Line(value)
	switch {
	case value == none && slices.Contains([]string{string(Account), string(Asset), SettingSuspense, SettingRounding}, name):
		return fmt.Errorf("%s %q: a fee needs an account", name, shown)
	case value == none:
		return nil
	case len(value) > maxTextBytes:
		return fmt.Errorf("the %s has %d bytes, want at most %d", name, len(value), maxTextBytes)
	case !utf8.ValidString(value) || shown != value:
		return fmt.Errorf("%s %q: a line break or a control character is in it", name, shown)
	case value != "" && strings.ContainsAny(value[:1], "=+-@|'"):
		return fmt.Errorf("%s %q: a spreadsheet would take it for a formula", name, shown)
	}
	return nil
}
