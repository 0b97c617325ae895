// Package evidence verifies a fee report against the chain's own records: withdrawals and refunds, credits,
// signatures, and the continuity of blocks and their multipliers.
//
// A fee that differs from what the chain charged is a drift. It is reported, never corrected.
//
// The chain's records are either reported by a source or proved up to a checkpoint. [Evidence] states which;
// it does not change any verdict.
//
// # Before you change it
//
// A check is one row of checks (checks.go): its ID, the property, the source of the rule, its occasion, the
// condition on the rules, and the function that makes it. It passes, fails, or is not made, with a reason. To
// add a check, add a row and a function.
//
// [Prove] makes the checks of a block by itself. [Sequence] makes those that involve earlier blocks
// (besideParent, besideEarlier). It keeps what it needs from the range so far, such as the next nonces of the
// most recent accounts.
//
// chain.Cash decides which deposit of an extrinsic is the refund and which are credits.
//
// An identity is computed, not trusted. identify builds the signed transaction from the payload as package
// ethtx does, hashes it, and recovers the signer. The event ethereum.Executed must agree. Validity follows the
// rules of the runtimes, not Ethereum's: an s in the upper half of the curve's order is valid, because the
// runtimes only require it to be below the order. In a legacy transaction, v must be 27, 28 or more than 36.
package evidence
