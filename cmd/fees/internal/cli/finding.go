package cli

import (
	"errors"
	"slices"

	"github.com/feeledger/fees/desk"
)

// ErrFinding says that a result was shown in which something does not hold. The
// result itself says what.
var ErrFinding = errors.New("something does not hold")

// renamed is an error in which a field of a question has another name.
func renamed(err error, field desk.Field, name string) error {
	var input *desk.InputError
	if !errors.As(err, &input) {
		return err
	}
	args := slices.Clone(input.Args)
	for i := range args {
		if args[i] == field {
			args[i] = desk.Field(name)
		}
	}
	return &desk.InputError{Format: input.Format, Args: args}
}
