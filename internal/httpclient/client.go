package httpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
)

// Client sends requests to one address over HTTP. It is safe for concurrent use.
type Client struct {
	place    Place
	url      string // may contain a key: never show it
	header   http.Header
	options  Options
	observer Observer
	http     *http.Client
	request  func(ctx context.Context, method, url string, json []byte) (*http.Response, error)
	places   chan struct{} // slots for concurrent requests
	pace     *pace
	secrets  []string     // see withoutSecrets
	reached  atomic.Bool  // the address has answered at all
	answered atomic.Int64 // the largest number of requests in one message that got a valid answer
	doubts   atomic.Int64 // how often a doubtful failure is retried
}

// New returns a client of a [Gateway] or [Node] at an address with one of the schemes. A user name and
// password in the address are sent as basic authentication. Errors show the address without them, and
// without its path and query. New does not connect.
func New(what, address string, o Options, schemes ...string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s address: not a URL", what)
	}
	if !slices.Contains(schemes, u.Scheme) || u.Host == "" || u.Fragment != "" {
		last := len(schemes) - 1
		return nil, fmt.Errorf("%s address: want %s or %s, then ://host", what, strings.Join(schemes[:last], ", "), schemes[last])
	}
	o = o.withDefaults()
	header, err := o.credentials(u.User)
	if err != nil {
		return nil, err
	}
	u.User = nil
	client := resty.New().
		SetTransport(o.transport()).
		SetDoNotParseResponse(true). // see send
		SetRedirectPolicy(resty.RedirectPolicyFunc(sameOrigin))
	client.Header = header.Clone()
	client.SetHeader("Accept", "application/json")
	c := &Client{
		place:    Place{what, u.Scheme + "://" + u.Host},
		url:      u.String(),
		header:   header,
		options:  o,
		observer: cmp.Or[Observer](o.Observer, noObserver{}),
		http:     client.GetClient(),
		request:  requestWith(client),
		places:   make(chan struct{}, o.Concurrency),
		pace:     newPace(o.RPS),
		secrets:  secretsOf(address, o),
	}
	c.doubts.Store(maxDoubts)
	return c, nil
}

// requestWith returns the function that sends a request without a body, or one with JSON. It hides the library's types: each
// package that sees a Client would compile generic parts of them.
func requestWith(client *resty.Client) func(ctx context.Context, method, url string, json []byte) (*http.Response, error) {
	return func(ctx context.Context, method, url string, json []byte) (*http.Response, error) {
		r := client.R().SetContext(ctx)
		if json != nil {
			r.SetHeader("Content-Type", "application/json").SetBody(json)
		}
		response, err := r.Execute(method, url)
		if err != nil {
			return nil, err
		}
		return response.RawResponse, nil
	}
}

// sameOrigin follows a few redirects, but only within the origin that the credentials were meant for. A redirect
// that changes the request counts as an answer. Resty's policies compare hosts only: they follow to another
// port, and from https to http.
func sameOrigin(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case r.URL.Scheme != first.URL.Scheme || r.URL.Host != first.URL.Host:
		return fmt.Errorf("%w to another address", errRedirect)
	case len(via) > 3:
		return fmt.Errorf("%w too often", errRedirect)
	case r.Method != first.Method:
		return http.ErrUseLastResponse
	}
	return nil
}

// Place returns the address of the client.
func (c *Client) Place() Place { return c.place }

// Options returns the client's options, including defaults.
func (c *Client) Options() Options { return c.options }

// URL returns the address, which may contain a key. With Header and HTTP it serves to open a WebSocket.
func (c *Client) URL() string { return c.url }

// Header returns the headers with credentials.
func (c *Client) Header() http.Header { return c.header }

// HTTP returns the underlying client. Report its answers with [Client.Reached].
func (c *Client) HTTP() *http.Client { return c.http }

// Reached records that the address has answered.
func (c *Client) Reached() { c.reached.Store(true) }

