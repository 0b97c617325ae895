package cli

import (
	"fmt"

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
