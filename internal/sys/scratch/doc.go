// Package scratch provides temporary directories for results that get their final name later.
//
// The process that created a scratch directory holds a lock of the operating system on it. The next process thus recognizes
// what a killed process left behind, and removes it.
package scratch
