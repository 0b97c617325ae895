// Package reconcile compares a company's own record of fees with the ledger.
//
// [ReadFile] reads the record, a csv or xlsx file with a row for each fee, strictly:
// what can be read in two ways is refused, and each row that cannot be read is named
// with its line and column. [Match] finds the transaction that each row names, and
// those of the company's accounts that no row names. [Result.Sheets] and
// [Result.MarshalJSON] are the outcome, which has no clock in it: the same file and
// the same ledger give the same bytes.
package reconcile
