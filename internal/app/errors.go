package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/closing/timestamp"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/dataset"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Kind is what an error means to who asked.
type Kind string

// The kinds of errors.
const (
	// NotUnderstood is a question that says nothing, contradicts itself or the ledger, or asks for
	// more than one answer can have.
	NotUnderstood Kind = "not understood"
	// NotFound is a ledger, a block or a transaction that is not there.
	NotFound Kind = "not found"
	// NotCovered is a period of which the ledger, or an archive, lacks a part.
	NotCovered Kind = "not covered"
	// Busy is a ledger that another program writes, or a database that is away: the same
	// question may be answered a moment later.
	Busy Kind = "busy"
	// Damaged is a ledger, an archive or a package that is not what was written.
	Damaged Kind = "damaged"
	// Unanswered is a gateway or a node that does not answer, or wrongly.
	Unanswered Kind = "unanswered"
	// DoesNotHold is an answer that would be wrong: the figures contradict each other.
	DoesNotHold Kind = "does not hold"
	// Stopped is a question that was given up by who asked.
	Stopped Kind = "stopped"
	// Failed is all else, such as a disk that is full.
	Failed Kind = "failed"
)

// KindOf tells what an error means to who asked; "" of none.
func KindOf(err error) Kind {
	for _, k := range kinds {
		if err != nil && k.has(err) {
			return k.kind
		}
	}
	if err == nil {
		return ""
	}
	return Failed
}

// kinds are tried in this order: the first that has an error says what it is.
var kinds = []struct {
	kind Kind
	has  func(error) bool
}{
	{Stopped, is(context.Canceled)},
	{Failed, func(err error) bool { return FullDisk(err) }},
	{NotUnderstood, either(as[*InputError], as[*report.TooManyGroupsError], as[*money.MissingError], is(ledger.ErrOtherChain, network.ErrConflict, network.ErrUnknownNetwork, ErrNoTable))},
	{Damaged, is(ledger.ErrDamaged, answers.ErrDamaged, proofs.ErrDamaged, closing.ErrDamaged, dataset.ErrDamaged)},
	{NotCovered, either(as[*NotHeldError], is(chain.ErrNotKept, reconcile.ErrNotCovered, ledger.ErrNoCut))},
	{Busy, either(is(ledger.ErrLocked, ledger.ErrLost, ledger.ErrAway, ledger.ErrDetached, ledger.ErrExtended, journal.ErrChanged, dataset.ErrHeld), ledger.Passes)},
	{NotFound, either(as[*NotThereError], is(ledger.ErrNone, chain.ErrNoBlock))},
	{DoesNotHold, either(as[*ledger.DiffersError], as[*ledger.DisorderError], as[*journal.DifferenceError], as[*dataset.DiffersError], is(journal.ErrUnknown, ErrDied))},
	{Unanswered, either(
		as[*ledger.ForkError], as[*httpclient.UnreachableError], as[*httpclient.StatusError], as[*sidecar.DecodeError], as[*rpc.DecodeError], as[*rpc.RPCError],
		is(chain.ErrNotOffered, chain.ErrWrongBlock, chain.ErrCannotTell, httpclient.ErrNotJSON, ErrUnanswered, timestamp.ErrNoAnswer, source.ErrNotFinal, answers.ErrNotFinal,
			proofs.ErrNotFinal,
			chain.ErrOverflow), // amounts that no chain can have
	)},
}

func is(errs ...error) func(error) bool {
	return func(err error) bool {
		for _, target := range errs {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
}

func as[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

func either(tests ...func(error) bool) func(error) bool {
	return func(err error) bool {
		for _, test := range tests {
			if test(err) {
				return true
			}
		}
		return false
	}
}

// FullDisk tells whether a disk took no more, or broke.
func FullDisk(err error) bool {
	return is(syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO)(err)
}

// ErrUnanswered says that an answer is there, without what a gateway did not answer for
// now. It holds as far as it goes.
var ErrUnanswered = errors.New("not answered")

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
	Period string                      // its name
	Lacks  []string                    // for people; none where the ledger has no block of it
	Has    string                      // what it has, for people; "" where nothing is sealed
	Fill   chain.Optional[ledger.Span] // of a period of heights: what the ledger lacks up to there
	// Compared is the period as a person names it where it is not the one that was asked for,
	// but one that is compared with it.
	Compared chain.Optional[PeriodInput]
}

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
	Blocks chain.Optional[ledger.Span] // that the ledger would need, where the question does not name them
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
	Gap   chain.Optional[ledger.Span] // the first between those that it has
	After chain.Optional[uint64]      // the newest that it has; not known where it has none
}

func (e *NotThereError) Error() string { return e.Message }

// Field is a part of a question, by its name.
type Field string

// The fields of questions that an [InputError] can name.
const (
	FieldMonth       Field = "month"
	FieldYear        Field = "year"
	FieldFrom        Field = "from"
	FieldTo          Field = "to"
	FieldTimezone    Field = "timezone"
	FieldBlock       Field = "block"
	FieldAccounts    Field = "accounts"
	FieldProgram     Field = "as"
	FieldWith        Field = "with"
	FieldNames       Field = "names"
	FieldLabels      Field = "labels"
	FieldLedger      Field = "ledger"
	FieldPrices      Field = "prices"
	FieldFiat        Field = "fiat"
	FieldNetworkFile Field = "network-file"
)

// InputError says what of a question is not understood. Those of its Args that are of type
// [Field] name the parts of the question that are meant.
type InputError struct {
	Format string // of package fmt
	Args   []any
}

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
