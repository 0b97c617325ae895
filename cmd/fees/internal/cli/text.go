package cli

import (
	"fmt"
	"io"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// MaxName limits external names in tables, in characters.
const MaxName = 48

// Name returns an external name, cut to maxLen characters.
func Name(text string, maxLen int) string {
	return console.Cut(plain.Line(text), maxLen)
}

// NotKnown is shown for a total with an unknown part.
const NotKnown = "not known"

// Say writes a line, wrapped to the width. Do not use it for command lines, which people copy.
func Say(w io.Writer, format string, values ...any) error {
	page := console.NewPage(w, WidthOf(w))
	page.Line(fmt.Sprintf(format, values...), 2)
	return page.Flush()
}
