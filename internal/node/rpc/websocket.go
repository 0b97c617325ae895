package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
)

// socket uses one WebSocket connection at a time, and opens another after it broke.
type socket struct {
	asker   *httpclient.Client
	turn    chan struct{} // a lock on current
	current *connection
}

func newSocket(asker *httpclient.Client) *socket {
	return &socket{asker: asker, turn: make(chan struct{}, 1)}
}

func (s *socket) ask(ctx context.Context, questions []question) ([]message, error) {
	c, err := s.connection(ctx)
	if err != nil {
		return nil, err
	}
	return c.ask(ctx, questions, nil)
}

func (s *socket) close() {
	s.turn <- struct{}{}
	if s.current != nil {
		s.current.close()
		s.current.loops.Wait()
	}
	<-s.turn
	s.asker.Close()
}

// connection returns the open connection, or a new one.
func (s *socket) connection(ctx context.Context) (*connection, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, s.asker.Unreachable(ctx, ctx.Err())
	}
	if s.current != nil && s.current.whole() {
		return s.current, nil
	}
	c, err := s.dial(ctx)
	if err == nil {
		s.current = c
	}
	return c, err
}

func (s *socket) dial(ctx context.Context) (*connection, error) {
	ws, answer, err := websocket.Dial(ctx, s.asker.URL(), &websocket.DialOptions{HTTPClient: s.asker.HTTP(), HTTPHeader: s.asker.Header()})
	if answer != nil {
		s.asker.Reached()
	}
	var inner *url.Error
	switch {
	case err == nil:
		ws.SetReadLimit(int64(s.asker.Options().MaxAnswer))
		return newConnection(s.asker, ws), nil
	case answer == nil || errors.As(err, &inner):
		return nil, s.asker.Unreachable(ctx, err)
	case answer.StatusCode == http.StatusSwitchingProtocols:
		return nil, &DecodeError{"answer", errors.New("invalid WebSocket handshake")}
	}
	text, _ := io.ReadAll(answer.Body) // at most 1 kB, in memory
	return nil, s.asker.Refused("", httpclient.Answer{Status: answer.StatusCode, Header: answer.Header, Text: string(text)})
}

// connection is one WebSocket connection. One goroutine reads from it, one writes to it, and any number wait for
// answers.
type connection struct {
	asker  *httpclient.Client
	ws     *websocket.Conn
	outbox chan []byte
	stop   context.CancelFunc // ends both loops
	loops  sync.WaitGroup
	broken chan struct{} // closed when the connection breaks

	ids atomic.Uint64

	mu            sync.Mutex
	waiting       map[string]*waiter       // by request id
	late          []string                 // ids of abandoned requests, the oldest first
	subscriptions map[string]*subscription // by id
	lastMessage   time.Time                // time of the last message
	err           error                    // why the connection broke; nil until then
	byBatch       bool                     // an answer was too large, perhaps that of a batch
}

// waiter waits for the answer to one request, or to those of a batch. After it has given up, it stays known for a
// while, so that a late answer is not mistaken for an unsolicited one.
type waiter struct {
	answers      chan message  // shared by the batch, with capacity for all answers and one more
	first        uint64        // the id of the first request of its message
	count        int           // number of requests in the message
	subscription *subscription // opened by the answer; nil for other requests
}

func newConnection(asker *httpclient.Client, ws *websocket.Conn) *connection {
	ctx, stop := context.WithCancel(context.Background())
	c := &connection{
		asker:         asker,
		ws:            ws,
		outbox:        make(chan []byte, 16),
		stop:          stop,
		broken:        make(chan struct{}),
		waiting:       map[string]*waiter{},
		subscriptions: map[string]*subscription{},
	}
	c.loops.Go(func() { c.breakOff(c.read(ctx)) })
	c.loops.Go(func() { c.breakOff(c.write(ctx)) })
	return c
}

func (c *connection) whole() bool {
	select {
	case <-c.broken:
		return false
	default:
		return true
	}
}

// breakOff closes the connection and fails everything that waits for it.
func (c *connection) breakOff(reason error) {
	if c.over(reason) {
		c.stop()
		c.ws.CloseNow()
	}
}

