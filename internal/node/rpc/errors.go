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

// ErrNoMethod says that the node does not have the method that was called. It is
// found in the *[RPCError] with which the node said so.
var ErrNoMethod = errors.New("no such method")

// ErrNoSubscriptions says that the node is asked over HTTP, which has none.
var ErrNoSubscriptions = errors.New("subscriptions need a ws:// or wss:// address")

// ErrClosed says that the client was closed.
var ErrClosed = errors.New("the client is closed")

// RPCError is the node's refusal of a call: the error member of its answer.
type RPCError struct {
	Method  string                // that was called, "" where the node could not read what
	Code    chain.Optional[int64] // as the node gave it, if it did
	Message string                // the node's own
	Data    jsonscan.Value        // what the node added, absent if nothing
}

// Kind is [failure.Unanswered].
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

// words are the message, and what the node added to it.
func (e *RPCError) words() string {
	words := jsonscan.Excerpt(e.Message)
	if reason, ok := e.Data.Text(); ok {
		words += ": " + jsonscan.Excerpt(reason)
	}
	return words
}

// hide takes the client's secrets out of what the node says.
func (e *RPCError) hide(c *httpclient.Client) {
	e.Message = c.WithoutSecrets(e.Message)
	if data, err := jsonscan.Parse(c.WithoutSecrets(e.Data.Raw())); err == nil {
		e.Data = data
	}
}

// Refused makes it an [httpclient.Refusal].
func (e *RPCError) Refused() (code int64, text string) {
	code, _ = e.Code.Get()
	return code, e.words()
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

// DecodeError says that an answer is not what it should be.
type DecodeError struct {
	What string // the answer: "header", "fee history"; "answer" where it is no JSON-RPC answer
	Err  error  // names the field, or the place in the text
}

// Kind is [failure.Unanswered].
func (*DecodeError) Kind() failure.Kind { return failure.Unanswered }

func (e *DecodeError) Error() string { return fmt.Sprintf("malformed %s: %v", e.What, e.Err) }

func (e *DecodeError) Unwrap() error { return e.Err }
