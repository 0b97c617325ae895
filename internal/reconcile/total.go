package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/feeledger/fees/chain"
)

// totalWords are labels of a total row, in lower case.
var totalWords = []string{
	"total", "totals", "subtotal", "sub", "sum", "grand", "gesamt", "gesamtsumme", "gesamtbetrag", "summe", "zwischensumme", "somme", "totale", "totaal", "suma", "soma",
}

// labelWords may stand beside them.
var labelWords = []string{"of", "for", "all", "fee", "fees", "gas", "tx", "txn", "transaction", "transactions", "network", "cost", "costs", "amount", "rows", "lines", "wei", "gwei"}

// totals checks the total rows of a file. A total may be of the column, or of the fees in the network's token.
type totals struct {
	column, own running
	unstated    int // total rows without a figure
}

// sum is the sum of some rows.
type sum struct {
	wei      chain.Wei
	count    uint64
	overflow bool
}

func (s *sum) add(fee chain.Wei) {
	total, err := s.wei.Add(fee)
	s.wei, s.overflow = total, s.overflow || err != nil
	s.count++
}

// running are the sums of rows for the next total row: of all rows above it, and of those since the last one.
type running struct{ whole, section sum }

func (r *running) add(fee chain.Wei) {
	r.whole.add(fee)
	r.section.add(fee)
}

// are reports whether the figure of a total row is one of the sums.
func (r *running) are(figure amount) bool {
	return r.whole.is(figure) || r.section.count > 0 && r.section.is(figure)
}

// add adds a fee.
func (t *totals) add(row *Row) {
	t.column.add(row.Fee)
	if row.Other.Name == "" {
		t.own.add(row.Fee)
	}
}

// above returns the sum that a total is compared with in a message.
func (t *totals) above() chain.Wei {
	if t.own.whole.count > 0 {
		return t.own.whole.wei
	}
	return t.column.whole.wei
}

// is reports whether the figure of a total row is the sum. A spreadsheet number may differ by half of its last digit,
// once for itself and once for each added number.
func (s *sum) is(figure amount) bool {
	if s.overflow {
		return false
	}
	apart := figure.wei.Difference(s.wei).Size()
	if apart.IsZero() {
		return true
	}
	if figure.digits == 0 {
		return false
	}
	limit, err := lastDigit(figure.wei).Times(s.count + 1)
	twice, tooFar := apart.Times(2)
	return err == nil && tooFar == nil && twice.Cmp(limit) <= 0
}

// take recognises a total row: its only text is a total's word, and it names no transaction. It returns the row of a total
// that is not the sum of the rows above it.
func (t *totals) take(rec *record, rows *rowReader, f *File) (total bool, wrong *Row, problem *Problem) {
	place := rows.place(Fee)
	if rows.looksLikeTransaction(rec) || !rec.isTotal(rows.own, place, rows.place(Asset), rows.options.Symbol) {
		return false, nil, nil
	}
	column, own := t.column, t.own
	t.column.section, t.own.section = sum{}, sum{}
	if rec.value(place) == "" {
		t.unstated++
		f.Totals = append(f.Totals, rec.line)
		return true, nil, nil
	}
	figure, err := rows.figure(rec)
	switch {
	case err != nil:
		return true, nil, &Problem{Line: rec.line, Column: place, Name: rows.header[place-1], Value: rec.value(place), Err: fmt.Errorf("the total cannot be read: %w; correct it, or skip it with --skip-rows %d", err, rec.line)}
	case column.are(figure), own.are(figure):
		f.Totals = append(f.Totals, rec.line)
		return true, nil, nil
	}
	return true, &Row{Line: rec.line, Fee: figure.wei, Above: chain.Some(t.above())}, nil
}

// totalDiffers returns the item of a total row that is not the sum of the rows above it. Neither figure is a fee.
func totalDiffers(row *Row, above chain.Wei, unit string) Item {
	apart := row.Fee.Difference(above)
	item := Item{Outcome: TotalDiffers, Row: row, Difference: chain.Some(apart)}
	item.note("the total is %v %s, but the fees above it are %v %[2]s (difference %[4]v)", row.Fee, unit, above, apart)
	return item
}

// addNotes adds notes about the total rows.
func (t *totals) addNotes(f *File) {
	if len(f.Totals) == 0 {
		return
	}
	note := linesAre(f.Totals) + " total rows, not fees"
	if len(f.Totals) == 1 {
		note = linesAre(f.Totals) + " a total row, not a fee"
	}
	if t.unstated == 0 {
		note += "; the totals match the fees above"
	}
	f.Notes = append(f.Notes, note+".")
}

// isTotal reports whether the only text in the first columns of a row, beside figures and the token's symbol, is a total's
// label. The numbers of the columns of fees and assets are from 1.
func (r *record) isTotal(columns, fee, asset int, symbol string) bool {
	labelled := false
	for i := range r.cells[:min(columns, len(r.cells))] {
		c := &r.cells[i]
		text := c.value()
		switch {
		case c.err != nil:
			return false
		case text == "", c.number, i == fee-1, !strings.ContainsFunc(text, unicode.IsLetter) && !hashIn.MatchString(text):
		case i == asset-1 && strings.EqualFold(text, symbol):
		case labelled || !isTotalLabel(text, symbol):
			return false
		default:
			labelled = true
		}
	}
	return labelled
}

// isTotalLabel reports whether a text is a label such as Total, Grand total or Total fees (GLMR).
func isTotalLabel(text, symbol string) bool {
	words := strings.Fields(plainName(text))
	isTotal := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(totalWords, word) })
	return isTotal && !slices.ContainsFunc(words, func(word string) bool {
		return !slices.Contains(totalWords, word) && !slices.Contains(labelWords, word) && word != plainName(symbol)
	})
}
