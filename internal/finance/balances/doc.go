// Package balances proves what an account had: the balance before some blocks and the
// movements in them make the balance after, to the wei. Statements and journals have this
// one proof.
//
//	Prover.Ends ─► opening, closing ─► Comparison.Close ─► Prover.Prove ─► Differences
//
// It goes in three steps.
//
//  1. [Prover.Ends] asks a [Reader] for the balances before and after.
//  2. The caller adds the movements to a [Running] balance while it reads them.
//     [Comparison.Close] says what is unexplained at the end.
//  3. [Prover.Prove] finds the blocks that do not fit. It asks for the balance in the
//     middle, and goes on with each half that does not fit.
//
// What does not fit is named with its block and its amount. It is never made to fit.
//
// # Before you change it
//
// Movements are read, not held. [Prover.Movements] reads them anew for each span that is
// looked into.
//
// The balance is compared at the ends, around each block with a change that no event tells,
// or after every block ([Options.EveryBlock]). All three are one fold over the same movements.
package balances