// Received reports received bytes to the observer.
func (c *Client) Received(bytes int64) { c.observer.Received(c.place.What, bytes) }

// Close closes idle connections.
func (c *Client) Close() { c.HTTP().CloseIdleConnections() }

// Answer is an HTTP response.
type Answer struct {
	Status int
	Header http.Header
	Text   string // the unaltered body
}

// IsSuccess reports whether the status is 2xx.
func (a Answer) IsSuccess() bool { return a.Status/100 == 2 }

// IsWebPage reports whether the answer is a web page.
func (a Answer) IsWebPage() bool {
	return strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(strings.TrimSpace(a.Text), "<")
}

// Get makes one attempt to get a path below the address.
func (c *Client) Get(ctx context.Context, path string) (Answer, error) {
	answer, _, err := c.Stream(ctx, path, nil)
	return answer, err
}

// Post makes one attempt to send JSON to the address.
func (c *Client) Post(ctx context.Context, json []byte) (Answer, error) {
	answer, _, err := c.send(ctx, http.MethodPost, c.url, json, nil)
	return answer, err
}

// Stream is like Get, but copies a body with status 2xx to w instead of keeping it. It returns the number of
// bytes copied.
func (c *Client) Stream(ctx context.Context, path string, w io.Writer) (Answer, int64, error) {
	return c.send(ctx, http.MethodGet, urlOf(c.url, path), nil, w)
}

// urlOf returns the URL of a path, which may have a query, below an address. The address's query follows that of the path.
func urlOf(address, path string) string {
	address, query, has := strings.Cut(address, "?")
	to := strings.TrimSuffix(address, "/") + path
	switch {
	case !has:
		return to
	case strings.Contains(path, "?"):
		return to + "&" + query
	}
	return to + "?" + query
}

// send makes one attempt and reads the whole answer. It needs no more memory than the answer's size; resty's own
// reading needs six times as much, has no size limit, and does not report the bytes received of a truncated answer.
func (c *Client) send(ctx context.Context, method, url string, json []byte, w io.Writer) (Answer, int64, error) {
	response, err := c.request(ctx, method, url, json)
	if err != nil {
		return Answer{}, 0, c.Unreachable(ctx, err)
	}
	c.Reached()
	body, length := response.Body, response.ContentLength
	defer body.Close()
	answer := Answer{Status: response.StatusCode, Header: response.Header}
	if w != nil && answer.IsSuccess() {
		n, err := c.copy(ctx, w, body)
		return answer, n, err
	}
	if length > int64(MaxAnswer(ctx, c.options.MaxAnswer)) {
		return Answer{}, 0, c.Unreachable(ctx, ErrTooLarge)
	}
	var text strings.Builder
	text.Grow(int(max(length, 0)))
	if _, err := c.copy(ctx, &text, body); err != nil {
		return Answer{}, 0, err
	}
	answer.Text = text.String()
	return answer, 0, nil
}

// copy copies an answer, up to the size limit.
func (c *Client) copy(ctx context.Context, w io.Writer, body io.Reader) (int64, error) {
	limit := int64(MaxAnswer(ctx, c.options.MaxAnswer))
	n, err := io.Copy(w, io.LimitReader(body, limit+1))
	c.Received(n)
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return n, c.Unreachable(ctx, err)
	}
	return n, nil
}

// Unreachable returns the error for a missing answer, without the URL that net/http errors contain.
func (c *Client) Unreachable(ctx context.Context, err error) error {
	var inner *url.Error
	switch {
	case errors.Is(err, ErrTooLarge):
		err = ErrTooLarge
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errBrokenOff
	case errors.As(err, &inner):
		err = inner.Err
	}
	var timeout interface{ Timeout() bool }
	if !errors.As(err, new(*TimeoutError)) && errors.As(err, &timeout) && timeout.Timeout() {
		err = fmt.Errorf("timed out: %w", err)
	}
	return &UnreachableError{c.place, err}
}

// retryAfter parses seconds or a date (RFC 9110, 10.2.3); it returns 0 for anything else.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}
