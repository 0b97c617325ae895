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

// Options configures a client, as gatewayclient.Options documents: the fields of both are the same, in the same order, so
// that one converts to the other. Zero and negative values mean the defaults.
type Options struct {
	Timeout      time.Duration
	Total        time.Duration
	RetryWait    time.Duration
	Concurrency  int
	RPS          float64
	MaxAnswer    int
	APIKey       string
	APIKeyHeader string
	RootCAs      *x509.CertPool
	Observer     Observer
}

// Observer receives events of a client, from several goroutines at once. The argument what is [Gateway] or [Node].
type Observer = interface {
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
