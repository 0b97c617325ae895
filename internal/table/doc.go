// Package table writes tables of figures as CSV, JSON lines, XLSX, Parquet, PDF, and text for a terminal. It knows
// amounts and currencies, but no chains, blocks or fees.
//
// A [Sheet] describes its columns and yields its rows one by one. Only the terminal table reads all rows
// before it writes. No format rounds amounts. Where a format's numbers are inexact, as in a spreadsheet, the
// exact amount is added as text.
//
// The same sheet gives the same bytes, independent of clock, locale and random order.
package table
