package table

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// totals holds the exact sums of the columns with a total.
type totals struct {
	sheet   *Sheet
	amounts []chain.SignedWei // of integers too
	fiat    []money.Amount    // unrounded
	unknown []bool            // the column has an unknown figure
}

// notKnown is the total of a column with an unknown figure.
const notKnown = "not known"

func newTotals(s *Sheet) *totals {
	n := len(s.Columns)
	return &totals{s, make([]chain.SignedWei, n), make([]money.Amount, n), make([]bool, n)}
}

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

// of returns the total of a column as a value of its kind, notKnown if it is unknown, nil if there is none.
func (t *totals) of(column int) any {
	switch c := t.sheet.Columns[column]; {
	case !c.Total:
		return nil
	case t.unknown[column]:
		return notKnown
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
