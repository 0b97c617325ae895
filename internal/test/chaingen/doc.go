// Package chaingen generates chains of any length for tests and benchmarks at scale, and for the small command
// in its directory.
//
// The blocks are generated in SCALE, with the metadata of real runtimes. The chain responds like a node
// ([Chain.Node]) and, through package render, like a gateway ([Chain.Handler], [Chain.Source]), both from the
// same bytes.
//
// The chain is a Moonbeam chain, or a similar one with different parameters ([Options.Network]): runtime 2302,
// and 2600 after an upgrade. Both have a dynamic base fee, a multiplier update that follows from the block
// only, and known destinations of the fees. So package evidence verifies the whole block without a finding. Its usage
// is simulated: calm, busy and rushed hours; a few accounts and contracts that are in many blocks, and very many that
// are in few.
//
// Everything is a function of seed and height, so any block can be requested at any time. Only the multiplier,
// the hash and the known balances depend on all earlier blocks, which are generated for that: some 60
// microseconds per block. The state is stored at every thousandth height.
//
// The extrinsics root in a header is right. With [Options.Rooted] the state root is that of a trie, from which
// the node serves state_getReadProof. The trie contains the state that the node serves, and more, so that
// proofs are as deep as real ones: a few hundred accounts that are in no event, a number for each pallet, and
// a placeholder for the runtime's code. It also contains the [Chain.Accounts], whose balances and nonces
// follow from the events. All of a block's trie has the layout of the runtime that executed the block: 0 for
// [FirstRuntime], 1 for [SecondRuntime]. A real chain keeps the old nodes.
//
// A block's hash is that of its header, and an extrinsic's that of its bytes. Differences from a real chain:
// the signatures are seeded random bytes, and so are the hashes of the EVM transactions, unless
// [Options.Signed], and the state roots, unless [Options.Rooted]. The metadata of runtime 2302 are those of
// 2100, with its number. An account's nonces never fall, but they have gaps, and those of an account that
// sends little can repeat. Balances exist only for the [Chain.Accounts]: another account can spend money that
// it never received, its balance-info is not served, and the node rejects requests for it. The trie of a
// rooted chain does not contain such an account, and a proof shows that: it matches the root, not the events.
package chaingen
