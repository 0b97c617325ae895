// Package reconcile compares a company's own record of fees with the ledger.
//
// [ReadFile] reads the record, a csv or xlsx file with a row for each fee. It rejects ambiguous input, and reports each
// unreadable row with its line and column; [Tries] returns the settings with which the file may be readable, several
// if only people can choose. Titles above the header and total rows are recognised and listed in the file's notes.
// [MatchAll] finds the transaction of each row, and the accounts' transactions that no row names. [Result.Sheets],
// [Result.WriteTable] and [Result.MarshalJSON] write the result, which contains no timestamps: the same file and the
// same ledger give the same bytes. [Result.WriteFixed] writes the company's own file again, with the result added to
// each row, the right amounts, and a row for each missing transaction.
//
// # Before you change it
//
// Never guess. A cell is read in the one declared way, or it is reported with its line. Likely alternatives are
// proposed in the message, and people decide. A line is a spreadsheet row, also in csv.
//
// A row or an amount that WriteFixed writes is first read as the record is read, and left to people if that gives
// anything else.
//
// A spreadsheet number is parsed from its text, never as floating point. Spreadsheets store 15 digits: typed numbers
// are cut, computed ones are rounded. If the chain's amount has more digits, a number that equals its first 15 digits,
// cut or rounded, is [WithinRounding]; so is a number with the same binary value, as programs write it to a workbook.
// No other number is. Text is if it has 15 to 17 digits itself, and is the amount or its nearest double, rounded to 15, 16
// or 17 digits: see double.go, which computes it with whole numbers. A number with an exponent has the value that is
// written; one padded by its format (2.10E+15) is rejected.
//
// The package has its own streaming xlsx reader, which stops at any error. Excelize, which the tests use to write
// workbooks, ends a sheet there without an error and, when streaming, does not distinguish numbers from text.
//
// The chain's side is what the accounts paid in the period, nothing else: for a row that another account paid, it is 0.
// A result without accounts, or for a part of the period, is never called complete.
//
// A fee is in the network's token if its column, a column next to it, its cell or the user states so. A fee stated to
// be in another asset is never compared, and no advice suggests it.
//
// The difference of an item is always books minus chain, so that sums add up. Rows and items are kept in temporary
// files, not in memory.
package reconcile
