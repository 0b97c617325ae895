// Package reconcile compares a company's own record of fees with the ledger.
//
// [ReadFile] reads the record, a csv or xlsx file with a row for each fee. It rejects ambiguous input, and reports each
// unreadable row with its line (a spreadsheet row, also in csv) and column; [Tries] returns the settings with which the
// file may be readable, several if only people can choose. Titles above the header and total rows are recognised and
// listed in the file's notes. [MatchAll] finds the transaction of each row, and the accounts' transactions that no row
// names. [Result.Sheets], [Result.WriteTable] and [Result.MarshalJSON] write the result, which contains no timestamps:
// the same file and the same ledger give the same bytes. [Result.WriteFixed] writes the company's own file again, with
// the result added to each row, the right amounts, and a row for each missing transaction.
//
// Amounts are parsed from their text, never as floating point. A number that a spreadsheet or a script writes for the
// chain's amount, with 15 to 17 digits, is [WithinRounding]. A number with an exponent has the value that is written;
// one padded by its format (2.10E+15) is rejected.
//
// The chain's side is what the accounts paid in the period: for a row that another account paid, it is 0. A difference is
// books minus chain, so that sums add up. A row in another asset is left out only if the ledger lacks its transaction.
// A result without accounts, or for a part of the period, is never called complete.
package reconcile
