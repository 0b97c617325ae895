// Package booking turns fees into journal entries for accounting systems: QuickBooks Online, Xero,
// NetSuite, DATEV, and CSV with columns of the user's choice.
//
//	journal.Payments ─► Make (chart.Chart, money.List) ─► Journal ─► Each: Entry ─► Format ─► Files, Write
//
// Entries are in the currency of the books. The steps:
//
//  1. Each fee is placed by the chart of accounts, and valued at the price of its day or hour,
//     exactly.
//  2. Fees of one transaction, day or month become one entry, with a posting for each combination
//     of expense account, dimensions and asset account.
//  3. Each entry's exact sum is rounded half up to the currency's minor unit, and divided among its
//     postings by largest remainder. So each entry balances.
//  4. A last entry posts the rest to the rounding account: what the rounded exact total of each
//     asset account has more, or less, than its entries.
//
// Nothing is lost: postings of less than half a minor unit have no line in most formats, but the
// rounding entry contains their value, and [Tie] counts them to the wei.
//
// # Before you change it
//
// Fees are read again on each pass and never held, except that a journal by day or month keeps its
// postings. Entries are the same on each pass; [journal.ErrChanged] ends one that is not.
// A format's limits are its product's own: see the comment at each.
package booking
