// Package balances proves an account's balances: the balance before some blocks plus the movements in them
// equals the balance after, to the wei. Statements and journals share this proof.
//
//  1. [Prover.Ends] queries a [Reader] for the balances before and after.
//  2. The caller adds the movements to a [Running] balance while reading them.
//     [Comparison.Close] computes the unexplained difference at the end.
//  3. [Prover.Prove] locates the blocks that do not match by bisection.
//
// A mismatch is reported with its block and amount, and never adjusted away.
package balances
