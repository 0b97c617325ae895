package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// totalWords are how the label of a total row begins, in lower case.
var totalWords = []string{
	"total", "totals", "subtotal", "sub", "sum", "grand", "gesamt", "gesamtsumme", "gesamtbetrag", "summe", "zwischensumme", "somme", "totale", "totaal", "suma", "soma",
}

// totals are the rows of a file that add others up.
type totals struct {
	whole, section sum
	wrong          []string // what is to be said of them
	right          int
}

// sum is that of some rows.
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

// is tells whether a figure of a total row is the sum. That of a spreadsheet's number may be
// apart by half of its last digit, once for itself and once for each number that was added.
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
	most, err := lastDigit(figure.wei).Times(s.count + 1)
	twice, tooFar := apart.Times(2)
	return err == nil && tooFar == nil && twice.Cmp(most) <= 0
}

// take takes a row that is a total row: one that names no transaction, and has a label of total
// rows, or nothing but a figure that is the sum of the rows above it.
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
	case len(t.wrong) >= mostProblems:
	case err != nil:
		t.wrong = append(t.wrong, fmt.Sprintf("The figure of the total row in line %d was not compared: %v.", rec.line, err))
	default:
		t.wrong = append(t.wrong, fmt.Sprintf("The total row in line %d says %v wei, and the fees above it are %s.", rec.line, figure.wei, t.above(figure.wei)))
	}
	t.section = sum{}
	return true
}

// above is what the rows above a total row come to.
func (t *totals) above(figure chain.Wei) string {
	if t.whole.overflow {
		return "more than any amount"
	}
	text := fmt.Sprintf("%v wei: it differs by %v", t.whole.wei, figure.Difference(t.whole.wei))
	if t.section.count != t.whole.count {
		text += fmt.Sprintf("; those since the total row before are %v wei", t.section.wei)
	}
	return text
}

// tell says of the total rows what people must know.
func (t *totals) tell(f *File) {
	if len(f.Totals) == 0 {
		return
	}
	note := linesAre(f.Totals) + " total rows, and no fees"
	if len(f.Totals) == 1 {
		note = linesAre(f.Totals) + " a total row, and no fee"
	}
	if len(t.wrong) == 0 {
		note += "; what is said there is the sum of the fees above"
	}
	f.Notes = append(append(f.Notes, note+"."), t.wrong...)
}

// isLabelled tells whether one of the texts of a row is a label of total rows.
func (r *record) isLabelled() bool {
	return slices.ContainsFunc(r.cells, func(c cell) bool {
		if c.number || c.err != nil {
			return false
		}
		words := strings.Fields(plainName(c.text))
		return len(words) > 0 && (slices.Contains(totalWords, words[0]) || slices.Contains(words, "total"))
	})
}

// isFigure tells whether a row has nothing but what is in one column, the first being 1.
func (r *record) isFigure(place int) bool {
	for i := range r.cells {
		if i != place-1 && (r.cells[i].err != nil || strings.TrimSpace(r.cells[i].text) != "") {
			return false
		}
	}
	return true
}
