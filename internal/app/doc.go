// Package app implements the operations behind the command line and the web pages: fee reports,
// statements, reconciliation, exports, close packages, explanations, and filling a ledger.
//
// A [Ledger] is an open ledger with network tables. An operation takes a [Period] and returns a
// [NotHeldError] if the ledger lacks part of it, unless the period may be partial. A period is a set of blocks: a range
// of heights, or the blocks whose own time lies within it.
//
// [KindOf] classifies any error: not understood, not found, not covered, busy, damaged and so on.
// [InputError.Naming] names the fields in the front end's own words, such as flags.
//
// A close package follows from its inputs, the sealed blocks of the period, and the balances. [CheckPackage]
// makes it again and compares the bytes.
package app
