package table

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
)

// Kind is the type of a column's values. A value may also be nil, or an Optional of the listed types.
type Kind int

// The kinds, with the Go types of their values.
const (
	// Text is a string. It may come from outside: see [Safe]. It is also a money.Amount whose currency another column
	// names; XLSX has it as a number.
	Text Kind = iota
	// Integer is an int, int64, uint64, chain.Gas, chain.Nonce or chain.RefTime.
	Integer
	// Wei is a chain.Wei: an amount of the network's token.
	Wei
	// SignedWei is a chain.SignedWei, or a chain.Wei.
	SignedWei
	// TokenAmount is a chain.TokenAmount, in another token's smallest unit. It is written as text, since that
	// token's decimals are unknown.
	TokenAmount
	// GasPrice is a chain.GasPrice, in wei per gas; the text table shows Gwei.
	GasPrice
	// Time is a chain.Time.
	Time
	// Date is a day: a string such as "2024-01-31", or the UTC day of a chain.Time.
	Date
	// Hash is a chain.Hash.
	Hash
	// Address is a chain.Address.
	Address
	// Boolean is a bool.
	Boolean
	// Fiat is a money.Amount in the column's currency, rounded when written. An unknown Optional makes the
	// total unknown; nil does not.
	Fiat
	// Percent is a percentage with two decimals, a string such as "-12.34".
	Percent
)

var kinds = []string{"text", "integer", "wei", "signed wei", "token amount", "gas price", "time", "date", "hash", "address", "boolean", "fiat", "percent"}

// String returns the kind's name.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return fmt.Sprintf("kind %d", int(k))
	}
	return kinds[k]
}

// Column is a column of a sheet.
type Column struct {
	Name string // in snake case; the key in JSON
	Kind Kind
	// Total adds the column's sum below the rows in XLSX and the text table, for Integer, Wei, SignedWei and
	// Fiat. Sums are of unrounded values; empty cells are skipped.
	Total bool
	// Whole marks an empty cell as an unknown figure, which makes the total unknown.
	Whole bool
	// Term marks text of a fixed vocabulary, such as outcomes or kinds, which the text table never shortens.
	Term bool
	// Drop is the order in which the text table hides columns if necessary: highest first, equal ones
	// together. 0 is never hidden.
	Drop int
	// Verdict marks verdicts, which the text table never shortens and may color.
	Verdict bool
	// Currency is the currency of a Fiat column, whose name ends with it: fee_eur.
	Currency money.Currency
}

// Sheet is a table of figures.
type Sheet struct {
	Name          string   // such as "transactions": the sheet's in XLSX, the schema's in Parquet
	Title         string   // for display
	Notes         []string // such as that part of a period is missing
	console.Token          // the network's
	Columns       []Column
	// Rows yields rows with one value per column. It is consumed once. An error ends the writing and is
	// returned.
	Rows  iter.Seq2[[]any, error]
	Above *Above // on paper; nil for nothing
	// Totals are the totals where they are not the sums of the rows, one value per column; nil for sums.
	Totals []any
	// Part names what the totals are of if that is a part of a period; "" for all rows.
	Part string
	// Beside returns a text for the text table to write beside a row, numbered from 0, within some columns. nil for
	// none.
	Beside func(row, width int) string
}

// snakeCase matches column names. They are the headers of every format, so they must need no escaping.
var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// check rejects columns that cannot be written.
func (s *Sheet) check() error {
	if len(s.Columns) == 0 {
		return fmt.Errorf("sheet %q has no columns", s.Name)
	}
	seen := map[string]bool{}
	for _, c := range s.Columns {
		switch {
		case !snakeCase.MatchString(c.Name):
			return fmt.Errorf("sheet %q: column name %q is not in snake case", s.Name, c.Name)
		case c.Kind < 0 || int(c.Kind) >= len(kinds):
			return fmt.Errorf("sheet %q, column %s: unknown %v", s.Name, c.Name, c.Kind)
		case c.Total && !slices.Contains([]Kind{Integer, Wei, SignedWei, Fiat}, c.Kind):
			return fmt.Errorf("sheet %q, column %s: a column of kind %v has no total", s.Name, c.Name, c.Kind)
		case (c.Kind == Fiat) != (c.Currency != ""):
			return fmt.Errorf("sheet %q, column %s: a column of kind %v has the currency %q", s.Name, c.Name, c.Kind, c.Currency)
		case c.Kind == Fiat && !strings.HasSuffix(c.Name, "_"+c.Currency.Suffix()):
			return fmt.Errorf("sheet %q, column %s: the name does not end with the currency %s", s.Name, c.Name, c.Currency)
		}
		for _, name := range c.names() {
			if seen[name] {
				return fmt.Errorf("sheet %q has two columns %s", s.Name, name)
			}
			seen[name] = true
		}
	}
	return nil
}

// names returns the column's headers: CSV and XLSX add a wei amount in the token.
func (c Column) names() []string {
	if c.isAmount() {
		return []string{c.Name, c.Name + "_token"}
	}
	return []string{c.Name}
}

// isAmount reports whether the column is in wei.
func (c Column) isAmount() bool { return c.Kind == Wei || c.Kind == SignedWei }

// each calls a function for every converted row, in order. A row is valid until the next one.
func (s *Sheet) each(do func(row []any) error) error {
	if s.Rows == nil {
		return nil
	}
	row := make([]any, len(s.Columns))
	number := 0
	for values, err := range s.Rows {
		if err != nil {
			return err
		}
		number++
		if err := s.read(number, values, row); err != nil {
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

// read converts the values of a row.
func (s *Sheet) read(number int, values, row []any) (err error) {
	if len(values) != len(s.Columns) {
		return fmt.Errorf("sheet %q, row %d: have %d values, want %d", s.Name, number, len(values), len(s.Columns))
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		if row[i], err = s.value(c.Kind, values[i]); err != nil {
			return fmt.Errorf("sheet %q, row %d, column %s: %w", s.Name, number, c.Name, err)
		}
		if a, ok := row[i].(money.Amount); ok && a.Currency() != c.Currency {
			return fmt.Errorf("sheet %q, row %d, column %s: an amount in %s, and the column is in %s", s.Name, number, c.Name, a.Currency(), c.Currency)
		}
	}
	return nil
}
