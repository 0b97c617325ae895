package nodeclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/feeledger/fees/wire"
)

// Options say how a node is asked. Zero values mean the defaults.
type Options struct {
	// Timeout is for one call, connecting and further attempts included; 30
	// seconds by default. It is also how long a subscription may be silent
	// before the node is asked where its head is.
	Timeout time.Duration
	// MaxMessage is the number of bytes that one answer may have; 64 MiB by default.
	MaxMessage int
	// Retries is how often an attempt that failed is made again: where no
	// connection came about or one broke off, and after the statuses 429, 502, 503
	// and 504. 3 by default, none if negative. A call over HTTP may therefore reach
	// the node more than once; over a WebSocket only connecting is tried again.
	Retries int
	// RetryWait is waited before the first further attempt, and doubled for each
	// one after it to at most 10 seconds, less a random part of up to a half. 250
	// milliseconds by default. A longer Retry-After of the node takes its place.
	RetryWait time.Duration
	// Reconnect is for how long a subscription that once worked tries to get its
	// node back before it ends; 10 minutes by default.
	Reconnect time.Duration
	// APIKey is sent in a header of each HTTP request and when a WebSocket is
	// opened; nothing by default.
	APIKey string
	// APIKeyHeader is the name of that header; X-API-Key by default.
	APIKeyHeader string
	// RootCAs are the authorities trusted for https and wss; the system's by default.
	RootCAs *x509.CertPool
}

// Defaults of [Options].
const (
	DefaultTimeout      = 30 * time.Second
	DefaultMaxMessage   = 64 << 20
	DefaultRetries      = 3
	DefaultRetryWait    = 250 * time.Millisecond
	DefaultReconnect    = 10 * time.Minute
	DefaultAPIKeyHeader = "X-API-Key"
)

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxMessage <= 0 {
		o.MaxMessage = DefaultMaxMessage
	}
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	if o.RetryWait <= 0 {
		o.RetryWait = DefaultRetryWait
	}
	if o.Reconnect <= 0 {
		o.Reconnect = DefaultReconnect
	}
	if o.APIKeyHeader == "" {
		o.APIKeyHeader = DefaultAPIKeyHeader
	}
	return o
}

// Client asks one node. It is safe for use by several goroutines. Over a
// WebSocket it has one connection, which the first call opens and on which many
// calls can be under way; one that breaks fails them all, and the next call opens
// another.
type Client struct {
	transport transport
	socket    *socket // the transport, where it is a WebSocket
	options   Options
	life      context.Context // ends with Close; here because it ends every call's own
	end       context.CancelFunc
}

// transport carries questions to a node and its answers back.
type transport interface {
	ask(ctx context.Context, method string, params []any) (message, error)
	close()
}

// New returns a client of the node at address, an http, https, ws or wss URL. A
// user name and password in it are sent as basic authentication. Errors show the
// address without them, and without its path and query, where some providers
// have a key. New connects to nothing.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("node address: not a URL")
	}
	overSocket := u.Scheme == "ws" || u.Scheme == "wss"
	if !overSocket && u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" {
		return nil, errors.New("node address: want http, https, ws or wss, then ://host")
	}
	o = o.withDefaults()
	header, err := credentials(u.User, o)
	if err != nil {
		return nil, err
	}
	u.User = nil
	carrier := carrier{
		address:    u.String(),
		node:       u.Scheme + "://" + u.Host,
		header:     header,
		maxMessage: o.MaxMessage,
		http:       httpClient(o.RootCAs),
		attempts:   attempts{max(o.Retries, 0), o.RetryWait},
	}
	c := &Client{options: o}
	c.life, c.end = context.WithCancel(context.Background())
	if overSocket {
		c.socket = newSocket(carrier, o.Timeout)
		c.transport = c.socket
	} else {
		c.transport = newHTTP(carrier)
	}
	return c, nil
}

// carrier is what both transports are made of.
type carrier struct {
	address    string // the whole of it, not to be shown
	node       string // the part that may be shown
	header     http.Header
	maxMessage int
	http       *http.Client
	attempts   attempts
}

func credentials(user *url.Userinfo, o Options) (http.Header, error) {
	header := http.Header{}
	if user != nil {
		password, _ := user.Password()
		both := user.Username() + ":" + password
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(both)))
	}
	if o.APIKey == "" {
		return header, nil
	}
	if strings.ContainsFunc(o.APIKey, unicode.IsControl) {
		return nil, errors.New("API key: it has a line break or another control character")
	}
	if strings.ContainsFunc(o.APIKeyHeader, func(r rune) bool {
		return r > unicode.MaxASCII || r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return nil, errors.New("API key header: want letters, digits and - in its name")
	}
	header.Set(o.APIKeyHeader, o.APIKey)
	return header, nil
}

func httpClient(roots *x509.CertPool) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &http.Client{
		Transport: t,
		// A redirect is an answer like any other: following it would carry the API
		// key to wherever it points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Close breaks the connection off. Calls and subscriptions under way, and later
// ones, fail with [ErrClosed].
func (c *Client) Close() error {
	c.end()
	c.transport.close()
	return nil
}

// Call calls any method of the node by its name. Params are what json.Marshal
// makes of them. The result may be null; what the node refuses is an *[RPCError].
func (c *Client) Call(ctx context.Context, method string, params ...any) (wire.Value, error) {
	ctx, done := c.bounded(ctx)
	defer done()
	m, err := c.transport.ask(ctx, method, params)
	if err != nil {
		return wire.Value{}, fmt.Errorf("%s: %w", method, c.reason(err))
	}
	if m.failure != nil {
		m.failure.Method = method
		return wire.Value{}, m.failure
	}
	return m.result, nil
}

// bounded ends with the caller's context, with the client, or by the timeout.
func (c *Client) bounded(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, &timeoutError{c.options.Timeout})
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
