// Package rpcserver serves JSON-RPC 2.0 over HTTP and over WebSockets, single requests and batches, with
// subscriptions, for simulated nodes in tests and benchmarks.
package rpcserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Method returns a JSON result.
type Method func(params []json.RawMessage) (result []byte, err error)

// Error is an error with a code of JSON-RPC or of the node. Any other error is sent with the code of an
// internal one.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// InvalidParams is the error for parameters that a method does not accept.
var InvalidParams = &Error{-32602, "Invalid params"}

// Subscription is a subscription over a WebSocket.
type Subscription struct {
	Unsubscribe string // the method
	Notice      string // the method of the notifications
	// Tell sends notifications until the context ends, or sending fails.
	Tell func(ctx context.Context, tell func(result []byte) error)
	// TellOf, if not nil, is like Tell, with the parameters.
	TellOf func(ctx context.Context, params []json.RawMessage, tell func(result []byte) error)
}

// Refused is an error in its wire form: JSON with a code, a message and more.
type Refused json.RawMessage

func (r Refused) Error() string { return string(r) }

// Server is an http.Handler.
type Server struct {
	Methods map[string]Method
	// Other, if not nil, handles methods that are not among these.
	Other         func(method string, params []json.RawMessage) (result []byte, err error)
	Subscriptions map[string]Subscription // by the method that subscribes
	// MaxConcurrent is the maximum number of requests in a message; 10,000 if 0.
	MaxConcurrent int
	// Latency is the delay of each response; delays overlap.
	Latency time.Duration

	guard    sync.Mutex
	asked    map[string]int
	messages int
	sockets  Sockets
}

// Sockets counts the WebSockets of a server: opened, closed by the client, and lost.
type Sockets struct{ Opened, Closed, Lost int }

// Sockets returns the counts so far.
func (s *Server) Sockets() Sockets {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.sockets
}

func (s *Server) count(what func(*Sockets)) {
	s.guard.Lock()
	defer s.guard.Unlock()
	what(&s.sockets)
}

// Asked returns the number of calls of each method.
func (s *Server) Asked() map[string]int {
	s.guard.Lock()
	defer s.guard.Unlock()
	asked := map[string]int{}
	for method, times := range s.asked {
		asked[method] = times
	}
	return asked
}

// Messages returns the number of single requests and batches received.
func (s *Server) Messages() int {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.messages
}

const (
	maxBytes = 1 << 24 // of a message
	maxBatch = 10_000  // requests in a message
)

// ServeHTTP responds to a message, or to those on a WebSocket.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		s.socket(w, r)
		return
	case r.Method != http.MethodPost:
		http.Error(w, "Used HTTP Method is not allowed. POST or OPTIONS is required", http.StatusMethodNotAllowed)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	time.Sleep(s.Latency)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(s.answer(text, nil))
}

// socket responds to the messages on a WebSocket, in sequence.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	s.count(func(s *Sockets) { s.Opened++ })
	c.SetReadLimit(maxBytes)
	ctx, leave := context.WithCancel(r.Context())
	defer leave()
	open := &session{ctx: ctx, socket: c, ends: map[string]context.CancelFunc{}}
	for {
		_, text, err := c.Read(ctx)
		if err != nil {
			s.count(func(s *Sockets) {
				if websocket.CloseStatus(err) == websocket.StatusNormalClosure {
					s.Closed++
				} else {
					s.Lost++
				}
			})
			return
		}
		answer := s.answer(text, open)
		if s.Latency > 0 {
			time.AfterFunc(s.Latency, func() { c.Write(ctx, websocket.MessageText, answer) })
			continue
		}
		if err := c.Write(ctx, websocket.MessageText, answer); err != nil {
			return
		}
		open.begin()
	}
}

// session is a WebSocket with its subscriptions.
type session struct {
	ctx    context.Context
	socket *websocket.Conn
	ends   map[string]context.CancelFunc // by the subscription's id
	opened []func()                      // start after their ID was sent
}

