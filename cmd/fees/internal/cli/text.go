package cli

import (
	"fmt"
	"io"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// MostName is how long a name from outside may be in a table.
const MostName = 48

// Name is a name from outside, cut to a length.
func Name(text string, most int) string {
	return console.Cut(console.Printable(text), most)
}

// NotKnown stands for a sum with a part that is not known.
const NotKnown = "not known"

// Known is the value as text, or nothing.
func Known[T any](o chain.Optional[T]) string {
	value, ok := o.Get()
	if !ok {
		return ""
	}
	return fmt.Sprint(value)
}

// Say writes a line, wrapped where it does not fit. A line with a command in it is not for this:
// people copy it.
func Say(w io.Writer, format string, values ...any) error {
	page := console.NewPage(w, WidthOf(w))
	page.Line(fmt.Sprintf(format, values...), 2)
	return page.Flush()
}
