// Package report sums up the fees of a period of a ledger for finance users: by block, hour, day, month,
// account, layer, transaction type, call or contract.
//
// [Make] makes a [Report], which is written as a terminal table, as JSON, as an HTML page, or as a [table.Sheet] in its
// formats. [Compare] compares the reports of two periods: a [Comparison] contains both figures and the
// difference, in the same formats except HTML.
//
// Every amount is exact, in wei. The same ledger gives the same bytes.
package report
