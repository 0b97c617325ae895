// Package gatewaytest is a gateway for tests. It serves a directory of recordings with the
// handler of package answers, adds a few answers, and misbehaves on request.
//
// A test can ask for one bad answer, or, with [Faults], for a storm of them that follows from
// a seed. TestFaults in package source wants the right figures or a clear error out of each.
// [Successor] answers in the form of Sidecar's successor.
package gatewaytest
