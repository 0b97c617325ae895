// Package rollforward leads from what accounts had before a period to what they had after
// it, line by line, as auditors want it: opening + received + rewards + other in - sent -
// fees - other out ± reserved = closing, for each account, each group of accounts, and all
// of them.
//
//	statement.Statement (of an account in a period) ─► Each ─► Classifier ─► Item ─► Column
//
// Every line is the sum of movements that [Rollforward.Each] lists, and each movement is in
// one line of a column. Package statement proves the balances at both ends. What nobody can
// classify is a line of its own, with its count. What is unexplained is named. Nothing is
// made to fit.
//
// # Classes
//
// What a movement was stands in two tables: classes.txt has the classes, of which line each
// is and whether some recorded chain has a movement of it; rules.txt has which class a
// movement is of, with the source of each row. The first row that fits decides. A user's
// rules ([ReadOwnRules]) come before all but those of fees.
//
// A ledger has the events of the pallet balances alone. So what a hook deposits is a
// staking reward where nobody is seen to have paid it, neither the treasury nor another chain's
// sovereign account, and unclassified otherwise. A lock (Locked, Frozen) moves nothing, and is
// in no line.
//
// # Columns
//
// An account's column has all transfers as received and sent. In the column of a group, and
// of all accounts, those between two of its accounts are a line of their own, internal, in
// and out: together they are 0, free and reserved together. So what a group received and sent
// is what came from others and went to others.
//
// # Before you change it
//
// Free and reserved are added up apart: closing is the free balance, and the total is free
// and reserved together. What an event does not tell, and the balances of its block do, is an
// item of its own, of the class of the movement that it is about.
package rollforward
