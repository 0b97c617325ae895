// Package statement makes account statements: every movement of an account's native balance
// and every fee that it paid in a span of blocks, in the order of the chain, between the
// balance before and the balance after. It proves that the first balance and the movements
// make the second.
//
// The movements and the fees come from a ledger, the balances from a gateway or an archive.
// What does not fit is named with its block and its amount. It is never made to fit.
//
// # Before you change it
//
// A statement is read, not held. [Statement.Each] merges the ledger's movements and payments
// as they come, anew each time.
//
// Package balances has the proof. A difference is halved until its block is named, and stays
// outside of all sums.
package statement
