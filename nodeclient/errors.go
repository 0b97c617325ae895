package nodeclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// ErrNoMethod says that the node does not have the method that was called. It is
// found in the *[RPCError] with which the node said so.
var ErrNoMethod = errors.New("no such method")

// ErrNotJSON says that an answer is something else, such as a web page.
var ErrNotJSON = errors.New("not JSON")

// ErrFork says that a node's finalized chain no longer has a header that it had:
// it is another chain's node now, or was started anew.
var ErrFork = errors.New("the finalized chain is not the one that was followed")

// ErrNoSubscriptions says that the node is asked over HTTP, which has none.
var ErrNoSubscriptions = errors.New("subscriptions need a ws:// or wss:// address")

// ErrClosed says that the client was closed.
var ErrClosed = errors.New("the client is closed")

// RPCError is the node's refusal of a call: the error member of its answer.
type RPCError struct {
	Method  string                // that was called, "" where the node could not read what
	Code    chain.Optional[int64] // as the node gave it, if it did
	Message string                // the node's own
	Data    wire.Value            // what the node added, absent if nothing
}

func (e *RPCError) Error() string {
	var text strings.Builder
	if e.Method != "" {
		text.WriteString(e.Method + ": ")
	}
	text.WriteString("the node refuses: " + wire.Excerpt(e.Message))
	if reason, ok := e.Data.Text(); ok {
		text.WriteString(": " + wire.Excerpt(reason))
	}
	if code, ok := e.Code.Get(); ok {
		fmt.Fprintf(&text, " (code %d)", code)
	}
	return text.String()
}

// methodNotFound is the code of JSON-RPC 2.0. The recorded node sends it over a
// WebSocket; over HTTP it sends the message alone.
const methodNotFound = -32601

// Is finds [ErrNoMethod].
func (e *RPCError) Is(target error) bool {
	code, known := e.Code.Get()
	if target != ErrNoMethod {
		return false
	}
	return known && code == methodNotFound || !known && strings.HasPrefix(e.Message, "Method not found")
}

// StatusError is an answer over HTTP with a status other than 2xx, or to the
// request for a WebSocket with a status other than 101.
type StatusError struct {
	Node       string // its address, without path and credentials
	Code       int
	Message    string        // the node's own, "" if it gave none
	RetryAfter time.Duration // how long the node wants to be left alone, 0 if it does not say
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the node at %s answers with status %d %s", e.Node, e.Code, http.StatusText(e.Code))
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// UnreachableError says that no answer came: the node could not be reached,
// broke off, or took too long.
type UnreachableError struct {
	Node string // its address, without path and credentials
	Err  error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from the node at %s: %v", e.Node, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// DecodeError says that an answer is not what it should be.
type DecodeError struct {
	What string // the answer: "header", "fee history"; "answer" where it is no JSON-RPC answer
	Err  error  // names the field, or the place in the text
}

func (e *DecodeError) Error() string { return fmt.Sprintf("malformed %s: %v", e.What, e.Err) }

func (e *DecodeError) Unwrap() error { return e.Err }

// timeoutError is what ends a call that took longer than it may.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("timed out after %v", e.after) }

func (e *timeoutError) Unwrap() error { return context.DeadlineExceeded }
