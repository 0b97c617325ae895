// Package chaingen makes up a chain's blocks, as many as a test of scale wants, in
// the very form in which the gateway serves real ones. It is for tests and
// benchmarks, and for the small command below it.
//
// The chain is one of Moonbeam's: runtime 2302, and 2501 after an upgrade. Both have
// a dynamic base fee, an update of the multiplier that follows from the block alone,
// and known destinations of the fees, so that all of a block can be proved. How it
// is used is made up: calm, busy and rushed hours; a few accounts and contracts that
// are in many blocks, and very many that are in few.
//
// Everything is a function of seed and height, so that any block can be asked for at
// any time. Only the multiplier follows from all blocks before: it is worked out
// once, from what every block weighs, and kept for every thousandth height.
//
// What is not true of a real chain: the hashes of blocks and extrinsics, the state
// roots and the native signatures are seeded random bytes, and so are, unless
// [Options.Signed], those of the EVM transactions. An account's nonces never fall, but
// they have gaps, and those of an account that sends little can come twice.
// Nobody keeps balances: an account can spend what no event gave it, and
// balance-info is not served.
package chaingen
