// Package source is where blocks come from: a gateway, a directory of kept
// answers, or the built-in demo, behind one interface. A [Reader] adds to each
// block what it takes to price it: the rules of the runtime that executed it,
// and the multiplier that was in force. It reads one block, or those of a
// [Range], several at a time and in order, or follows a chain as it grows.
package source
