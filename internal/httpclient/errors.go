package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/feeledger/fees/internal/failure"
)

// Place is who is asked, as errors show it.
type Place struct {
	What    string // [Gateway] or [Node]
	Address string // without credentials, path and query, where some providers have a key
}

// What a place can be.
const (
	Gateway = "gateway"
	Node    = "node"
)

func (p Place) String() string { return "the " + p.What + " at " + p.Address }

// StatusError is an answer with another status than was wanted: 2xx, or 101 for a
// WebSocket.
type StatusError struct {
	Place      Place
	Path       string // that was asked for, "" where all questions have the same
	Code       int
	Message    string        // that came with it, "" if none did
	RetryAfter time.Duration // how long the place wants to be left alone, 0 if it does not say
}

// Kind is [failure.Unanswered].
func (*StatusError) Kind() failure.Kind { return failure.Unanswered }

func (e *StatusError) Error() string {
	text := e.Place.String() + " answers with"
	if e.Path != "" {
		text = "GET " + e.Path + ":"
	}
	text += strings.TrimSuffix(fmt.Sprintf(" status %d %s", e.Code, http.StatusText(e.Code)), " ")
	if e.Message != "" {
		text += ": " + oneLine(e.Message)
	}
	return text
}

// UnreachableError says that no answer came: the place could not be reached, broke off, or
// took too long.
type UnreachableError struct {
	Place Place
	Err   error
}

// Kind is [failure.Unanswered].
func (*UnreachableError) Kind() failure.Kind { return failure.Unanswered }

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from %v: %s", e.Place, oneLine(e.Err.Error()))
}

func (e *UnreachableError) Unwrap() error { return e.Err }

var (
	// ErrTooLarge says that an answer has more bytes than it may have.
	ErrTooLarge = errors.New("the answer is larger than any block should be")
	// ErrNotJSON says that an answer is something else, such as a web page.
	ErrNotJSON = failure.New(failure.Unanswered, "not JSON")

	errRedirect  = errors.New("it redirects")
	errBrokenOff = errors.New("it broke the connection off")
)

// UnusableError reports an answer that is not one to the question.
type UnusableError struct{ Err error }

func (e *UnusableError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the answer.
func (e *UnusableError) Unwrap() error { return e.Err }

// InterruptedError is an error that ended work which the same command continues.
type InterruptedError struct {
	Next uint64 // the height at which it continues
	Err  error
}

func (e *InterruptedError) Error() string { return e.Err.Error() }

// Unwrap returns what ended the work.
func (e *InterruptedError) Unwrap() error { return e.Err }

// TimeoutError is what ends an attempt or a question that takes longer than it may.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out: it took longer than %v", e.Limit)
}

// Unwrap makes it the end of a time like any other.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// timeOverError is the last error of a question that was asked until its time was over.
type timeOverError struct{ error }

func (e *timeOverError) Unwrap() error { return e.error }

// TimedOut tells whether no answer came in all the time that a question has. Who asks
// another one will wait as long again.
func TimedOut(err error) bool {
	var unreachable *UnreachableError
	return errors.As(err, new(*timeOverError)) || errors.As(err, &unreachable) && errors.Is(err, context.DeadlineExceeded)
}

// maxMessage is more than any honest message of the network has.
const maxMessage = 400

// oneLine is a message that may quote what came over the network, controls of a
// terminal included, cut to one line of bounded length.
func oneLine(message string) string {
	if len(message) > maxMessage {
		message = message[:maxMessage] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, message)
}
