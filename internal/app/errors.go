package app

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// KindOf tells what an error means to the person who asked; "" of none. A database that refuses
// something for a moment is busy.
func KindOf(err error) failure.Kind {
	if ledger.Passes(err) {
		err = errors.Join(err, ledger.ErrAway)
	}
	return failure.Of(err)
}

// is tells whether an error is one of several.
func is(errs ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(errs, func(target error) bool { return errors.Is(err, target) })
	}
}

// as tells whether an error has one of a type.
func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// ErrUnanswered says that an answer is there, without what a gateway did not answer for
// now. It holds as far as it goes.
var ErrUnanswered = failure.New(failure.Unanswered, "not answered")

// LedgerError is what a ledger says, with where it is.
type LedgerError struct {
	Place string // as it may be shown
	Err   error
}

func (e *LedgerError) Error() string {
	if errors.Is(e.Err, ledger.ErrNone) && errors.Is(e.Err, fs.ErrNotExist) {
		return "no ledger at " + e.Place
	}
	return fmt.Sprintf("ledger %s: %s", e.Place, strings.TrimPrefix(e.Err.Error(), e.Place+": "))
}

// Unwrap is what the ledger said.
func (e *LedgerError) Unwrap() error { return e.Err }

// NotHeldError says that a ledger lacks a part of a period.
type NotHeldError struct {
	Period string                        // its name
	Lacks  []string                      // for people; none where the ledger has no block of it
	Has    string                        // what it has, for people; "" where nothing is sealed
	Fill   chain.Optional[chain.Heights] // of a period of heights: what the ledger lacks up to there
	// Compared is the period as a person names it where it is not the one that was asked for,
	// but one that is compared with it.
	Compared chain.Optional[PeriodInput]
}

// Kind is [failure.NotCovered].
func (*NotHeldError) Kind() failure.Kind { return failure.NotCovered }

func (e *NotHeldError) Error() string {
	switch {
	case len(e.Lacks) == 0 && e.Has != "":
		return "it has no block of " + e.Period + ": it has " + e.Has
	case len(e.Lacks) == 0:
		return "it has no block of " + e.Period
	}
	return e.Period + " is not there as a whole: " + strings.Join(e.Lacks, "; ")
}

// WithoutLedgerError says that a question needs a ledger, and was asked of a source. It is of an
// [InputError].
type WithoutLedgerError struct {
	Err    error
	Blocks chain.Optional[chain.Heights] // that the ledger would need, where the question does not name them
}

func (e *WithoutLedgerError) Error() string { return e.Err.Error() }

// Unwrap is the error that it is of.
func (e *WithoutLedgerError) Unwrap() error { return e.Err }

// NotThereError says that there is no such block or transaction.
type NotThereError struct {
	Message string
	Lacks   chain.Optional[Lacks] // where it may be in blocks that the ledger can be filled with
}

// Lacks are the blocks that a ledger does not have.
type Lacks struct {
	Gap   chain.Optional[chain.Heights] // the first between those that it has
	After chain.Optional[uint64]        // the newest that it has; not known where it has none
}

// Kind is [failure.NotFound].
func (*NotThereError) Kind() failure.Kind { return failure.NotFound }

func (e *NotThereError) Error() string { return e.Message }

// InputError says what of a question is not understood. Those of its Args that are of type
// [Field] name the parts of the question that are meant.
type InputError struct {
	Format string // of package fmt
	Args   []any
}

// Kind is [failure.NotUnderstood].
func (*InputError) Kind() failure.Kind { return failure.NotUnderstood }

func (e *InputError) Error() string { return fmt.Sprintf(e.Format, e.Args...) }

// Naming is the message with other names for the fields, such as those of flags.
func (e *InputError) Naming(name func(Field) string) string {
	args := make([]any, len(e.Args))
	for i, arg := range e.Args {
		if f, ok := arg.(Field); ok {
			arg = name(f)
		}
		args[i] = arg
	}
	return fmt.Sprintf(e.Format, args...)
}

func notUnderstood(format string, args ...any) error { return &InputError{format, args} }
