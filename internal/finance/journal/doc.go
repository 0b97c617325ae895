// Package journal makes entries of fees, or of every movement of native balances, from the ledger's rows and a chart of
// accounts, and writes them for accounting software, importable without manual corrections.
//
// [Find] reads the payments of the accounts in a period: the amount charged or, if that is not known, the fee by the
// rules. [FeeJournal] has a balanced [Entry] per fee, [MovementJournal] one for all changes of the accounts' balances by
// an extrinsic or a hook, also for a transfer between two of them. [Summarise] makes entries in a currency. [List] and
// [WriteKoinly] write the fees one by one. [Formats] lists the formats, and what each holds.
//
// The same ledger and request give the same bytes. If the ledger changes meanwhile, the result is [ErrChanged], and the
// output must be discarded.
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
package journal
