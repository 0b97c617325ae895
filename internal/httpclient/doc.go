// Package httpclient is an HTTP client with retries, rate limits and credentials. The gateway and node
// packages build on it; they define the requests and parse the answers.
//
// [Client.Ask] sends a request, and [FailureOf] classifies its error; [Client.AskAll] documents for how long each class
// is retried. A caller that retries on its own uses [Briefly]. It then gets the error within seconds and can report what
// it waits for.
package httpclient
