package console

import (
	"bufio"
	"io"
)

// Page is text for people, of a width.
type Page struct {
	*bufio.Writer
	Width   int
	colours bool
}

// NewPage is written to w when it is flushed.
func NewPage(w io.Writer, width int) *Page {
	return &Page{bufio.NewWriter(w), width, seesColours(w)}
}

// coloured is a writer whose reader sees colours.
type coloured struct{ io.Writer }

// Coloured is a writer whose reader sees colours. What is written to any other has none.
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

// Line writes a printable line, with indent spaces before all but the first part of it.
func (p *Page) Line(line string, indent int) { WriteWrapped(p, line, indent, p.Width) }
