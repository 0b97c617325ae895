package web

import (
	"slices"
	"strings"
	"unicode/utf8"

	g "maragu.dev/gomponents"
)

// window is a width of the window in pixels, with the width of a table in it.
type window struct {
	class string
	room  int
}

// windows are the widths at which the layout of a table changes. Below the last, and wherever a table does not fit, each
// row is a card. A table beside others has the same room in a window of 1440 pixels as alone in one of 1024.
var windows = []window{{"1440", 1388}, {"1024", 972}, {"721", 669}}

// Widths in pixels of the widest of the usual system fonts, so that a table fits with any of them.
const (
	digitWidth = 8.3
	charWidth  = 7.8
	headWidth  = 8.2
	padding    = 20
	sortArrow  = 14
	// longText is the length in characters from which text is wrapped.
	longText = 19
)

// fieldWidth is the width of a field in a table, in pixels.
const fieldWidth = 132

// sideRoom is the width of a table in the side column of a wide window. Below that window, it has the whole width.
const sideRoom = 398

// sumRoom is the width of a table beside a chart in a wide window.
const sumRoom = 758

// whole returns a table that has the whole width; nil for none.
func (t *tabular) whole() g.Node {
	if t == nil {
		return nil
	}
	t.fit(windows)
	return t.node()
}

// besideSide returns a table beside the side column.
func (t *tabular) besideSide() g.Node {
	t.fit(windows[1:])
	return t.node()
}

// besideTwo returns a table between two columns; nil for none. It has as much room there as in a window of 721 pixels.
func (t *tabular) besideTwo() g.Node {
	if t == nil {
		return nil
	}
	t.fit(windows[2:])
	return t.node()
}

// atSide returns a table in the side column.
func (t *tabular) atSide() g.Node {
	t.fitSide()
	return t.node()
}

// fitSide selects the layout of a table in the side column. One that does not fit there at all has cards in each window.
func (t *tabular) fitSide() {
	exact, short, shortest := t.fit(windows)
	switch {
	case shortest > sideRoom:
		t.Layout = "tnone" + t.Layout[strings.Index(t.Layout, " "):]
	case short > sideRoom:
		t.Layout += " sfirst"
	case exact > sideRoom:
		t.Layout += " sminor"
	}
}

// fitsBesideChart reports whether a table with exact amounts has room beside a chart in a wide window.
func (t *tabular) fitsBesideChart() bool {
	width := 0
	for i := range t.Heads {
		exact, _, _ := t.width(i)
		width += exact
	}
	return len(t.Rows) == 0 || width <= sumRoom
}

// fit selects the layout of a table from the lengths of its cells: exact amounts if they all fit, otherwise those after
// the first cut to six decimals, then all of them cut, otherwise cards. None is hidden. It returns the widths of these three.
func (t *tabular) fit(windows []window) (exact, short, shortest int) {
	if len(t.Rows) == 0 {
		return 0, 0, 0
	}
	first := true
	for i := range t.Heads {
		full, cut, long := t.width(i)
		exact, shortest = exact+full, shortest+cut
		if long {
			t.mark(i, "long")
		}
		if full > cut && first {
			cut, first = full, false
			t.mark(i, "first")
		} else if full > cut {
			t.mark(i, "minor")
		}
		short += cut
	}
	t.Layout = "t" + least(windows, shortest) + " f" + least(windows, short) + " e" + least(windows, exact) + " " + paper(exact)
	return exact, short, shortest
}

// Widths of a table, in the size of the screen, that fits on A4 paper in the smaller sizes of print.
const (
	portraitRoom  = 980
	landscapeRoom = 1700
)

// paper returns the class of a table on paper, where amounts are exact. A table that does not fit has cards.
func paper(exact int) string {
	switch {
	case exact <= portraitRoom:
		return "portrait"
	case exact <= landscapeRoom:
		return "landscape"
	}
	return "cards"
}

// least returns the class of the smallest window for a table of some width.
func least(windows []window, width int) string {
	class := "none"
	for _, w := range windows {
		if width <= w.room {
			class = w.class
		}
	}
	return class
}

// mark adds a class to the cells of a column.
func (t *tabular) mark(column int, class string) {
	for _, row := range slices.Concat(t.Rows, [][]cell{t.Totals}) {
		if column < len(row) {
			row[column].Class = strings.TrimSpace(row[column].Class + " " + class)
		}
	}
}

// width returns the width of a column with its amounts exact and with them cut, and whether its text is wrapped.
func (t *tabular) width(column int) (exact, cut int, long bool) {
	h := &t.Heads[column]
	widest := 0.0
	for word := range strings.FieldsSeq(h.Text) {
		widest = max(widest, float64(utf8.RuneCountInString(word))*headWidth)
	}
	if h.To != "" {
		widest += sortArrow
	}
	full, less := widest, widest
	for _, row := range slices.Concat(t.Rows, [][]cell{t.Totals}) {
		if column >= len(row) {
			continue
		}
		c := &row[column]
		if c.Field != nil {
			full, less = max(full, fieldWidth), max(less, fieldWidth)
			continue
		}
		n := utf8.RuneCountInString(c.Text)
		if c.isDigits() {
			head, tail, zeros := c.digits()
			groups := float64(n/3) * 2.3
			full = max(full, float64(max(n, len(head)+len(tail)+len(zeros)))*digitWidth+groups)
			less = max(less, float64(len(head)+1)*digitWidth+groups)
			continue
		}
		if n > longText && c.Time == "" {
			n, long = longText, true
		}
		if c.Class == "ok" || strings.HasPrefix(c.Class, "verdict ") {
			n += 2 // for the mark
		}
		full, less = max(full, float64(n)*charWidth), max(less, float64(n)*charWidth)
	}
	return int(full) + padding, int(less) + padding, long
}
