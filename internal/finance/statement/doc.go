// Package statement produces account statements ([Make]): every movement of an account's native balance and every
// fee that it paid in a range of blocks, in chain order, between the opening and the closing balance. It
// proves that the opening balance plus the movements equals the closing balance.
//
// Movements and fees come from a ledger, balances from a gateway or an archive. A mismatch is reported
// with its block and amount, excluded from all sums, and never adjusted away.
package statement
