// Package balances proves an account's balances: the balance before some blocks plus the movements in them
// equals the balance after, to the wei. Statements and journals share this proof.
//
//	Prover.Ends ─► opening, closing ─► Comparison.Close ─► Prover.Prove ─► Differences
//
// The proof has three steps.
//
//  1. [Prover.Ends] queries a [Reader] for the balances before and after.
//  2. The caller adds the movements to a [Running] balance while reading them.
//     [Comparison.Close] computes the unexplained difference at the end.
//  3. [Prover.Prove] locates the blocks that do not match by bisection.
//
// A mismatch is reported with its block and amount, and never adjusted away.
//
// # Before you change it
//
// Movements are read, not held in memory. [Prover.Movements] reads them again for each range that is
// examined.
//
// The balance is compared at the ends, around each block with a change that no event states, or after every
// block ([Options.EveryBlock]). All three are one fold over the same movements.
package balances
