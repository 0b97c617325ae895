// Package reconcile compares a company's own record of fees with the ledger.
//
// [ReadFile] reads the record strictly, a csv or xlsx file with a row for each fee. It refuses
// what can be read in two ways, and names each row that it cannot read with its line and
// column. [Match] finds the transaction that each row names, and those of the company's
// accounts that no row names. [Result.Sheets] and [Result.MarshalJSON] write the outcome,
// which has no clock in it: the same file and the same ledger give the same bytes.
//
// # Before you change it
//
// A company's books are never guessed at. A cell is read in the one way that is declared, or
// it is named with its line. A number of a spreadsheet is floating point: it is taken only
// where 15 digits, or a whole number below 2^53, tell which number was meant.
//
// The package has its own reader of xlsx, a stream that stops at whatever is broken. Excelize,
// which writes our workbooks, ends a sheet without an error there. As a stream, it also does
// not tell a number from text.
//
// The difference of an item is always books less chain, so that the sums add up. Rows and
// items are kept in temporary files, not in memory.
package reconcile
