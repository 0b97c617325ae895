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

// KindOf returns what an error means to the user, "" for nil. A database that temporarily refuses
// a change counts as busy.
func KindOf(err error) failure.Kind {
	if ledger.IsTransient(err) {
		err = errors.Join(err, ledger.ErrAway)
	}
	return failure.Of(err)
}

// is returns a function that reports whether an error matches any of the targets.
func is(errs ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(errs, func(target error) bool { return errors.Is(err, target) })
	}
}

// as reports whether the chain of an error contains the type E.
func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// ErrUnanswered reports that an answer is incomplete: a gateway did not answer all requests. The rest of
// the answer is valid.
var ErrUnanswered = failure.New(failure.Unanswered, "not answered")

// LedgerError adds the ledger's location to an error.
type LedgerError struct {
	Place string // without credentials
	Err   error
}

func (e *LedgerError) Error() string {
	if errors.Is(e.Err, ledger.ErrNone) && errors.Is(e.Err, fs.ErrNotExist) {
		return "no ledger at " + e.Place
	}
	return fmt.Sprintf("ledger %s: %s", e.Place, strings.TrimPrefix(e.Err.Error(), e.Place+": "))
}

// Unwrap returns the ledger's error.
func (e *LedgerError) Unwrap() error { return e.Err }

// NotHeldError reports that a ledger lacks part of a period.
type NotHeldError struct {
	Period string                        // its name
	Lacks  []string                      // what is missing, for the message; empty if the ledger has no block of the period
	Has    string                        // what the ledger contains, for the message; "" if nothing is sealed
	Fill   chain.Optional[chain.Heights] // for a period of heights: the blocks to add
	// Compared is the other period of a comparison, as the user named it, if that is the period that is missing.
	Compared chain.Optional[PeriodInput]
}

// Kind returns [failure.NotCovered].
func (*NotHeldError) Kind() failure.Kind { return failure.NotCovered }

func (e *NotHeldError) Error() string {
	switch {
	case len(e.Lacks) == 0 && e.Has != "":
		return "no blocks of " + strings.TrimPrefix(e.Period, "blocks ") + "; the ledger contains " + e.Has
	case len(e.Lacks) == 0:
		return "no blocks of " + strings.TrimPrefix(e.Period, "blocks ")
	}
	return e.Period + " is incomplete, missing " + strings.Join(e.Lacks, ", and ")
}

// WithoutLedgerError reports that a request needs a ledger but names a source. It wraps an [InputError].
type WithoutLedgerError struct {
	Err    error
	Blocks chain.Optional[chain.Heights] // that the ledger needs, if the request does not state them
}

func (e *WithoutLedgerError) Error() string { return e.Err.Error() }

// Unwrap returns the input error.
func (e *WithoutLedgerError) Unwrap() error { return e.Err }

// NotThereError reports that a block or transaction does not exist.
type NotThereError struct {
	Message string
	Lacks   chain.Optional[Lacks] // the blocks missing from the ledger, if they may contain it
}

// Lacks describes the blocks that a ledger lacks.
type Lacks struct {
	Gap   chain.Optional[chain.Heights] // the first gap
	After chain.Optional[uint64]        // the newest block; unknown if the ledger is empty
}

// Kind returns [failure.NotFound].
func (*NotThereError) Kind() failure.Kind { return failure.NotFound }

func (e *NotThereError) Error() string { return e.Message }

// InputError reports invalid input. Args of type [Field] name the fields concerned.
type InputError struct {
	Format string // of package fmt
	Args   []any
}

// Kind returns [failure.NotUnderstood].
func (*InputError) Kind() failure.Kind { return failure.NotUnderstood }

func (e *InputError) Error() string { return fmt.Sprintf(e.Format, e.Args...) }

// Naming returns the message with other names for the fields, such as those of flags.
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
