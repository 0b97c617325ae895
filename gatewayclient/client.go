package gatewayclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/go-resty/resty/v2"
	"golang.org/x/time/rate"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sidecar"
	"github.com/feeledger/fees/wire"
)

// errNoEndpoint says that the gateway does not have the endpoint that was asked: it is a
// [chain.ErrNotOffered].
var errNoEndpoint error = noEndpoint{}

type noEndpoint struct{}

func (noEndpoint) Error() string { return "no such endpoint" }

func (noEndpoint) Unwrap() error { return chain.ErrNotOffered }

// StatusError is an answer with a status other than 2xx.
type StatusError struct {
	Path    string
	Code    int
	Message string // the gateway's own, "" if it gave none
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("GET %s: status %d %s", e.Path, e.Code, http.StatusText(e.Code))
	if e.Message != "" {
		text += ": " + oneLine(e.Message)
	}
	return text
}

// Temporary tells whether the same question may be answered later: it is the
// gateway or its node that fails, or there were too many questions.
func (e *StatusError) Temporary() bool {
	return e.Code >= 500 || e.Code == http.StatusTooManyRequests || e.Code == http.StatusRequestTimeout
}

// LostNode tells whether the gateway says that it has no connection to its node.
func (e *StatusError) LostNode() bool {
	return e.Code == http.StatusInternalServerError && slices.Contains(lostNodeTexts, e.Message)
}

// mostOfMessage is more than any honest message of the network has.
const mostOfMessage = 400

// oneLine is a message that may quote what a gateway sent, its controls of a
// terminal included, cut to one line of bounded length.
func oneLine(message string) string {
	if len(message) > mostOfMessage {
		message = message[:mostOfMessage] + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, message)
}

// UnreachableError says that no answer came: the gateway could not be reached,
// broke off, or took too long.
type UnreachableError struct {
	Gateway string // its address, without credentials
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer from the gateway at %s: %s", e.Gateway, oneLine(e.Err.Error()))
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// Client asks one gateway. It is safe for use by several goroutines.
type Client struct {
	http    *resty.Client
	gateway string // for messages: without credentials, path and query
	total   time.Duration
	maxBody int
	places  chan struct{} // one for each question that may be under way
	limiter *rate.Limiter
	version atomic.Pointer[string]
}

// New returns a client of the gateway at address, an http or https URL. A user
// name and password in it are sent as basic authentication. Errors show the
// address without them, and without its path, where some providers have a key.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("gateway address: not a URL")
	}
	origin := u.Scheme + "://" + u.Host
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("gateway address %s: want http://host:port or https://host, without a query", origin)
	}
	o = o.withDefaults()
	client := resty.New().
		SetTransport(wholeBodies{o.transport(), o.MaxBody}).
		SetDoNotParseResponse(true). // the transport reads it, see wholeBodies
		SetTimeout(o.Timeout).
		SetRedirectPolicy(resty.RedirectPolicyFunc(sameOrigin)).
		SetHeader("Accept", "application/json").
		SetLogger(silent{})
	o.retry(client)
	limiter := rate.NewLimiter(rate.Inf, 1)
	if o.RPS > 0 {
		limiter.SetLimit(rate.Limit(o.RPS))
	}
	client.OnBeforeRequest(func(_ *resty.Client, r *resty.Request) error {
		if r.Attempt == 1 { // which has waited for its turn
			return nil
		}
		return limiter.Wait(r.Context())
	})
	if o.APIKey != "" {
		client.SetHeader(o.APIKeyHeader, o.APIKey)
	}
	if u.User != nil {
		password, _ := u.User.Password()
		client.SetBasicAuth(u.User.Username(), password)
		client.SetDisableWarn(true)
		u.User = nil
	}
	client.SetBaseURL(strings.TrimSuffix(u.String(), "/"))
	c := &Client{http: client, gateway: origin, total: o.Total, maxBody: o.MaxBody, places: make(chan struct{}, o.Concurrency), limiter: limiter}
	if o.Version != "" {
		c.version.Store(&o.Version)
	}
	return c, nil
}

// sameOrigin follows a few redirects, and none to where credentials were not
// meant for.
func sameOrigin(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case r.URL.Scheme != first.Scheme || r.URL.Host != first.Host:
		return fmt.Errorf("%w to another address", errRedirect)
	case len(via) > 3:
		return fmt.Errorf("%w too often", errRedirect)
	}
	return nil
}