// over releases everything that waits for the connection. Only the first reason counts.
func (c *connection) over(reason error) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first = c.err == nil; first {
		c.err = reason
		c.byBatch = errors.Is(reason, httpclient.ErrTooLarge) && c.hasBatch()
		close(c.broken)
	}
	return first
}

// farewell is how long the node may take to confirm that a connection is closed.
const farewell = 500 * time.Millisecond

// close closes the connection properly, so that the node does not see a lost connection.
func (c *connection) close() {
	if !c.over(ErrClosed) {
		return
	}
	late := time.AfterFunc(farewell, c.stop)
	c.ws.Close(websocket.StatusNormalClosure, "")
	late.Stop()
	c.stop()
}

// ask sends one request, or several as a batch, and waits for all answers.
func (c *connection) ask(ctx context.Context, questions []question, s *subscription) ([]message, error) {
	asked := time.Now()
	first, text, answers, err := c.prepare(questions, s)
	if err != nil {
		return nil, err
	}
	select {
	case c.outbox <- text:
	case <-c.broken:
		return nil, c.brokeFor(len(questions) > 1)
	case <-ctx.Done():
		c.forget(first, len(questions))
		return nil, c.gaveUp(ctx, asked)
	}
	messages := make([]message, len(questions))
	for range questions {
		m, err := c.next(ctx, asked, answers, len(questions) > 1)
		if err != nil {
			c.gaveUpOn(first, len(questions))
			return nil, err
		}
		id, _ := strconv.ParseUint(m.id, 10, 64) // the id it was found by
		messages[id-first] = m
	}
	return messages, nil
}

// next returns the next answer to one of the requests sent together.
func (c *connection) next(ctx context.Context, asked time.Time, answers chan message, batch bool) (m message, err error) {
	select {
	case m = <-answers:
	case <-ctx.Done():
		return m, c.gaveUp(ctx, asked)
	case <-c.broken:
		select {
		case m = <-answers: // it arrived last
		default:
			return m, c.brokeFor(batch)
		}
	}
	if m.id == "" {
		return m, &batchError{m.failure}
	}
	return m, nil
}

// notify sends a request whose answer does not matter, if the node accepts it.
func (c *connection) notify(method string, params []any) {
	id, text, _, err := c.prepare([]question{{method, params}}, nil)
	if err != nil {
		return
	}
	select {
	case c.outbox <- text:
		c.gaveUpOn(id, 1)
	default:
		c.forget(id, 1)
	}
}

// prepare encodes requests and registers for their answers.
func (c *connection) prepare(questions []question, s *subscription) (first uint64, text []byte, answers chan message, err error) {
	count := uint64(len(questions))
	first = c.ids.Add(count) - count + 1
	if text, err = encode(first, questions); err != nil {
		return 0, nil, nil, err
	}
	answers = make(chan message, count+1)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range count {
		c.waiting[name(first+i)] = &waiter{answers, first, len(questions), s}
	}
	return first, text, answers, nil
}

// name returns a request's id as it appears in an answer.
func name(id uint64) string { return strconv.FormatUint(id, 10) }

// forget unregisters requests that were not sent.
func (c *connection) forget(first uint64, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range uint64(count) {
		delete(c.waiting, name(first+i))
	}
}

// maxLate is how many abandoned requests are remembered. An answer to an older one breaks the connection, like any unsolicited
// answer.
const maxLate = 1024

// gaveUpOn marks requests as abandoned after they were sent.
func (c *connection) gaveUpOn(first uint64, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range uint64(count) {
		if c.waiting[name(first+i)] == nil { // already answered
			continue
		}
		c.late = append(c.late, name(first+i))
		if len(c.late) > maxLate {
			delete(c.waiting, c.late[0])
			c.late = c.late[1:]
		}
	}
}

// brokeFor returns why the connection broke, for a waiting request. An answer that was too large may have been that
// of any batch, which is then sent in smaller parts. A single request is sent again.
func (c *connection) brokeFor(batch bool) error {
	if !batch && c.byBatch {
		return c.unreachable(errBroken)
	}
	return c.err
}

var errBroken = errors.New("the connection broke because the answer to other requests was too large")

// gaveUp returns why an answer is no longer awaited. It breaks a connection that received nothing at all during the
// whole time of an attempt: the other end may be gone.
func (c *connection) gaveUp(ctx context.Context, asked time.Time) error {
	err := c.asker.Unreachable(ctx, ctx.Err())
	c.mu.Lock()
	silent := c.lastMessage.Before(asked)
	c.mu.Unlock()
	if silent && errors.As(err, new(*httpclient.TimeoutError)) {
		c.breakOff(err)
	}
	return err
}

