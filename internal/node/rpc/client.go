package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Client calls one node. It is safe for concurrent use. Over a WebSocket it has one connection, which the first call opens and
// all calls share. Calls are repeated on a new connection if theirs breaks: as over HTTP, a call may reach the node more than
// once.
type Client struct {
	asker     *httpclient.Client
	transport transport
	socket    *socket // the transport, if it is a WebSocket
	observe   func(method string, err error)
	life      context.Context // ends with Close, and with it every call's context
	end       context.CancelFunc

	noQueryStorage atomic.Bool  // the node lacks state_queryStorageAt
	maxConcurrent  atomic.Int64 // requests that the node accepts in one message
}

// transport sends requests to a node and returns its answers.
type transport interface {
	// ask makes one attempt to send one request, or several in one message. It returns one answer to each, in order.
	ask(ctx context.Context, questions []question) ([]message, error)
	close()
}

// New returns a client of the node at an http, https, ws or wss URL. A user name and password in it are sent as basic
// authentication. Errors show the address without them, and without its path and query, which may contain a key. New does not
// connect.
func New(address string, o httpclient.Options) (*Client, error) {
	asker, err := httpclient.New(httpclient.Node, address, o, "http", "https", "ws", "wss")
	if err != nil {
		return nil, err
	}
	c := &Client{asker: asker, observe: func(string, error) {}}
	c.maxConcurrent.Store(maxConcurrent)
	c.life, c.end = context.WithCancel(context.Background())
	if strings.HasPrefix(asker.URL(), "ws") {
		c.socket = newSocket(asker)
		c.transport = c.socket
	} else {
		c.transport = &overHTTP{asker: asker}
	}
	return c, nil
}

// Place returns the address of the node.
func (c *Client) Place() httpclient.Place { return c.asker.Place() }

// Observe makes the client call f after each attempt to call a method, with its error. Call it before the first
// request.
func (c *Client) Observe(f func(method string, err error)) { c.observe = f }

// Close closes the connection. Running and later calls and subscriptions fail with [ErrClosed].
func (c *Client) Close() error {
	c.end()
	c.transport.close()
	return nil
}

// Call calls a method of the node by name. Params are encoded with json.Marshal. The result may be null; a refusal by the node is
// an *[RPCError].
func (c *Client) Call(ctx context.Context, method string, params ...any) (jsonscan.Value, error) {
	answers, err := c.ask(ctx, []question{{method, params}})
	var refused *RPCError
	if errors.As(err, &refused) && refused.Method != "" { // the error names the method already
		return jsonscan.Value{}, err
	}
	if err != nil {
		return jsonscan.Value{}, fmt.Errorf("%s: %w", method, err)
	}
	return answers[0].given()
}

// ask sends a request and parses its answer; what names the answer in errors.
func ask[T any](ctx context.Context, c *Client, what string, read func(jsonscan.Value) (T, error), method string, params ...any) (T, error) {
	v, err := c.Call(ctx, method, params...)
	return decoded(what, v, err, read)
}

// askAt is ask for the block with a hash, sent as the last parameter, or for the newest block. It returns [chain.ErrNoBlock]
// if the node answers null.
func askAt[T any](ctx context.Context, c *Client, what string, read func(jsonscan.Value) (T, error), method string, block chain.Optional[chain.Hash], params ...any) (T, error) {
	v, err := c.Call(ctx, method, at(block, params...)...)
	if err == nil && v.Kind() == jsonscan.Null {
		err = noBlock(method, block)
	}
	return decoded(what, v, err, read)
}

// decoded parses an answer, unless there is an error.
func decoded[T any](what string, v jsonscan.Value, err error, read func(jsonscan.Value) (T, error)) (none T, _ error) {
	if err != nil {
		return none, err
	}
	value, err := read(v)
	if err != nil {
		return none, &DecodeError{what, err}
	}
	return value, nil
}

// given returns the result or the refusal.
func (m *message) given() (jsonscan.Value, error) {
	if m.failure != nil {
		return jsonscan.Value{}, m.failure
	}
	return m.result, nil
}

// ask sends requests in one message until each is answered or patience runs out. Requests with a transient refusal are repeated
// without the others; in the end, the last refusal is the answer.
func (c *Client) ask(ctx context.Context, questions []question) ([]message, error) {
	ctx, done := c.untilClosed(ctx)
	defer done()
	answers := make([]message, len(questions))
	open := make([]int, len(questions)) // indexes of the requests to send
	for i := range open {
		open[i] = i
	}
	answered := false
	err := c.asker.AskAll(ctx, len(questions), func(ctx context.Context) error {
		var asked []question
		for _, i := range open {
			asked = append(asked, questions[i])
		}
		got, err := c.transport.ask(ctx, asked)
		if answered = err == nil; err != nil {
			c.observeAll(asked, err)
			return c.attempted(err)
		}
		var again []int
		for i, m := range got {
			answers[open[i]] = m
			if m.failure == nil {
				c.observe(asked[i].method, nil)
				continue
			}
			m.failure.Method = asked[i].method
			m.failure.hide(c.asker)
			c.observe(asked[i].method, m.failure)
			if httpclient.IsTransient(m.failure) {
				again = append(again, open[i])
				err = m.failure
			}
		}
		open = again
		return err
	})
	if err != nil && (!answered || httpclient.TimedOut(err)) {
		return nil, c.reason(err)
	}
	return answers, nil
}

func (c *Client) observeAll(questions []question, err error) {
	for _, q := range questions {
		c.observe(q.method, err)
	}
}

// attempted classifies the error of an attempt: an answer that cannot be parsed is unusable.
func (c *Client) attempted(err error) error {
	var refused *RPCError
	if errors.As(err, &refused) {
		refused.hide(c.asker)
	}
	if errors.As(err, new(*DecodeError)) {
		return &httpclient.UnusableError{Err: err}
	}
	return err
}

// untilClosed returns a context that ends with ctx or with the client.
func (c *Client) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// reason returns err, or ErrClosed if the client was closed.
func (c *Client) reason(err error) error {
	if c.life.Err() != nil {
		return ErrClosed
	}
	return err
}
