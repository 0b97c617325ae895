// Package table writes tables of figures as CSV, JSON lines, XLSX, Parquet, PDF, and text for a terminal. It knows
// amounts and currencies, but no chains, blocks or fees.
//
// A [Sheet] describes its columns and yields its rows one by one. Only the terminal table reads all rows
// before it writes. No format rounds amounts. Where a format's numbers are inexact, as in a spreadsheet, the
// exact amount is added as text.
//
// The same sheet gives the same bytes, independent of clock, locale and random order.
//
// # Before you change it
//
// A [Kind] converts each value into one of a few Go types, which each format writes in its own way. A
// spreadsheet's number has 15 digits: longer ones are text, or have their exact text next to them.
//
// An XLSX file is built in a temporary file and written when it is complete. Its parts are those of xlsx.tmpl, and
// the lines of the sheets.
package table
