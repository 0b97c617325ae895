// Package metrics counts what a long-running program does, for Prometheus: its ledger, its sources,
// the requests that it serves, the chain that it follows and its jobs.
//
// Units are seconds and bytes. Unknown values are absent, never 0. docs/operations.md lists all metrics.
package metrics