// write sends the contents of the outbox until ctx ends.
func (c *connection) write(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case question := <-c.outbox:
			if err := c.send(ctx, question); err != nil {
				return c.unreachable(err)
			}
		}
	}
}

func (c *connection) send(ctx context.Context, question []byte) error {
	// Not the caller's context: it would end the connection along with the call.
	ctx, cancel := context.WithTimeout(ctx, c.asker.Options().Timeout)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, question)
}

// maxKept is the largest buffer, in bytes, that is reused for the next message.
const maxKept = 1 << 20

// read receives messages until an error.
func (c *connection) read(ctx context.Context) error {
	var buffer bytes.Buffer
	for {
		kind, r, err := c.ws.Reader(ctx)
		if err != nil {
			return c.readError(err)
		}
		if kind != websocket.MessageText {
			return &DecodeError{"answer", errBinary}
		}
		n, err := buffer.ReadFrom(r)
		c.asker.Received(n)
		if err != nil {
			return c.readError(err)
		}
		text := buffer.String()
		if buffer.Reset(); buffer.Cap() > maxKept {
			buffer = bytes.Buffer{}
		}
		messages, batch, err := decodeMessages(text)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := c.take(m, batch); err != nil {
				return err
			}
		}
	}
}

func (c *connection) readError(err error) error {
	var closed websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig):
		err = httpclient.ErrTooLarge
	case errors.As(err, &closed) && closed.Reason != "":
		err = &closedError{c.asker.Quote(closed.Reason)}
	}
	return c.unreachable(err)
}

// closedError reports that the node closed the connection, and why.
type closedError struct{ reason string }

func (e *closedError) Error() string { return "it closed the connection: " + e.reason }

// Refused implements [httpclient.Refusal].
func (e *closedError) Refused() (code int64, text string) { return 0, e.reason }

// unreachable returns the error of a broken connection, whichever loop ended first.
func (c *connection) unreachable(err error) error {
	return c.asker.Unreachable(context.Background(), err)
}

// take delivers a message, single or from a batch, to its waiter.
func (c *connection) take(m message, batch bool) error {
	if m.notice != nil {
		// A notice may still be under way when its subscription ends.
		if s := c.subscriber(m.notice.subscription); s != nil {
			s.take(m.notice)
		}
		return nil
	}
	w := c.waiterFor(m.id)
	switch {
	case w == nil && m.id == "" && c.refuseBatch(m):
		return nil
	case w == nil && m.id == "":
		return m.failure
	case w == nil:
		return &DecodeError{"answer", fmt.Errorf("it answers request %s, which was not sent", jsonscan.Excerpt(m.id))}
	case batch && w.count == 1:
		return &DecodeError{"answer", errBatch}
	}
	if w.subscription != nil && isSubscription(m.result) {
		// Before the next message is read, which may be its first notice.
		c.opened(w.subscription, m.result.Raw())
	}
	w.answers <- m
	return nil
}

// hasBatch reports whether a batch is under way; the caller holds the mutex.
func (c *connection) hasBatch() bool { return c.largest() != nil }

// largest returns a request of the largest batch under way, the oldest if there are several, or nil; the caller holds the
// mutex.
func (c *connection) largest() (found *waiter) {
	for _, w := range c.waiting {
		if w.count > 1 && (found == nil || w.count > found.count || w.count == found.count && w.first < found.first) {
			found = w
		}
	}
	return found
}

// refuseBatch delivers a refusal to a batch, and reports whether there is one. The node does not state which batch it refuses: it
// is taken to be the largest.
func (c *connection) refuseBatch(m message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.largest()
	if w == nil {
		return false
	}
	for i := range uint64(w.count) {
		delete(c.waiting, name(w.first+i))
	}
	w.answers <- m // the spare capacity
	return true
}

func (c *connection) subscriber(id string) *subscription {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastMessage = time.Now()
	return c.subscriptions[id]
}

func (c *connection) waiterFor(id string) *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastMessage = time.Now()
	w := c.waiting[id]
	delete(c.waiting, id)
	return w
}
