// Package chaingen makes up a chain's blocks, as many as a test of scale wants. It is for tests
// and benchmarks, and for the small command below it.
//
// The blocks are made in SCALE, by the metadata of real runtimes. The chain answers as a node
// does ([Chain.Node]), and, by package render, as the gateway does ([Chain.Handler],
// [Chain.Source]): both tell of the same bytes.
//
// The chain is one of Moonbeam's, or another of its kind with figures of its own
// ([Options.Network]): runtime 2302, and 2600 after an upgrade. Both have a dynamic base
// fee, an update of the multiplier that follows from the block alone, and known
// destinations of the fees. So all of a block can be proved. How the chain is used is made
// up: calm, busy and rushed hours; a few accounts and contracts that are in many blocks, and
// very many that are in few.
//
// Everything is a function of seed and height, so any block can be asked for at any time.
// Only the multiplier, the hash and the balances that are known follow from all blocks before,
// each of which is made for it: some 60 microseconds a block. What the blocks up to every
// thousandth height add up to is kept.
//
// The extrinsics root in a header is true. With [Options.Rooted] the state root is that of a trie, from which the node answers state_getReadProof.
// In it is what else the node tells of the state, and more, so that proofs are as deep as real
// ones: a few hundred accounts that are in no event, a number for each pallet, and bytes that
// stand for the runtime's code. So are the [Chain.Accounts], whose balances and nonces truly
// follow from the events. A block's trie has the layout of the runtime that executed the block,
// all of it: 0 for [FirstRuntime], 1 for [SecondRuntime]. A real chain keeps the old nodes.
//
// A block's hash is that of its header, and an extrinsic's that of its bytes. What is not true
// of a real chain: the signatures are seeded random bytes, as are the hashes of the EVM
// transactions, unless [Options.Signed], and the state roots, unless
// [Options.Rooted]. The metadata of runtime 2302 are those of 2100, with its number. An
// account's nonces never fall, but they have gaps, and those of an account that sends little can
// come twice. Nobody keeps balances but of the [Chain.Accounts]: another account can spend what
// no event gave it, its balance-info is not served, and the node refuses to tell of it. The trie
// of a rooted chain has nothing of such an account, and a proof says so: it is the truth of the
// root, and not of the events.
//
// # Before you change it
//
// Package evidence must prove the blocks without a finding. For that this package has figures
// and formulas of its own for the fees and the multiplier: the two prove each other. Do not
// import the rules here.
//
// Tests, benchmarks, its own command, and what makes the files of archive/demo/monthend import
// this package, and nothing else does.
package chaingen
