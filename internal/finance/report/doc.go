// Package report sums up the fees of a period of a ledger for finance users: by block, hour, day, month,
// account, layer, transaction type, call or contract.
//
// [Make] uses the ledger's totals where they suffice and otherwise reads the transactions once, in chain
// order. A [Report] is written as a terminal table, as JSON, as an HTML page, or as a [table.Sheet] in its
// formats. [Compare] compares the reports of two periods: a [Comparison] contains both figures and the
// difference, in the same formats except HTML.
//
// Every amount is exact, in wei. The same ledger gives the same bytes.
//
// # Before you change it
//
// A report is one pass over the totals (ledger.Book.Totals) or over the transactions of the period
// (ledger.Book.Costs). Both yield ledger.Sums and the same report. It keeps at most a million groups in
// memory. Percentiles need the count of each gas price; counts that exceed the memory limit go to
// temporary files. Only the geometry of charts is floating point.
//
// The page contains no script, and its policy allows only its own style sheet, by hash. Every other text and
// attribute is escaped; plain.URL checks the addresses of links.
package report