var errRedirect = errors.New("it redirects")

// silent keeps resty from writing to standard error.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}

// Head is the newest block that is final, or the newest of all if unfinalized.
func (c *Client) Head(ctx context.Context, unfinalized bool) (*chain.Block, error) {
	path := "/blocks/head"
	if unfinalized {
		path += "?finalized=false"
	}
	return c.block(ctx, path)
}

// Block is the block at a height.
func (c *Client) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := c.block(ctx, "/blocks/"+strconv.FormatUint(height, 10))
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", height, err)
	}
	if b.Number != height {
		return nil, fmt.Errorf("block %d: %w: it has number %d", height, chain.ErrWrongBlock, b.Number)
	}
	return b, nil
}

// BlockByHash is the block with that hash.
func (c *Client) BlockByHash(ctx context.Context, hash chain.Hash) (*chain.Block, error) {
	b, err := c.block(ctx, "/blocks/"+hash.String())
	if err != nil {
		return nil, fmt.Errorf("block %v: %w", hash, err)
	}
	if b.Hash != hash {
		return nil, fmt.Errorf("block %v: %w: it has hash %v", hash, chain.ErrWrongBlock, b.Hash)
	}
	return b, nil
}

func (c *Client) block(ctx context.Context, path string) (*chain.Block, error) {
	text, err := c.get(ctx, path)
	if err != nil {
		return nil, err
	}
	return sidecar.DecodeBlock(text)
}

// Multiplier is the fee multiplier that the block at a height left behind.
func (c *Client) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	text, err := c.get(ctx, fmt.Sprintf("/pallets/transaction-payment/storage/nextFeeMultiplier?at=%d", at))
	if err != nil {
		return chain.AtBlock[chain.Multiplier]{}, fmt.Errorf("multiplier at block %d: %w", at, err)
	}
	m, err := sidecar.DecodeMultiplier(text)
	if err == nil && m.At != at {
		err = fmt.Errorf("%w: it is at block %d", chain.ErrWrongBlock, m.At)
	}
	if err != nil {
		return chain.AtBlock[chain.Multiplier]{}, fmt.Errorf("multiplier at block %d: %w", at, err)
	}
	return m, nil
}

// Runtime is the runtime that the block at a height left behind. It is
// [chain.ErrNotOffered] where the gateway cannot tell.
func (c *Client) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	text, err := c.get(ctx, fmt.Sprintf("/runtime/spec?at=%d", at))
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, fmt.Errorf("runtime at block %d: %w", at, err)
	}
	r, err := sidecar.DecodeRuntime(text)
	if err == nil && r.At != at {
		err = fmt.Errorf("%w: it is at block %d", chain.ErrWrongBlock, r.At)
	}
	if err != nil {
		return chain.AtBlock[chain.Runtime]{}, fmt.Errorf("runtime at block %d: %w", at, err)
	}
	return r, nil
}

// NodeVersion is what the node behind the gateway is. It is [chain.ErrNotOffered]
// where the gateway cannot tell.
func (c *Client) NodeVersion(ctx context.Context) (chain.NodeVersion, error) {
	text, err := c.get(ctx, "/node/version")
	if err != nil {
		return chain.NodeVersion{}, fmt.Errorf("node version: %w", err)
	}
	return sidecar.DecodeNodeVersion(text)
}

// Answer is the text of the answer at a path, such as "/blocks/25/header", to the
// byte. What it says is not looked into.
func (c *Client) Answer(ctx context.Context, path string) (string, error) {
	return c.get(ctx, path)
}

// The prefixes that the paths of a gateway can have: none, and that of its
// successor (polkadot-rest-api); untested against a real one.
const (
	noVersion = "/"
	version1  = "/v1"
)

// get returns the text of a JSON answer. The first answer tells whether the
// gateway's paths have a version: an unknown path is asked for once with it.
func (c *Client) get(ctx context.Context, path string) (string, error) {
	ctx, done, err := c.begin(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	if version := c.version.Load(); version != nil {
		return c.ask(ctx, strings.TrimSuffix(*version, "/"), path)
	}
	text, err := c.ask(ctx, "", path)
	version := noVersion
	if errors.Is(err, errNoEndpoint) {
		if err := c.turn(ctx); err != nil {
			return "", err
		}
		if versioned, versionedErr := c.ask(ctx, version1, path); !errors.Is(versionedErr, errNoEndpoint) {
			text, err, version = versioned, versionedErr, version1
		}
	}
	if settles(text, err) {
		c.version.CompareAndSwap(nil, &version)
	}
	return text, err
}

// begin waits for the turn of a question among the client's own, which is not the
// gateway's fault, and gives it its time.
func (c *Client) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	select {
	case c.places <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, c.noAnswer(ctx.Err())
	}
	if err := c.turn(ctx); err != nil {
		<-c.places
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.total)
	return ctx, func() {
		cancel()
		<-c.places
	}, nil
}

