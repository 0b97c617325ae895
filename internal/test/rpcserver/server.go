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

	"github.com/feeledger/fees/internal/jsonscan"
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
	w.Write(s.answer(nil, string(text), nil))
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
	var text bytes.Buffer
	var answer []byte
	for {
		text.Reset()
		_, r, err := c.Reader(ctx)
		if err == nil {
			_, err = text.ReadFrom(r)
		}
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
		if s.Latency > 0 {
			answer := s.answer(nil, text.String(), open)
			time.AfterFunc(s.Latency, func() { c.Write(ctx, websocket.MessageText, answer) })
			continue
		}
		answer = s.answer(answer[:0], text.String(), open)
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

// question is a request, with its id as JSON.
type question struct {
	id     string
	method string
	params []json.RawMessage
}

// parse parses a message: a single request, or a batch.
func parse(text string) (questions []question, batch bool, err error) {
	err = jsonscan.Scan(text, func(s *jsonscan.Scanner) {
		if batch = s.IsArray(); !batch {
			questions = append(questions, readQuestion(s))
			return
		}
		s.Array()
		for s.Element() {
			questions = append(questions, readQuestion(s))
		}
	})
	return questions, batch, err
}

func readQuestion(s *jsonscan.Scanner) (q question) {
	s.Object()
	for s.Member() {
		switch s.Key() {
		case "id":
			q.id = s.Value().Raw()
		case "method":
			q.method = s.Text()
		case "params":
			s.Array()
			for s.Element() {
				q.params = append(q.params, json.RawMessage(s.Value().Raw()))
			}
		default:
			s.Skip()
		}
	}
	return q
}

// answer appends the response to a message.
func (s *Server) answer(to []byte, text string, open *session) []byte {
	s.guard.Lock()
	s.messages++
	s.guard.Unlock()
	questions, batch, err := parse(text)
	switch {
	case err != nil:
		return refusal(to, "", &Error{-32700, "Parse error"})
	case !batch:
		return s.one(to, &questions[0], open)
	case len(questions) == 0:
		return refusal(to, "", &Error{-32600, "Invalid request"})
	case s.MaxConcurrent == 1:
		return refusal(to, "", &Error{-32005, "Batched requests are not supported by this server"})
	case len(questions) > cmp.Or(s.MaxConcurrent, maxBatch):
		return refusal(to, "", &Error{-32010, "The batch request was too large"})
	}
	to = append(to, '[')
	for i := range questions {
		if i > 0 {
			to = append(to, ',')
		}
		to = s.one(to, &questions[i], open)
	}
	return append(to, ']')
}

// one appends the response to a request.
func (s *Server) one(to []byte, q *question, open *session) []byte {
	result, err := s.result(q, open)
	if err != nil {
		return refusal(to, q.id, err)
	}
	to = append(append(to, `{"jsonrpc":"2.0","id":`...), cmp.Or(q.id, "null")...)
	to = append(append(to, `,"result":`...), result...)
	return append(to, '}')
}

func (s *Server) result(q *question, open *session) ([]byte, error) {
	s.guard.Lock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[q.method]++
	s.guard.Unlock()
	if method := s.Methods[q.method]; method != nil {
		return method(q.params)
	}
	if subscription, there := s.Subscriptions[q.method]; there && open != nil {
		return open.subscribe(subscription, q.params), nil
	}
	for _, subscription := range s.Subscriptions {
		if subscription.Unsubscribe == q.method && open != nil {
			return open.unsubscribe(q.params), nil
		}
	}
	if s.Other != nil {
		return s.Other(q.method, q.params)
	}
	return nil, &Error{-32601, "Method not found"}
}

// refusal appends an error in the response to the request with an id.
func refusal(to []byte, id string, err error) []byte {
	text := []byte(nil)
	if whole := Refused(nil); errors.As(err, &whole) {
		text = whole
	} else {
		refused := &Error{-32603, err.Error()}
		errors.As(err, &refused)
		var failed error
		if text, failed = json.Marshal(refused); failed != nil {
			panic(failed) // a number and a text have a JSON form
		}
	}
	return fmt.Appendf(to, `{"jsonrpc":"2.0","id":%s,"error":%s}`, cmp.Or(id, "null"), text)
}
