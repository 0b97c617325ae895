// Package report adds up the fees of a period of a ledger, for finance people: by block, hour,
// day, month, account, layer, type of transaction, call or contract.
//
// [Make] takes the ledger's totals where they answer, and reads the transactions once, in the
// order of the chain, where they do not. A [Report] is then written as
// a table for a terminal, as JSON, as a page, or as a [table.Sheet] in its forms.
// [Compare] puts the reports of two periods beside each other: a [Comparison] has both figures
// and the difference, in the same forms but for the page.
//
// Every amount is exact, in wei. The same ledger gives the same bytes.
//
// # Before you change it
//
// A report is one pass over totals (ledger.Book.Totals), or over what a period's transactions
// cost (ledger.Book.Costs): both give ledger.Sums, and the same report. It holds the groups, a
// million at most. Percentiles need how many transactions paid each gas price: what memory does
// not hold of them is in temporary files. Only the geometry of a chart is floating point.
//
// The page has no script. Its policy allows its own style sheet alone, by its hash. All text
// goes through html/template, except for the labels in the charts, which the chart library
// writes as they are: chartLabel leaves only plain characters in them.
package report
