// Package metrics counts what a program of fees does that runs for long, for Prometheus: its
// ledger, the places that it asks, the requests that it answers, the chain that it follows, the
// jobs that it works.
//
// # Before you change it
//
// A program has one [Metrics] with a registry of its own: nothing is global. Names begin with
// fees_, and are in seconds and bytes. A label has one of a few values that the program itself
// gives: never an address, a path with a height or a hash, or the text of an error.
//
// What is not known is absent, never 0.
//
// docs/operations.md has a table of all metrics, which a test compares with the registry. The
// dashboard and the alerts in contrib name metrics that are there, which a test holds to it.
package metrics
