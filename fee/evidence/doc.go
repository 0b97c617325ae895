// Package evidence verifies a fee report against the chain's own records: withdrawals and refunds, credits,
// signatures, and the continuity of blocks and their multipliers.
//
// [Prove] makes the checks of a block by itself, [Sequence] those that involve earlier blocks. A check passes, fails, or
// is not made, with a reason. [Checks] lists them with their sources. A fee that differs from what the chain charged is
// a drift. It is reported, never corrected.
//
// The chain's records are either reported by a source or proved up to a checkpoint. [Evidence] states which;
// it does not change any verdict.
package evidence
