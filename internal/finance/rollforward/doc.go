// Package rollforward derives accounts' closing balances from their opening balances, line by line, as auditors
// require: opening + received + rewards + other in - sent - fees - other out ± reserved = closing, for each
// account, each group of accounts, and all of them. Closing is the free balance; the total is free plus reserved.
//
// Every line is the sum of movements that [Rollforward.Each] lists, and each movement is in one line of a column.
// Package statement proves the balances at both ends. Unclassified movements have their own line with a count.
// Unexplained differences are shown, and never adjusted away.
//
// # Classes
//
// Two tables define the classes: classes.txt lists them with their lines and whether a recorded chain contains
// such a movement; rules.txt assigns classes to movements, with the source of each row. The first matching row
// decides. A user's rules ([ReadOwnRules]) precede all but those of fees.
//
// A ledger contains only the events of the pallet balances. A deposit by a hook is therefore a staking reward if
// no payer is visible, neither the treasury nor another chain's sovereign account, and otherwise unclassified.
// A lock (Locked, Frozen) moves nothing and is in no line.
//
// # Columns
//
// An account's column shows all transfers as received and sent. In the column of a group, or of all accounts,
// transfers between two of its accounts are in the line internal, in and out; their total of free and reserved
// is 0. What a group received and sent is thus what came from and went to others.
package rollforward
