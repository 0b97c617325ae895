// Package journal makes entries of fees, or of every movement of native balances, from the ledger's rows and a chart of
// accounts, and writes them for accounting software, importable without manual corrections.
//
//	ledger.Book ─► Find ─► Payments ─► entries ─► FeeJournal, MovementJournal ─► Journal: hledger, Beancount, Ledger
//	                          │           └─────► Summarise (money.List) ─► Summary: DATEV, Xero, …
//	                          └─► List, WriteKoinly
//
// The export has three steps.
//
//  1. [Find] reads the payments of the accounts in a period: the amount charged or, if that is not known, the
//     fee by the rules.
//  2. One stream makes a balanced [Entry] per fee, or one for all changes of the accounts' balances by an extrinsic or a
//     hook. [Placer] chooses its accounts and dimensions.
//  3. A [Format] writes the stream. [Formats] is the table of them, and says what each holds: entries in tokens, with
//     opening and closing balances if they are of movements; the fees one by one; or summaries in the currency.
//
// # In tokens
//
// Nothing is rounded, plugged or left out. Unknown fees are in [Payments.Undetermined]. If the movements do
// not explain the change from the opening to the closing balance, the result is a [DifferenceError]. Amounts that a
// program cannot represent exactly are rejected. Everything is in chain order, even if the time of a block goes
// backwards.
//
// # In a currency
//
//  1. Each fee is valued at the price of its day or hour, exactly.
//  2. Fees of one transaction, day or month become one entry, with a posting for each combination
//     of expense account, dimensions and asset account.
//  3. Each entry's exact sum is rounded half up to the currency's minor unit, and divided among its
//     postings by largest remainder. So each entry balances.
//  4. A last entry posts the rest to the rounding account: what the rounded exact total of each
//     asset account has more, or less, than its entries.
//
// Postings of less than half a minor unit have no line in most formats, but the rounding entry contains their value, and
// [Tie] counts them to the wei.
//
// # Before you change it
//
// Entries are balanced before a writer sees them. A layout's limits are its product's own: see the comment at each.
// External text passes through clean and cleanName (text.go) on its way into a program's journal; they keep letters,
// digits, and marks without meaning to any of the programs. A transfer between two selected accounts is one entry. Tests
// run the real programs, and change one wei to verify that they notice.
//
// A journal is read, not held in memory, except that a summary by day or month keeps its postings. Payments are read in
// parts of some thousand records, and again for each use. The first pass, the survey, collects what must be known before
// the first byte: accounts, days, the sum and the last posting of each asserted balance, and a count and hash of the
// records. Anything else needed beforehand belongs there. If a later pass differs from the first, the result is
// [ErrChanged]: the ledger was changed meanwhile, and two states of it never mix. The same ledger and request give the
// same bytes.
package journal
