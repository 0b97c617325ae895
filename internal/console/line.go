package console

import (
	"io"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Printable is text in one line, without the control characters that whoever sent
// it may have put there, and without marks that turn the direction of text. Line
// breaks and tabs are spaces; what is no UTF-8 is U+FFFD.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.C, r):
			return -1
		}
		return r
	}, text)
}

// narrowest is the width below which lines are not wrapped.
const narrowest = 20

// WriteWrapped writes a printable line in at most width columns, with indent spaces
// before all but the first part of it. What stands before the first part is at most as
// wide.
func WriteWrapped(out io.StringWriter, line string, indent, width int) {
	line = Printable(line)
	if room := max(width, narrowest) - indent; room < text.StringWidthWithoutEscSequences(line) {
		line = strings.ReplaceAll(text.WrapSoft(line, room), "\n", "\n"+strings.Repeat(" ", indent))
	}
	for part := range strings.Lines(line + "\n") {
		out.WriteString(strings.TrimRight(part, " \n") + "\n")
	}
}
