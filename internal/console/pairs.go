package console

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Pairs are names with what stands beside them, one below the other.
type Pairs []Pair

// Pair is a name with what stands beside it.
type Pair struct{ Name, Text string }

// Add adds a pair; what is "" is left out.
func (p *Pairs) Add(name, text string) {
	if text != "" {
		*p = append(*p, Pair{Printable(name), Printable(text)})
	}
}

// hashLength is how long a hash is as text.
const hashLength = 66

// besideFrom is the width from which a text stands beside its name.
const besideFrom = 60

// Pairs writes pairs. A hash that has no room beside its name stands below it, and what has
// no room there is shortened in its middle.
func (p *Page) Pairs(pairs Pairs) {
	column := 0
	for _, pair := range pairs {
		column = max(column, text.StringWidthWithoutEscSequences(pair.Name)+2)
	}
	for _, pair := range pairs {
		p.pair(pair, column)
	}
}

func (p *Page) pair(pair Pair, column int) {
	isWord := !strings.Contains(pair.Text, " ")
	width := text.StringWidthWithoutEscSequences(pair.Text)
	switch {
	case width <= p.Width-column && p.Width >= besideFrom:
		p.WriteString(pair.Name + strings.Repeat(" ", column-text.StringWidthWithoutEscSequences(pair.Name)) + p.Verdict(pair.Text) + "\n")
	case isWord && width <= hashLength:
		p.WriteString(pair.Name + "\n")
		p.WriteString("  ")
		p.Line(Fitting(pair.Text, p.Width-2), 2)
	case p.Width < besideFrom:
		p.WriteString(pair.Name + "\n  ")
		p.Line(pair.Text, 2)
	default:
		p.WriteString(pair.Name + strings.Repeat(" ", column-text.StringWidthWithoutEscSequences(pair.Name)))
		p.Line(pair.Text, column)
	}
}
