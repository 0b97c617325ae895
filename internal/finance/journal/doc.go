// Package journal exports fees, or every movement of native balances, for accounting software, importable
// without manual corrections: as double entry for hledger, Beancount and Ledger, as a plain list, or as
// Koinly's CSV.
//
//	ledger.Book ─► Find ─► Payments ─► FeeJournal                 ─► Journal ─► Write (a Program)
//	                          │   └──► MovementJournal (balances) ─► Journal ─► Write
//	                          └──────► List, WriteKoinly
//
// The export has three steps.
//
//  1. [Find] reads the payments of the accounts in a period: the amount charged or, if that is not known, the
//     fee by the rules.
//  2. [FeeJournal] creates an entry per fee. [MovementJournal] creates one entry for all changes of the
//     accounts' balances by an extrinsic or a hook; it enters the opening balances and asserts the closing
//     ones.
//  3. [Journal.Write] writes the entries for one program, each amount with all of its decimals. Amounts
//     that the program cannot represent exactly are rejected.
//
// Nothing is rounded, plugged or left out. Unknown fees are in [Payments.Undetermined]. If the movements do
// not explain the change from the opening to the closing balance, the result is a [DifferenceError]. The same
// ledger and options give the same bytes.
//
// Everything is in chain order, even if the time of a block goes backwards.
//
// # Before you change it
//
// Entries are balanced before a program's writer sees them. A [Program] defines how accounts and entries are
// written, and what the program cannot represent exactly. External text passes through clean and cleanName
// (text.go), which keep letters, digits, and marks without meaning to any of the programs. A transfer between
// two selected accounts is one entry. Tests run the real programs, and change one wei to verify that they
// notice.
//
// A journal is read, not held in memory. Payments are read in parts of some thousand records, and again for
// each use. The first pass, the survey, collects what must be known before the first byte: accounts, days,
// the sum and the last posting of each asserted balance, and a count and hash of the records. Anything else
// needed beforehand belongs there. If a later pass differs from the first, the result is [ErrChanged]: the
// ledger was changed meanwhile, and two states of it never mix.
package journal
