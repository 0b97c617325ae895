// Package httpclient is an HTTP client with retries, rate limits and credentials. The gateway and node
// packages build on it; they define the requests and parse the answers.
//
// # Before you change it
//
// All requests go through [Client.Ask]. [FailureOf] decides whether to retry: failure.go contains the only
// table of statuses, codes and texts. [Client.AskAll] documents for how long.
//
// An address that never accepted a connection may be wrong: [Client.Ask] gives up after three seconds. If
// an address never gave a valid answer and it or the key may be wrong, it gives up at once. If it has
// answered before, it retries until the time is over.
//
// A caller that retries on its own, such as source.Reader.Follow, uses [Briefly]. It then gets the error
// within seconds and can report what it waits for.
package httpclient
