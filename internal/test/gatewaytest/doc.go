// Package gatewaytest is a gateway for tests. It serves a directory of recordings with the handler of package
// answers, adds a few responses, and misbehaves on request.
//
// A test can request one bad response, or, with [Faults], a storm of them that follows from a seed. [Successor]
// responds in the form of Sidecar's successor.
package gatewaytest
