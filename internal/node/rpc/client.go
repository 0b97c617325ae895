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

// Client asks one node. It is safe for use by several goroutines. Over a
// WebSocket it has one connection, which the first call opens and on which many
// calls can be under way. Calls whose connection breaks are made again on another: a call
// may reach the node more than once, as over HTTP.
type Client struct {
	asker     *httpclient.Client
	transport transport
	socket    *socket // the transport, where it is a WebSocket
	observe   func(method string, err error)
	life      context.Context // ends with Close; here because it ends every call's own
	end       context.CancelFunc

	noQueryStorage atomic.Bool  // the node does not have state_queryStorageAt
	mostAtOnce     atomic.Int64 // questions that the node takes in one message
}

// transport carries questions to a node and its answers back.
type transport interface {
	// ask makes one attempt to ask one question, or several in one message. It gives one
	// answer to each, in their order.
	ask(ctx context.Context, questions []question) ([]message, error)
	close()
}

// New returns a client of the node at address, an http, https, ws or wss URL. A
// user name and password in it are sent as basic authentication. Errors show the
// address without them, and without its path and query, where some providers
// have a key. New connects to nothing.
func New(address string, o httpclient.Options) (*Client, error) {
	asker, err := httpclient.New(httpclient.Node, address, o, "http", "https", "ws", "wss")
	if err != nil {
		return nil, err
	}
	c := &Client{asker: asker, observe: func(string, error) {}}
	c.mostAtOnce.Store(mostAtOnce)
	c.life, c.end = context.WithCancel(context.Background())
	if strings.HasPrefix(asker.URL(), "ws") {
		c.socket = newSocket(asker)
		c.transport = c.socket
	} else {
		c.transport = &overHTTP{asker: asker}
	}
	return c, nil
}

// Place is who is asked.
func (c *Client) Place() httpclient.Place { return c.asker.Place() }

// Observe has f told of each attempt to call a method, when it is over, with what failed. It
// is for before the first call.
func (c *Client) Observe(f func(method string, err error)) { c.observe = f }

// Close breaks the connection off. Calls and subscriptions under way, and later
// ones, fail with [ErrClosed].
func (c *Client) Close() error {
	c.end()
	c.transport.close()
	return nil
}

// Call calls any method of the node by its name. Params are what json.Marshal
// makes of them. The result may be null; what the node refuses is an *[RPCError].
func (c *Client) Call(ctx context.Context, method string, params ...any) (jsonscan.Value, error) {
	answers, err := c.ask(ctx, []question{{method, params}})
	var refused *RPCError
	if errors.As(err, &refused) && refused.Method != "" { // which says it
		return jsonscan.Value{}, err
	}
	if err != nil {
		return jsonscan.Value{}, fmt.Errorf("%s: %w", method, err)
	}
	return answers[0].given()
}

// ask asks a question, and reads its answer. What says what that is.
func ask[T any](ctx context.Context, c *Client, what string, read func(jsonscan.Value) (T, error), method string, params ...any) (T, error) {
	v, err := c.Call(ctx, method, params...)
	return decoded(what, v, err, read)
}

// askAt asks about the block with a hash, or the newest one, whose hash goes last. It is
// [chain.ErrNoBlock] where the node answers with null.
func askAt[T any](ctx context.Context, c *Client, what string, read func(jsonscan.Value) (T, error), method string, block chain.Optional[chain.Hash], params ...any) (T, error) {
	v, err := c.Call(ctx, method, at(block, params...)...)
	if err == nil && v.Kind() == jsonscan.Null {
		err = noBlock(method, block)
	}
	return decoded(what, v, err, read)
}

// decoded reads an answer, unless it did not come.
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

// given is the result, or the refusal.
func (m *message) given() (jsonscan.Value, error) {
	if m.failure != nil {
		return jsonscan.Value{}, m.failure
	}
	return m.result, nil
}

// ask asks questions in one message until each is answered, or patience ends. Those whose
// refusal passes are asked again without the others; the last refusal is the answer then.
func (c *Client) ask(ctx context.Context, questions []question) ([]message, error) {
	ctx, done := c.untilClosed(ctx)
	defer done()
	answers := make([]message, len(questions))
	open := make([]int, len(questions)) // the places of those to be asked
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
			if httpclient.Passes(m.failure) {
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

// attempted is the error of an attempt: an answer that cannot be read is unusable.
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

// untilClosed ends with the caller's context, or with the client.
func (c *Client) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// reason is err, or that the client was closed, which explains it better.
func (c *Client) reason(err error) error {
	if c.life.Err() != nil {
		return ErrClosed
	}
	return err
}
