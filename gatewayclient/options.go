package gatewayclient

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/feeledger/fees/sidecar"
	"github.com/feeledger/fees/wire"
)

// Options say how a gateway is asked. Zero values, and numbers below zero that have no
// meaning of their own, mean the defaults.
type Options struct {
	// Timeout is for one attempt; 30 seconds by default.
	Timeout time.Duration
	// Total is for one answer, further attempts and the waits for them included;
	// 2 minutes by default. It begins when Concurrency and RPS allow the question.
	Total time.Duration
	// Retries is how often an attempt that failed is made again, where that can
	// help: no connection, one that broke off, the statuses 429, 502, 503 and 504,
	// and a 500 that says that the gateway has lost its node. 3 by default, none if
	// negative.
	Retries int
	// RetryWait is waited before the first further attempt, and doubled for each
	// one after it, more or less at random. 250 milliseconds by default. A
	// Retry-After of the gateway takes its place.
	RetryWait time.Duration
	// Concurrency is how many questions may be under way at once; 8 by default.
	Concurrency int
	// RPS is how many requests may be sent in a second; any number if 0.
	RPS float64
	// MaxBody is the number of bytes that one answer may have; 32 MiB by default.
	// The largest recorded block has 43 kB; a parachain's blocks can have 10 MB in
	// binary.
	MaxBody int
	// APIKey is sent in a header of each request; nothing by default.
	APIKey string
	// APIKeyHeader is the name of that header; X-API-Key by default.
	APIKeyHeader string
	// RootCAs are the authorities trusted for https; the system's by default.
	RootCAs *x509.CertPool
	// Version is what the gateway's paths begin with: "/" for nothing, or "/v1".
	// By default the first answer tells.
	Version string
}

// Defaults of [Options].
const (
	DefaultTimeout      = 30 * time.Second
	DefaultTotal        = 2 * time.Minute
	DefaultRetries      = 3
	DefaultRetryWait    = 250 * time.Millisecond
	DefaultConcurrency  = 8
	DefaultAPIKeyHeader = "X-API-Key"
)

// longestWait is the longest pause between two attempts, whatever a Retry-After
// asks for.
const longestWait = 30 * time.Second

func (o Options) withDefaults() Options {
	setDefault(&o.Timeout, DefaultTimeout)
	setDefault(&o.Total, DefaultTotal)
	setDefault(&o.RetryWait, DefaultRetryWait)
	setDefault(&o.Concurrency, DefaultConcurrency)
	setDefault(&o.MaxBody, sidecar.DefaultMaxBody)
	setDefault(&o.APIKeyHeader, DefaultAPIKeyHeader)
	if o.Retries == 0 {
		o.Retries = DefaultRetries
	}
	o.Retries = max(o.Retries, 0)
	return o
}

// setDefault sets an option that is not given. One below zero has no meaning.
func setDefault[T cmp.Ordered](option *T, value T) {
	var zero T
	if *option <= zero {
		*option = value
	}
}

// transport keeps as many connections open as there are questions under way.
func (o Options) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = o.Concurrency
	t.MaxConnsPerHost = o.Concurrency
	if o.RootCAs != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12}
	}
	return t
}

// retry lets the client try again what is worth it.
func (o Options) retry(client *resty.Client) {
	client.SetRetryCount(o.Retries).
		SetRetryWaitTime(o.RetryWait).
		SetRetryMaxWaitTime(longestWait).
		SetRetryAfter(retryAfter).
		AddRetryCondition(worthRetrying).
		AddRetryHook(func(answer *resty.Response, _ error) {
			if answer != nil && answer.RawResponse != nil && answer.Request.Attempt <= o.Retries { // not the last
				answer.RawResponse.Body.Close()
			}
		})
}

// worthRetrying tells whether the same question may be answered a moment later.
func worthRetrying(answer *resty.Response, err error) bool {
	if err != nil { // without an answer where nothing was sent
		return answer != nil && !errors.Is(err, errRedirect) && !errors.Is(err, sidecar.ErrTooLarge)
	}
	switch answer.StatusCode() {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusInternalServerError: // only a question whose answer is passed on has no intake
		in := intakeOf(answer.Request.Context())
		return in != nil && slices.Contains(lostNodeTexts, message(in.text))
	}
	return false
}

// lostNodeTexts are what the real gateway says, with status 500, while it has no
// connection to its node.
var lostNodeTexts = []string{
	"WebSocket is not connected",
	"Failed while trying to get the latest header.",
}

// retryAfter is the pause that the gateway asks for, 0 if it asks for none: in
// seconds, or until a time (RFC 9110).
func retryAfter(_ *resty.Client, answer *resty.Response) (time.Duration, error) {
	header := answer.Header().Get("Retry-After")
	if seconds, err := strconv.ParseUint(header, 10, 16); err == nil {
		return time.Duration(seconds) * time.Second, nil
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at), 0), nil
	}
	return 0, nil
}

// message is what the gateway says of an error, "" if it says nothing.
func message(text string) string {
	body, _ := wire.Parse(text)
	said, _ := body.Member("message").Text()
	return said
}
