// Package reconcile compares a company's own record of fees with the ledger.
//
// [ReadFile] reads the record strictly, a csv or xlsx file with a row for each fee. It refuses
// what can be read in two ways, and names each row that it cannot read with its line and
// column; [Tries] returns the ways in which it may be read, several where only people can know which is right. Titles above the header and rows with
// totals are found, and named in the file's notes. [Match] finds the transaction that each row
// names, and those of the company's accounts that no row names. [Result.Sheets],
// [Result.WriteTable] and [Result.MarshalJSON] write the outcome, which has no clock in it: the
// same file and the same ledger give the same bytes. [Result.WriteFixed] writes the company's
// own file again, with what became of each row beside it.
//
// # Before you change it
//
// A company's books are never guessed at. A cell is read in the one way that is declared, or
// it is named with its line. What is only likely is proposed in the message, and people decide.
// A line is a row as a spreadsheet counts it, also of csv.
//
// A number of a spreadsheet is read from its text, never as floating point. A spreadsheet keeps
// 15 digits of it: it cuts what is typed, and rounds what it works out. Where the chain's amount
// has more, a number that is its first 15 digits, or those rounded, is [WithinRounding]. So is one
// that is the same binary number, as programs write it to a workbook. No other is. Text is so only
// where it has 15 digits itself. A number with an exponent has the value that is written; one that
// a format has padded (2.10E+15) is refused.
//
// The package has its own reader of xlsx, a stream that stops at whatever is broken. Excelize,
// which writes our workbooks, ends a sheet without an error there. As a stream, it also does
// not tell a number from text.
//
// The chain's side is what the accounts paid in the period, and nothing else: a row that another
// account paid has 0 there. A result without accounts, or of a part of the period, is never called
// complete.
//
// A fee is in the network's token where its column, a column beside it or its cell states it, or
// where the user does. What they state to be in another asset is never compared, and no advice leads
// to that.
//
// The difference of an item is always books less chain, so that the sums add up. Rows and
// items are kept in temporary files, not in memory.
package reconcile
