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

// Options say how a gateway or a node is asked. Zero values, and numbers below zero, mean
// the defaults.
type Options struct {
	// Timeout is for one attempt; 30 seconds by default.
	Timeout time.Duration
	// Total is for one answer, further attempts and the waits for them included;
	// 2 minutes by default. What Concurrency, RPS and other questions have it wait is not
	// part of it.
	Total time.Duration
	// RetryWait is waited before the first further attempt, and doubled for each one
	// after it to at most 5 seconds, less up to a half of it at random. 250
	// milliseconds by default. A longer Retry-After takes its place, to at most 30
	// seconds.
	RetryWait time.Duration
	// Concurrency is how many requests may be under way at once; 8 by default.
	Concurrency int
	// RPS is how many questions may be asked in a second; any number if 0. Each of those
	// that go to a node in one message counts, as providers count them.
	RPS float64
	// MaxAnswer is the number of bytes that one answer may have; 32 MiB by default.
	// The largest recorded block has 43 kB; a parachain's blocks can have 10 MB in
	// binary.
	MaxAnswer int
	// APIKey is sent in a header of each request; nothing by default.
	APIKey string
	// APIKeyHeader is the name of that header; X-API-Key by default.
	APIKeyHeader string
	// RootCAs are the authorities trusted for https and wss; the system's by default.
	RootCAs *x509.CertPool
	// Observer is told what the client does; nobody by default.
	Observer Observer
}

// Observer is told what a client does, by several goroutines at once. What is a [Gateway] or
// a [Node].
type Observer interface {
	// Attempted is told of each attempt when it is over: which one of its question it was,
	// from 1 on, how long it took, and what failed.
	Attempted(what string, attempt int, took time.Duration, err error)
	// Received is told how many bytes of an answer came.
	Received(what string, bytes int64)
}

// nobody is told nothing.
type nobody struct{}

func (nobody) Attempted(string, int, time.Duration, error) {}
func (nobody) Received(string, int64)                      {}

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

// setDefault sets an option that is not given. One below zero has no meaning.
func setDefault[T cmp.Ordered](option *T, value T) {
	var zero T
	if *option <= zero {
		*option = value
	}
}

// credentials are the headers that say who asks.
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
