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

// Place identifies a server, as errors show it.
type Place struct {
	What    string // [Gateway] or [Node]
	Address string // without credentials, path and query, which may contain a key
}

// The kinds of servers.
const (
	Gateway = "gateway"
	Node    = "node"
)

func (p Place) String() string { return "the " + p.What + " at " + p.Address }

// StatusError reports an unexpected status: neither 2xx nor, for a WebSocket, 101.
type StatusError struct {
	Place      Place
	Path       string // of the request, "" if all requests have the same path
	Code       int
	Message    string        // from the body; may be ""
	RetryAfter time.Duration // from the header, 0 if absent
}

// Kind returns [failure.Unanswered].
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

// UnreachableError reports that no answer came: the connection failed, was closed, or timed out.
type UnreachableError struct {
	Place Place
	Err   error
}

// Kind returns [failure.Unanswered].
func (*UnreachableError) Kind() failure.Kind { return failure.Unanswered }

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from %v: %s", e.Place, oneLine(e.Err.Error()))
}

func (e *UnreachableError) Unwrap() error { return e.Err }

var (
	// ErrTooLarge reports an answer above the size limit.
	ErrTooLarge = errors.New("the answer is larger than any block should be")
	// ErrNotJSON reports an answer that is not JSON, such as a web page.
	ErrNotJSON = failure.New(failure.Unanswered, "not JSON")

	errRedirect  = errors.New("it redirects")
	errBrokenOff = errors.New("it closed the connection")
)

// UnusableError reports an answer that does not fit the request.
type UnusableError struct{ Err error }

func (e *UnusableError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UnusableError) Unwrap() error { return e.Err }

// InterruptedError wraps an error that interrupted work; the same command continues it.
type InterruptedError struct {
	Next uint64 // the height where the work continues
	Err  error
}

func (e *InterruptedError) Error() string { return e.Err.Error() }

// Unwrap returns what ended the work.
func (e *InterruptedError) Unwrap() error { return e.Err }

// TimeoutError reports an attempt or request that exceeded its time limit.
type TimeoutError struct{ Limit time.Duration }

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out after %v", e.Limit)
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// timeOverError is the last error of a request that was retried until its time was over.
type timeOverError struct{ error }

func (e *timeOverError) Unwrap() error { return e.error }

// TimedOut reports whether a request used up all of its time without an answer. The next request may wait just as
// long.
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
