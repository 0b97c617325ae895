// Package evidence proves a report against what the chain itself recorded: what it withdrew
// and gave back, who was credited, who signed, and how blocks and their multipliers follow
// from each other.
//
// A fee that the chain did not charge like that is a drift. It is reported, and never
// corrected.
//
// What the chain recorded is somebody's word, or is itself proved up to a trusted block:
// [Evidence] says which, and changes no verdict.
//
// # Before you change it
//
// A check is one row of checks (checks.go): its name, what holds, where the rule is from,
// when it is made, what it asks of the rules, and the function that makes it. It holds, or is
// broken, or is not made, and then it says why. To add a check, add its row and its function.
//
// [Prove] makes the checks of a block alone. [Sequence] makes those that are about a block
// beside the ones before it (besideParent, besideEarlier). It knows what the range so far tells, such
// as the next nonces of accounts, and keeps that of the latest accounts only.
//
// chain.Cash says which deposit of an extrinsic is the refund and which are credits.
//
// An identity is worked out, not believed. identify builds the signed transaction from the
// payload as package ethtx does, hashes it, and recovers the signer. The event
// ethereum.Executed must say the same. Validity follows the rules of the runtimes, which are
// not Ethereum's: an s in the upper half of the curve's order is valid, for the runtimes only
// ask that it is below the order. In a legacy transaction, v must be 27, 28 or more than 36.
package evidence