// begin starts the new subscriptions.
func (o *session) begin() {
	for _, tell := range o.opened {
		go tell()
	}
	o.opened = nil
}

// ids are the IDs of subscriptions.
var ids atomic.Uint64

func (o *session) subscribe(s Subscription, params []json.RawMessage) []byte {
	id := fmt.Sprintf("%q", fmt.Sprint("s", ids.Add(1)))
	ctx, end := context.WithCancel(o.ctx)
	o.ends[id] = end
	o.opened = append(o.opened, func() {
		if s.TellOf != nil {
			s.Tell = func(ctx context.Context, tell func(result []byte) error) { s.TellOf(ctx, params, tell) }
		}
		s.Tell(ctx, func(result []byte) error {
			notice := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":{"subscription":%s,"result":%s}}`, s.Notice, id, result)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return o.socket.Write(o.ctx, websocket.MessageText, notice) // a context that ends during a write closes the connection
		})
	})
	return []byte(id)
}

func (o *session) unsubscribe(params []json.RawMessage) []byte {
	if len(params) == 1 {
		if end := o.ends[string(params[0])]; end != nil {
			end()
			delete(o.ends, string(params[0]))
			return []byte("true")
		}
	}
	return []byte("false")
}

type question struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// answer responds to a message: a single request, or a batch.
func (s *Server) answer(text []byte, open *session) []byte {
	s.guard.Lock()
	s.messages++
	s.guard.Unlock()
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' {
		var q question
		if err := json.Unmarshal(text, &q); err != nil {
			return refusal(nil, &Error{-32700, "Parse error"})
		}
		return s.one(&q, open)
	}
	var batch []question
	switch err := json.Unmarshal(text, &batch); {
	case err != nil:
		return refusal(nil, &Error{-32700, "Parse error"})
	case len(batch) == 0:
		return refusal(nil, &Error{-32600, "Invalid request"})
	case s.MaxConcurrent == 1:
		return refusal(nil, &Error{-32005, "Batched requests are not supported by this server"})
	case len(batch) > cmp.Or(s.MaxConcurrent, maxBatch):
		return refusal(nil, &Error{-32010, "The batch request was too large"})
	}
	answers := []byte{'['}
	for i := range batch {
		if i > 0 {
			answers = append(answers, ',')
		}
		answers = append(answers, s.one(&batch[i], open)...)
	}
	return append(answers, ']')
}

func (s *Server) one(q *question, open *session) []byte {
	s.guard.Lock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[q.Method]++
	s.guard.Unlock()
	if method := s.Methods[q.Method]; method != nil {
		result, err := method(q.Params)
		if err != nil {
			return refusal(q.ID, err)
		}
		return answered(q.ID, result)
	}
	if subscription, there := s.Subscriptions[q.Method]; there && open != nil {
		return answered(q.ID, open.subscribe(subscription, q.Params))
	}
	for _, subscription := range s.Subscriptions {
		if subscription.Unsubscribe == q.Method && open != nil {
			return answered(q.ID, open.unsubscribe(q.Params))
		}
	}
	if s.Other != nil {
		result, err := s.Other(q.Method, q.Params)
		if err != nil {
			return refusal(q.ID, err)
		}
		return answered(q.ID, result)
	}
	return refusal(q.ID, &Error{-32601, "Method not found"})
}

func answered(id json.RawMessage, result []byte) []byte {
	to := make([]byte, 0, len(result)+64)
	to = append(append(to, `{"jsonrpc":"2.0","id":`...), numbered(id)...)
	to = append(append(to, `,"result":`...), result...)
	return append(to, '}')
}

func refusal(id json.RawMessage, err error) []byte {
	var whole Refused
	if errors.As(err, &whole) {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, numbered(id), whole)
	}
	refused := &Error{-32603, err.Error()}
	errors.As(err, &refused)
	text, failed := json.Marshal(refused)
	if failed != nil {
		panic(failed) // a number and a text have a JSON form
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, numbered(id), text)
}

func numbered(id json.RawMessage) []byte {
	if id == nil {
		return []byte("null")
	}
	return id
}
