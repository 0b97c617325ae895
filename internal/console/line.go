package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/plain"
)

// widthOf returns the number of columns that a text takes.
func widthOf(s string) int {
	if plain.IsASCII(s) {
		return len(s)
	}
	return text.StringWidthWithoutEscSequences(s)
}

// narrowest is the minimum width for wrapping, in columns.
const narrowest = 20

// Wrapped returns a printable line wrapped to width columns. Continuation lines are indented by indent spaces;
// the first one follows at most that much.
func Wrapped(line string, indent, width int) string {
	line = plain.Line(line)
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

// Known returns a value as text, "" if it is unknown.
func Known[T any](o chain.Optional[T]) string {
	value, ok := o.Get()
	if !ok {
		return ""
	}
	return fmt.Sprint(value)
}
