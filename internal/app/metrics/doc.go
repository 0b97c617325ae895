// Package metrics counts what a long-running program does, for Prometheus: its ledger, its sources,
// the requests that it serves, the chain that it follows and its jobs.
//
// # Before you change it
//
// Each program has its own [Metrics] and registry; nothing is global. Names begin with fees_, and units are
// seconds and bytes. A label has one of a few values that the program defines: never an address, a path with
// a height or a hash, or the text of an error.
//
// Unknown values are absent, never 0.
//
// docs/operations.md lists all metrics; a test compares it with the registry. Another test checks that the
// dashboard and the alerts in docs/contrib use existing metrics.
package metrics
