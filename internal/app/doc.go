// Package app implements the operations behind the command line and the web pages: fee reports,
// statements, reconciliation, exports, close packages, explanations, and filling a ledger.
//
// A [Ledger] is an open ledger with network tables. An operation takes a [Period] and returns a
// [NotHeldError] if the ledger lacks part of it, unless the period may be partial. [KindOf]
// classifies any error: not understood, not found, not covered, busy, damaged and so on.
//
// # Before you change it
//
// Front ends contain no logic about blocks, rows or money. They parse flags or a form, call an operation here, write
// the result, and map [KindOf] to an exit code or an HTTP status. They use [InputError.Naming] to name fields in
// their own words, such as flags. Fields that all requests about a period share belong in [Request].
//
// A period is a set of blocks: a range of heights, or the blocks whose own time lies within it.
// Only [PeriodInput.Parse] reads a period from text. Only ledger.Book.Cover, called by
// [Ledger.Held], decides whether the ledger contains all of it.
//
// A close package is a function of its inputs. [Ledger.MakePackage] makes every file from the options in the manifest,
// the files under inputs/, the sealed blocks of the month, and the balances. Nothing in it may depend on a clock, a
// path, or anything else in the ledger, so that [CheckPackage] can make it again and compare the bytes. A new file
// that needs the gateway must be left out of the check when no gateway is reachable.
//
// Filling a ledger judges blocks while others are written. The bytes waiting in between are bounded.
package app
