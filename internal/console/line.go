package console

import (
	"io"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Printable returns untrusted text as one line, without control characters and direction marks. Line
// breaks and tabs become spaces, invalid UTF-8 becomes U+FFFD.
func Printable(text string) string {
	if isPlain(text) {
		return text
	}
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

// isPlain reports whether all characters are printable ASCII.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// widthOf returns the number of columns that a text takes.
func widthOf(s string) int {
	if isPlain(s) {
		return len(s)
	}
	return text.StringWidthWithoutEscSequences(s)
}

// narrowest is the minimum width for wrapping, in columns.
const narrowest = 20

// Wrapped returns a printable line wrapped to width columns. Continuation lines are indented by indent spaces;
// the first one follows at most that much.
func Wrapped(line string, indent, width int) string {
	line = Printable(line)
	if limit := max(width, narrowest) - indent; limit < widthOf(line) {
		line = strings.ReplaceAll(text.WrapSoft(line, limit), "\n", "\n"+strings.Repeat(" ", indent))
	}
	lines := strings.Split(line, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// WriteWrapped writes a line [Wrapped] to width columns, and a line break.
func WriteWrapped(out io.StringWriter, line string, indent, width int) {
	out.WriteString(Wrapped(line, indent, width) + "\n")
}
