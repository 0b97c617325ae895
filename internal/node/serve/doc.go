// Package serve is a gateway server: it answers over HTTP what Substrate API Sidecar answers, using a node ([gateway]), and
// reports its health (/healthz, /readyz, /metrics).
//
// It answers a limited number of requests at once; others wait until the client gives up. Responses never contain the
// node's address, or what a provider replies to a key.
package serve
