// Package serve is a gateway for others: it answers over HTTP what Substrate API Sidecar
// answers, from a node ([gateway]), and tells how it is (/healthz, /readyz, /metrics).
//
// It answers so many questions at once; others wait, until whoever asks goes away. Nothing
// that it sends has the node's address, nor what a provider says to a key.
package serve
