// Package statement produces account statements: every movement of an account's native balance and every
// fee that it paid in a range of blocks, in chain order, between the opening and the closing balance. It
// proves that the opening balance plus the movements equals the closing balance.
//
// Movements and fees come from a ledger, balances from a gateway or an archive. A mismatch is reported
// with its block and amount, and never adjusted away.
//
// # Before you change it
//
// A statement is read, not held in memory. [Statement.Each] merges the ledger's movements and payments
// while reading, each time it is called.
//
// Package balances contains the proof. It locates the block of a difference by bisection and excludes the
// difference from all sums. outside of all sums.
package statement
