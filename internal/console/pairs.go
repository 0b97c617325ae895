package console

import (
	"strings"

	"github.com/feeledger/fees/internal/sys/plain"
)

// Pairs are lines of a name and a text.
type Pairs []Pair

// Pair is a name with its text.
type Pair struct{ Name, Text string }

// Add adds a pair unless text is empty.
func (p *Pairs) Add(name, text string) {
	if text != "" {
		*p = append(*p, Pair{plain.Line(name), plain.Line(text)})
	}
}

// hashLength is the length of a hash as text.
const hashLength = 66

// besideFrom is the minimum width at which a text stands next to its name.
const besideFrom = 60

// Pairs writes pairs. A hash that does not fit next to its name stands below it, shortened in the middle
// if necessary.
func (p *Page) Pairs(pairs Pairs) {
	column := 0
	for _, pair := range pairs {
		column = max(column, widthOf(pair.Name)+2)
	}
	for _, pair := range pairs {
		p.pair(pair, column)
	}
}

func (p *Page) pair(pair Pair, column int) {
	isWord := !strings.Contains(pair.Text, " ")
	width := widthOf(pair.Text)
	switch {
	case width <= p.Width-column && p.Width >= besideFrom:
		p.WriteString(pair.Name + strings.Repeat(" ", column-widthOf(pair.Name)) + p.Verdict(pair.Text) + "\n")
	case isWord && width <= hashLength:
		p.WriteString(pair.Name + "\n")
		p.WriteString("  ")
		p.Line(Fitting(pair.Text, p.Width-2), 2)
	case p.Width < besideFrom:
		p.WriteString(pair.Name + "\n  ")
		p.Line(pair.Text, 2)
	default:
		p.WriteString(pair.Name + strings.Repeat(" ", column-widthOf(pair.Name)))
		p.Line(pair.Text, column)
	}
}
