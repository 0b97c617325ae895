package rpc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
)

// ErrNoMethod reports that the node does not have the called method. The node's *[RPCError] matches it.
var ErrNoMethod = errors.New("no such method")

// ErrNoSubscriptions reports that HTTP does not support subscriptions.
var ErrNoSubscriptions = errors.New("subscriptions need a ws:// or wss:// address")

// ErrClosed reports that the client was closed.
var ErrClosed = errors.New("the client is closed")

// RPCError is a node's refusal of a call: the error member of its answer.
type RPCError struct {
	Method  string                // the called method; "" if the node could not read the request
	Code    chain.Optional[int64] // from the node; may be unknown
	Message string                // from the node
	Data    jsonscan.Value        // details from the node; may be absent
}

// Kind returns [failure.Unanswered].
func (*RPCError) Kind() failure.Kind { return failure.Unanswered }

func (e *RPCError) Error() string {
	var text strings.Builder
	if e.Method != "" {
		text.WriteString(e.Method + ": ")
	}
	text.WriteString("the node refuses: " + e.words())
	if code, ok := e.Code.Get(); ok {
		fmt.Fprintf(&text, " (code %d)", code)
	}
	return text.String()
}

// words returns the message and the details.
func (e *RPCError) words() string {
	words := jsonscan.Excerpt(e.Message)
	if reason, ok := e.Data.Text(); ok {
		words += ": " + jsonscan.Excerpt(reason)
	}
	return words
}

// hide removes the client's secrets from the node's message.
func (e *RPCError) hide(c *httpclient.Client) {
	e.Message = c.WithoutSecrets(e.Message)
	if data, err := jsonscan.Parse(c.WithoutSecrets(e.Data.Raw())); err == nil {
		e.Data = data
	}
}

// Refused implements [httpclient.Refusal].
func (e *RPCError) Refused() (code int64, text string) {
	code, _ = e.Code.Get()
	return code, e.words()
}

// methodNotFound is the code of JSON-RPC 2.0. The recorded node sends it over a WebSocket; over HTTP it sends only the
// message.
const methodNotFound = -32601

// Is matches [ErrNoMethod].
func (e *RPCError) Is(target error) bool {
	code, known := e.Code.Get()
	if target != ErrNoMethod {
		return false
	}
	return known && code == methodNotFound || !known && strings.HasPrefix(e.Message, "Method not found")
}

// DecodeError reports an answer that does not have the expected form.
type DecodeError struct {
	What string // the answer: "header", "fee history"; "answer" if it is not JSON-RPC
	Err  error  // names the field, or the position in the text
}

// Kind returns [failure.Unanswered].
func (*DecodeError) Kind() failure.Kind { return failure.Unanswered }

func (e *DecodeError) Error() string { return fmt.Sprintf("malformed %s: %v", e.What, e.Err) }

func (e *DecodeError) Unwrap() error { return e.Err }
