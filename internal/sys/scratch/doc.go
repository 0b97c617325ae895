// Package scratch makes directories in which something is made before it gets its name.
//
// A scratch directory goes with the process that made it: the operating system holds the
// lock. So the next process finds what a killed one left, and takes it away.
package scratch
