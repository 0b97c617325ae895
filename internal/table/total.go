package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// totals holds the exact sums of the columns with a total.
type totals struct {
	sheet   *Sheet
	amounts []chain.SignedWei // of integers too
	fiat    []money.Amount    // unrounded
	unknown []bool            // the column has an unknown figure
	given   []any             // the converted totals of the sheet; nil for none
}

// notKnown is the total of a column with an unknown figure.
const notKnown = "not known"

func newTotals(s *Sheet) (*totals, error) {
	n := len(s.Columns)
	t := &totals{s, make([]chain.SignedWei, n), make([]money.Amount, n), make([]bool, n), nil}
	if s.Totals == nil {
		return t, nil
	}
	t.given = make([]any, n)
	return t, s.read(0, s.Totals, t.given)
}

// isSum reports whether the total of a column is the sum of its rows.
func (t *totals) isSum(column int) bool {
	return t.given == nil || exact(t.given[column]) == exact(t.sum(column))
}

// name returns the heading of the totals.
func (t *totals) name() string { return cmp.Or(t.sheet.Part, "total") }

// add adds a row.
func (t *totals) add(row []any) (err error) {
	for i := range t.sheet.Columns {
		c := &t.sheet.Columns[i]
		if !c.Total || row[i] == nil {
			t.unknown[i] = t.unknown[i] || c.Whole
			continue
		}
		switch v := row[i].(type) {
		case chain.SignedWei:
			t.amounts[i], err = t.amounts[i].Add(v)
		case integer:
			var n chain.SignedWei
			if n, err = chain.ParseSignedWei(string(v)); err == nil {
				t.amounts[i], err = t.amounts[i].Add(n)
			}
		case money.Amount:
			t.fiat[i] = t.fiat[i].Add(v)
		case unknownAmount:
			t.unknown[i] = true
		}
		if err != nil {
			return fmt.Errorf("sheet %q, column %s: the total: %w", t.sheet.Name, c.Name, err)
		}
	}
	return nil
}

// carry reports whether the sums so far can be shown: the totals are those of the rows, and there is room for their name.
func (t *totals) carry() bool {
	return t.given == nil && t.exist() && slices.ContainsFunc(t.sheet.Columns, func(c Column) bool { return !c.Total })
}

// of returns the total of a column as a value of its kind, notKnown if it is unknown, nil if there is none.
func (t *totals) of(column int) any {
	c := &t.sheet.Columns[column]
	if t.given != nil {
		if _, unknown := t.given[column].(unknownAmount); unknown || c.Whole && t.given[column] == nil {
			return notKnown
		}
		return t.given[column]
	}
	return t.soFar(column)
}

// soFar returns the sum of a column's rows, notKnown if one is unknown, nil for a column without a total.
func (t *totals) soFar(column int) any {
	switch {
	case !t.sheet.Columns[column].Total:
		return nil
	case t.unknown[column]:
		return notKnown
	}
	return t.sum(column)
}

// sum returns the sum of a column's rows.
func (t *totals) sum(column int) any {
	switch c := t.sheet.Columns[column]; {
	case c.isAmount():
		return t.amounts[column]
	case c.Kind == Fiat:
		return money.NothingIn(c.Currency).Add(t.fiat[column])
	}
	return integer(t.amounts[column].String())
}

// exist reports whether a column has a total.
func (t *totals) exist() bool {
	for _, c := range t.sheet.Columns {
		if c.Total {
			return true
		}
	}
	return false
}
