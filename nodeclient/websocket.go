package nodeclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/wire"
)

// socket asks over one WebSocket connection, and opens another after that one
// broke.
type socket struct {
	asker   *ask.Client
	turn    chan struct{} // has room for one: whoever looks at current or replaces it
	current *connection
}

func newSocket(asker *ask.Client) *socket {
	return &socket{asker: asker, turn: make(chan struct{}, 1)}
}

func (s *socket) ask(ctx context.Context, method string, params []any) (message, error) {
	c, err := s.connection(ctx)
	if err != nil {
		return message{}, err
	}
	return c.ask(ctx, method, params, nil)
}

func (s *socket) close() {
	s.turn <- struct{}{}
	if s.current != nil {
		s.current.breakOff(ErrClosed)
		s.current.loops.Wait()
	}
	<-s.turn
	s.asker.Close()
}

// connection is the one that is open, or a new one.
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
		return nil, &DecodeError{"answer", errors.New("it does not open a WebSocket as it should")}
	}
	text, _ := io.ReadAll(answer.Body) // at most 1 kB, in memory
	return nil, refusal(s.asker, answer.StatusCode, answer.Header, string(text))
}

// connection is one WebSocket connection. One goroutine reads from it, one writes
// to it, and any number wait for their answers.
type connection struct {
	asker  *ask.Client
	ws     *websocket.Conn
	outbox chan []byte
	stop   context.CancelFunc // ends both loops
	loops  sync.WaitGroup
	broken chan struct{} // closed when the connection broke

	ids atomic.Uint64

	mu            sync.Mutex
	waiting       map[string]*waiter       // by the id of their question
	late          []string                 // the ids of those that gave up, the oldest first
	subscriptions map[string]*subscription // by their id
	lastMessage   time.Time                // when it came
	err           error                    // why the connection broke, nil until it did
}

// waiter waits for an answer. One that gave up stays known for a while, so that an
// answer that comes late is not taken for one that nobody asked for.
type waiter struct {
	answer       chan message  // has room for it
	subscription *subscription // that the answer opens, nil for other questions
}

func newConnection(asker *ask.Client, ws *websocket.Conn) *connection {
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

// breakOff ends the connection and whatever waits for it. Only the first reason
// counts.
func (c *connection) breakOff(reason error) {
	c.mu.Lock()
	first := c.err == nil
	if first {
		c.err = reason
		close(c.broken)
	}
	c.mu.Unlock()
	if first {
		c.stop()
		c.ws.CloseNow()
	}
}

// ask sends a question and waits for its answer.
func (c *connection) ask(ctx context.Context, method string, params []any, s *subscription) (message, error) {
	asked := time.Now()
	id, question, w, err := c.prepare(method, params, s)
	if err != nil {
		return message{}, err
	}
	select {
	case c.outbox <- question:
	case <-c.broken:
		return message{}, c.err
	case <-ctx.Done():
		c.forget(id)
		return message{}, c.gaveUp(ctx, asked)
	}
	select {
	case m := <-w.answer:
		return m, nil
	case <-ctx.Done():
		c.gaveUpOn(id)
		return message{}, c.gaveUp(ctx, asked)
	case <-c.broken:
	}
	select {
	case m := <-w.answer: // it was the last to come
		return m, nil
	default:
		return message{}, c.err
	}
}

// tell sends a question whose answer does not matter, unless the node takes
// nothing any more.
func (c *connection) tell(method string, params []any) {
	id, question, _, err := c.prepare(method, params, nil)
	if err != nil {
		return
	}
	select {
	case c.outbox <- question:
		c.gaveUpOn(id)
	default:
		c.forget(id)
	}
}

// prepare writes a question, and expects its answer.
func (c *connection) prepare(method string, params []any, s *subscription) (id string, question []byte, w *waiter, err error) {
	number := c.ids.Add(1)
	question, err = encode(number, method, params)
	if err != nil {
		return "", nil, nil, err
	}
	id = strconv.FormatUint(number, 10)
	w = &waiter{make(chan message, 1), s}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting[id] = w
	return id, question, w, nil
}

// forget is for a question that was not sent.
func (c *connection) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// maxLate is how many questions that nobody waits for any longer are remembered. An
// answer to an older one breaks the connection off, like any that was not asked for.
const maxLate = 256

// gaveUpOn is for a question that was sent, and whose answer nobody waits for.
func (c *connection) gaveUpOn(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, id)
	if len(c.late) > maxLate {
		delete(c.waiting, c.late[0])
		c.late = c.late[1:]
	}
}

// gaveUp says why an answer is not waited for any longer. A connection on which
// nothing at all came for the whole of an attempt's time is broken off: it may be one
// whose other end is gone.
func (c *connection) gaveUp(ctx context.Context, asked time.Time) error {
	err := c.asker.Unreachable(ctx, ctx.Err())
	c.mu.Lock()
	silent := c.lastMessage.Before(asked)
	c.mu.Unlock()
	if silent && errors.As(err, new(*ask.TimeoutError)) {
		c.breakOff(err)
	}
	return err
}

// write sends what is in the outbox until ctx ends.
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
	// Not the caller's context: that ends one call, and would end the connection.
	ctx, cancel := context.WithTimeout(ctx, c.asker.Options().Timeout)
	defer cancel()
	return c.ws.Write(ctx, websocket.MessageText, question)
}

// read takes in what the node sends until something is wrong.
func (c *connection) read(ctx context.Context) error {
	for {
		kind, r, err := c.ws.Reader(ctx)
		if err != nil {
			return c.readError(err)
		}
		if kind != websocket.MessageText {
			return &DecodeError{"answer", errBinary}
		}
		var text strings.Builder
		if _, err := io.Copy(&text, r); err != nil {
			return c.readError(err)
		}
		m, err := decodeMessage(text.String())
		if err == nil {
			err = c.take(m)
		}
		if err != nil {
			return err
		}
	}
}

func (c *connection) readError(err error) error {
	if errors.Is(err, websocket.ErrMessageTooBig) {
		err = ask.ErrTooLarge
	}
	return c.unreachable(err)
}

// unreachable is for what broke the connection, whatever ended the loop that found it.
func (c *connection) unreachable(err error) error {
	return c.asker.Unreachable(context.Background(), err)
}

// take gives a message to whoever waits for it.
func (c *connection) take(m message) error {
	if m.notice != nil {
		// One that nobody waits for may be on its way when it is unsubscribed.
		if s := c.subscriber(m.notice.subscription); s != nil {
			s.take(m.notice)
		}
		return nil
	}
	w := c.waiterFor(m.id)
	switch {
	case w == nil && m.id == "":
		return m.failure
	case w == nil:
		return &DecodeError{"answer", fmt.Errorf("it is to question %s, which was not asked", wire.Excerpt(m.id))}
	}
	if w.subscription != nil && isSubscription(m.result) {
		// Here, before the next message is read: that may be its first notice.
		c.opened(w.subscription, m.result.Raw())
	}
	w.answer <- m
	return nil
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
