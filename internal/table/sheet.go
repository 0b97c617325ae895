package table

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/money"
)

// Kind is what the values of a column are. A value may also be nil, or an
// Optional of what is listed.
type Kind int

// The kinds, with the Go types of their values.
const (
	// Text is a string. It may come from outside: see [Safe].
	Text Kind = iota
	// Integer is an int, int64, uint64, chain.Gas, chain.Nonce or chain.RefTime.
	Integer
	// Wei is a chain.Wei: an amount of the network's token.
	Wei
	// SignedWei is a chain.SignedWei, or a chain.Wei.
	SignedWei
	// TokenAmount is a chain.TokenAmount, in another token's smallest unit. It is
	// written as text: how many decimals that token has is not known here.
	TokenAmount
	// GasPrice is a chain.GasPrice, in wei per gas; a table for people has Gwei.
	GasPrice
	// Time is a chain.Time.
	Time
	// Date is a day: a string such as "2024-01-31", or a chain.Time, whose UTC day it
	// is then.
	Date
	// Hash is a chain.Hash.
	Hash
	// Address is a chain.Address.
	Address
	// Boolean is a bool.
	Boolean
	// Fiat is a money.Amount in the column's currency, which is rounded when it is written.
	// An Optional of one that is not known makes the total not known; nil does not.
	Fiat
	// Percent is a string such as "-12.34": a part of a hundred with two decimals.
	Percent
)

var kinds = []string{"text", "integer", "wei", "signed wei", "token amount", "gas price", "time", "date", "hash", "address", "boolean", "fiat", "percent"}

// String is the kind's name.
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
	// Total says that the column is summed up below the rows, where a form has such
	// a place: XLSX and the table. It is for Integer, Wei, SignedWei and Fiat, whose total
	// is the sum of what is not rounded. A cell with nothing is not in the sum.
	Total bool
	// Whole says that a cell with nothing is a figure that is not known. Then the total
	// is not known either.
	Whole bool
	// Term says that a text is one of a few words, such as an outcome or a kind: a table
	// never cuts it.
	Term bool
	// Drop is when a table for people leaves the column out, where there is no room: the
	// highest goes first, with all that have the same. 0 stays.
	Drop int
	// Verdict says that a text is a word that tells whether something holds: a table never cuts
	// it, and may give it a colour.
	Verdict bool
	// Currency is that of a column of kind Fiat, whose name ends with it: fee_eur.
	Currency money.Currency
}

// Sheet is a table of figures.
type Sheet struct {
	Name    string   // such as "transactions": the sheet's in XLSX, the schema's in Parquet
	Title   string   // for people
	Notes   []string // what a reader must know, such as that a part of a period is missing
	Symbol  string   // of the network's token, such as "GLMR"
	Columns []Column
	// Rows are the values, one for each column. They are consumed once. An error ends
	// the writing, which returns it.
	Rows iter.Seq2[[]any, error]
}

// snakeCase is what a column's name looks like. It is the header in every form, so
// nothing in it may be taken for something else.
var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// check refuses columns that cannot be written.
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

// names are what the forms call the column: CSV and XLSX have an amount of wei in the token too.
func (c Column) names() []string {
	if c.isAmount() {
		return []string{c.Name, c.Name + "_token"}
	}
	return []string{c.Name}
}

// isAmount tells whether the column is in wei.
func (c Column) isAmount() bool { return c.Kind == Wei || c.Kind == SignedWei }

// each hands over the rows, read, in their order. The row is valid until the next.
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

// read takes the values of a row into another one.
func (s *Sheet) read(number int, values, row []any) (err error) {
	if len(values) != len(s.Columns) {
		return fmt.Errorf("sheet %q, row %d: have %d values, want %d", s.Name, number, len(values), len(s.Columns))
	}
	for i, c := range s.Columns {
		if row[i], err = c.Kind.read(values[i]); err != nil {
			return fmt.Errorf("sheet %q, row %d, column %s: %w", s.Name, number, c.Name, err)
		}
		if a, ok := row[i].(money.Amount); ok && a.Currency() != c.Currency {
			return fmt.Errorf("sheet %q, row %d, column %s: an amount in %s, and the column is in %s", s.Name, number, c.Name, a.Currency(), c.Currency)
		}
	}
	return nil
}