// turn waits until another request may be sent.
func (c *Client) turn(ctx context.Context) error {
	if err := c.limiter.Wait(ctx); err != nil {
		return c.noAnswer(err)
	}
	return nil
}

// settles tells whether an answer is one of a gateway's, so that its path is a
// gateway's too. Anything can answer with status 200.
func settles(text string, err error) bool {
	if err != nil {
		return errors.Is(err, chain.ErrNoBlock)
	}
	_, notJSON := wire.Parse(text)
	return notJSON == nil
}

func (c *Client) ask(ctx context.Context, version, path string) (string, error) {
	ctx, in := withIntake(ctx)
	answer, err := c.http.R().SetContext(ctx).Get(version + path)
	if err != nil {
		return "", c.noAnswer(err)
	}
	answer.RawBody().Close() // which ends the time for it
	text := in.text
	switch {
	case !answer.IsSuccess():
		return "", statusError(path, answer.StatusCode(), text)
	case answer.StatusCode() == http.StatusNoContent:
		return "", &sidecar.DecodeError{What: "answer", Err: fmt.Errorf("GET %s: %w", path, errNoContent)}
	case strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") || strings.HasPrefix(strings.TrimSpace(text), "<"):
		return "", fmt.Errorf("GET %s: the answer is a web page, %w: is %s a gateway's address?", path, sidecar.ErrNotJSON, c.gateway)
	}
	return text, nil
}

var errNoContent = errors.New("status 204: there is nothing in it")

func (c *Client) noAnswer(err error) error {
	if errors.Is(err, sidecar.ErrTooLarge) {
		return &UnreachableError{c.gateway, sidecar.ErrTooLarge}
	}
	var inner *url.Error // names the URL, which may hold a key
	if errors.As(err, &inner) {
		err = inner.Err
	}
	var waited interface{ Timeout() bool }
	if errors.As(err, &waited) && waited.Timeout() {
		err = fmt.Errorf("timed out: %w", err)
	}
	return &UnreachableError{c.gateway, err}
}

// The texts with which the real gateway says that there is no such block: the
// first for a height or hash that the chain does not have (status 500), the
// second for a height that is more than 32 bits (status 400).
var noBlockTexts = []string{
	"Unable to retrieve header and parent from supplied hash",
	"Specified block number is larger than the current largest block",
}

// The texts with which a gateway says, with status 500 or 400, that it cannot answer a
// question, now or later: a key that it cannot read, a part of the chain that it does
// not know or that the runtime did not have, or what its library cannot decode.
var cannotTellTexts = []string{
	"Cannot map",
	"not supported",
	"createType(",
	"Unable to decode",
	"Unable to create Enum",
	"Unable to find Call",
	"Could not find storage item",
	"was not recognized as a queryable pallet",
	"the archive lacks it", // of fees archive serve
}

// cannotTell tells whether an answer with that status and message is final.
func cannotTell(status int, said string) bool {
	return (status == http.StatusInternalServerError || status == http.StatusBadRequest) &&
		slices.ContainsFunc(cannotTellTexts, func(text string) bool { return strings.Contains(said, text) })
}

// statusError is for an answer with a status that is no success, and that text.
func statusError(path string, status int, text string) error {
	said := message(text)
	for _, text := range noBlockTexts {
		if strings.HasPrefix(said, text) {
			return chain.ErrNoBlock
		}
	}
	err := &StatusError{Path: path, Code: status, Message: wire.Excerpt(said)}
	if cannotTell(status, said) {
		return fmt.Errorf("%w: %w", chain.ErrCannotTell, err)
	}
	switch _, notJSON := wire.Parse(text); {
	case status != http.StatusNotFound:
		return err
	case notJSON == nil: // the gateway's successor says so of a block; an unknown route is a web page
		return fmt.Errorf("%w: %w", chain.ErrNoBlock, err)
	}
	return fmt.Errorf("%w: %w", errNoEndpoint, err)
}
