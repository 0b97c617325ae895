package gatewayclient

import (
	"crypto/x509"
	"time"
)

// Options configures timeouts, retries, credentials and limits. Zero and negative values mean the
// defaults; for RPS, no limit.
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
	// Observer receives the client's events, from several goroutines at once; none by default.
	Observer interface {
		// Attempted is called after each attempt, with its number from 1 on, its duration, and its error. The argument
		// what is "gateway" or "node".
		Attempted(what string, attempt int, took time.Duration, err error)
		// Received is called with the number of bytes received.
		Received(what string, bytes int64)
	}
}
