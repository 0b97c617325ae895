package httpclient

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Options configure a client. Zero and negative values mean the defaults.
type Options struct {
	// Timeout limits one attempt; 30 seconds by default.
	Timeout time.Duration
	// Total limits one request including retries and pauses; 2 minutes by default. Waiting caused by Concurrency, RPS
	// and other requests does not count.
	Total time.Duration
	// RetryWait is the pause before the first retry; 250 milliseconds by default. It doubles with each retry to at
	// most 5 seconds, minus a random part of up to half. A longer Retry-After takes precedence, up to 30 seconds.
	RetryWait time.Duration
	// Concurrency limits concurrent requests; 8 by default.
	Concurrency int
	// RPS limits requests per second; 0 means no limit. Requests batched into one message to a node count
	// individually, as providers count them.
	RPS float64
	// MaxAnswer limits the bytes of one answer; 32 MiB by default. The largest recorded block has 43 kB; a
	// parachain's blocks can have 10 MB in binary.
	MaxAnswer int
	// APIKey is sent in a header of each request; none by default.
	APIKey string
	// APIKeyHeader is the name of that header; X-API-Key by default.
	APIKeyHeader string
	// RootCAs are the authorities trusted for https and wss; the system's by default.
	RootCAs *x509.CertPool
	// Observer receives the client's events; none by default.
	Observer Observer
}

// Observer receives events of a client, from several goroutines at once. The argument what is [Gateway] or [Node].
type Observer interface {
	// Attempted is called after each attempt, with its number from 1 on, its duration, and its error.
	Attempted(what string, attempt int, took time.Duration, err error)
	// Received is called with the number of bytes received.
	Received(what string, bytes int64)
}

// noObserver ignores all events.
type noObserver struct{}

func (noObserver) Attempted(string, int, time.Duration, error) {}
func (noObserver) Received(string, int64)                      {}

// Defaults of [Options].
const (
	DefaultTimeout      = 30 * time.Second
	DefaultTotal        = 2 * time.Minute
	DefaultRetryWait    = 250 * time.Millisecond
	DefaultConcurrency  = 8
	DefaultMaxAnswer    = 32 << 20
	DefaultAPIKeyHeader = "X-API-Key"
)

func (o Options) withDefaults() Options {
	setDefault(&o.Total, DefaultTotal)
	setDefault(&o.Timeout, DefaultTimeout)
	o.Timeout = min(o.Timeout, o.Total)
	setDefault(&o.RetryWait, DefaultRetryWait)
	setDefault(&o.Concurrency, DefaultConcurrency)
	setDefault(&o.MaxAnswer, DefaultMaxAnswer)
	setDefault(&o.APIKeyHeader, DefaultAPIKeyHeader)
	return o
}

// setDefault sets an option that is zero or negative.
func setDefault[T cmp.Ordered](option *T, value T) {
	var zero T
	if *option <= zero {
		*option = value
	}
}

// credentials returns the headers that authenticate the client.
func (o Options) credentials(user *url.Userinfo) (http.Header, error) {
	header := http.Header{}
	if user != nil {
		password, _ := user.Password()
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if o.APIKey == "" {
		return header, nil
	}
	if strings.ContainsFunc(o.APIKey, unicode.IsControl) {
		return nil, errors.New("the API key contains a control character such as a line break")
	}
	if strings.ContainsFunc(o.APIKeyHeader, func(r rune) bool {
		return r > unicode.MaxASCII || r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return nil, errors.New("the name of the API key header must consist of letters, digits and hyphens")
	}
	header.Set(o.APIKeyHeader, o.APIKey)
	return header, nil
}

// transport keeps as many connections open as there are concurrent requests.
func (o Options) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = o.Concurrency
	t.MaxConnsPerHost = o.Concurrency
	if o.RootCAs != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12}
	}
	return t
}
