// Package table writes tables of figures in every form in which people and programs take
// them: CSV, JSON lines, XLSX, Parquet, and a table for a terminal. It knows nothing of fees.
//
// A [Sheet] says what its columns are, and hands over its rows one by one. Only the table for
// a terminal reads all rows before it writes. No form rounds an amount. Where a form has
// numbers that are not exact, as a spreadsheet has, the exact amount stands beside it as text.
//
// The same sheet gives the same bytes: no clock, locale or random order is in them.
//
// # Before you change it
//
// A [Kind] reads each value into one of a few Go types, and each form writes those in its own
// way. A spreadsheet's number has 15 digits: what has more is text, or stands beside its exact
// text.
//
// An XLSX file is made in temporary files. It comes out when all of it is known to be right.
// This package writes its zip file itself, in order: excelize's own is in random order.
package table
