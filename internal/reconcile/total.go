package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// totalWords start the label of a total row, in lower case.
var totalWords = []string{
	"total", "totals", "subtotal", "sub", "sum", "grand", "gesamt", "gesamtsumme", "gesamtbetrag", "summe", "zwischensumme", "somme", "totale", "totaal", "suma", "soma",
}

// totals checks the total rows of a file.
type totals struct {
	whole, section sum
	wrong          []string // notes about totals that differ
	right          int
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

// add adds a fee.
func (t *totals) add(row *Row) {
	t.whole.add(row.Fee)
	t.section.add(row.Fee)
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

// take recognises a total row: a row without a transaction that has a total label, or only a figure equal to the
// sum of the rows above it.
func (t *totals) take(rec *record, rows *rowReader, f *File) bool {
	if rows.looksLikeTransaction(rec) {
		return false
	}
	labelled := rec.isLabelled()
	figure, err := rows.figure(rec)
	known := err == nil && !figure.wei.IsZero()
	sums := known && (t.whole.is(figure) || t.section.count > 0 && t.section.is(figure))
	if !labelled && !(sums && t.whole.count > 0 && rec.isFigure(rows.place(Fee))) {
		return false
	}
	f.Totals = append(f.Totals, rec.line)
	switch {
	case sums:
		t.right++
	case len(t.wrong) >= maxProblems:
	case err != nil:
		t.wrong = append(t.wrong, fmt.Sprintf("The total in line %d was not checked: %v.", rec.line, err))
	default:
		t.wrong = append(t.wrong, fmt.Sprintf("The total in line %d is %v wei, but the fees above it are %s.", rec.line, figure.wei, t.above(figure.wei)))
	}
	t.section = sum{}
	return true
}

// above returns the sum of the rows above a total row.
func (t *totals) above(figure chain.Wei) string {
	if t.whole.overflow {
		return "more than any amount"
	}
	text := fmt.Sprintf("%v wei (difference %v)", t.whole.wei, figure.Difference(t.whole.wei))
	if t.section.count != t.whole.count {
		text += fmt.Sprintf("; those since the previous total are %v wei", t.section.wei)
	}
	return text
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
	if len(t.wrong) == 0 {
		note += "; the totals match the fees above"
	}
	f.Notes = append(append(f.Notes, note+"."), t.wrong...)
}

// isLabelled reports whether one of the texts of a row is a total label.
func (r *record) isLabelled() bool {
	return slices.ContainsFunc(r.cells, func(c cell) bool {
		if c.number || c.err != nil {
			return false
		}
		words := strings.Fields(plainName(c.text))
		return len(words) > 0 && (slices.Contains(totalWords, words[0]) || slices.Contains(words, "total"))
	})
}

// isFigure reports whether only one column of a row, numbered from 1, is not empty.
func (r *record) isFigure(place int) bool {
	for i := range r.cells {
		if i != place-1 && (r.cells[i].err != nil || strings.TrimSpace(r.cells[i].text) != "") {
			return false
		}
	}
	return true
}
