package console

import (
	"bufio"
	"io"
)

// Page is text for a terminal of some width.
type Page struct {
	*bufio.Writer
	Width   int
	colours bool
}

// NewPage returns a page that is written to w when it is flushed.
func NewPage(w io.Writer, width int) *Page {
	return &Page{bufio.NewWriter(w), width, seesColours(w)}
}

// coloured marks a writer that displays colors.
type coloured struct{ io.Writer }

// Coloured returns a writer that displays colors. Other writers get no color codes.
func Coloured(w io.Writer) io.Writer { return coloured{w} }

func seesColours(w io.Writer) bool {
	switch w := w.(type) {
	case coloured:
		return true
	case *Page:
		return w.colours
	}
	return false
}

// Line writes a printable line, wrapped to the width, with continuation lines indented by indent spaces.
func (p *Page) Line(line string, indent int) { WriteWrapped(p, line, indent, p.Width) }

// Notes writes notes, after an empty line if there are any.
func (p *Page) Notes(notes []string) {
	for i, note := range notes {
		if i == 0 {
			p.WriteString("\n")
		}
		p.Line("note: "+note, 2)
	}
}
