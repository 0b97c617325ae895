// Package chaingen makes up a chain's blocks, as many as a test of scale wants, in the exact
// form in which the gateway serves real ones. It is for tests and benchmarks, and for the
// small command below it.
//
// The chain is one of Moonbeam's, or another of its kind with figures of its own
// ([Options.Network]): runtime 2302, and 2501 after an upgrade. Both have a dynamic base
// fee, an update of the multiplier that follows from the block alone, and known
// destinations of the fees. So all of a block can be proved. How the chain is used is made
// up: calm, busy and rushed hours; a few accounts and contracts that are in many blocks, and
// very many that are in few.
//
// Everything is a function of seed and height, so any block can be asked for at any time.
// Only the multiplier follows from all blocks before. It is worked out once, from the weight
// of every block, and kept for every thousandth height.
//
// What is not true of a real chain: the hashes of blocks and extrinsics, the state roots and
// the native signatures are seeded random bytes. So are those of the EVM transactions, unless
// [Options.Signed]. An account's nonces never fall, but they have gaps, and those of an
// account that sends little can come twice. Nobody keeps balances: an account can spend what
// no event gave it, and balance-info is not served.
//
// # Before you change it
//
// Package evidence must prove the blocks without a finding. For that this package has figures
// and formulas of its own for the fees and the multiplier: the two prove each other. Do not
// import the rules here.
//
// Tests, benchmarks and its own command import this package, and nothing else does.
package chaingen
