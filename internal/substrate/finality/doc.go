// Package finality checks a chain of evidence from a set of validators to a value in a block's state, offline:
//
//	trusted set → hand-offs → a final block → its state → a parachain's head → its earlier blocks → their state
//
// Evidence is a JSON object. Bytes are 0x-hex of SCALE. Each member after root is optional, others are ignored.
//
//	root   the trusted set of validators: setId, with authorities (the set) or
//	       authoritiesFromScheduledChangeOf (a header that announces it); or a checkpoint of a chain
//	       specification: lightSyncState, or its member grandpaAuthoritySet
//	steps  an array of blocks that are final, the lowest first: header, justification, ancestors
//	relay  one more such block, the highest
//	para   a parachain of it: id, key, readProof, ancestors
//	state  a value in a block's state: at (a block's hash), key, readProof
//
// A step is a block's justification, with its header, and headers of its ancestors in any order. Without the header, it
// proves only the block. readProof is a response of state_getReadProof at one of the blocks proved before: for para a
// block of the relay chain, for state one of the parachain, or, without para, of the chain itself.
//
// A relay block's hash can be trusted instead of validators. Then headers and read proofs suffice.
//
// Sources: package grandpa, header and trie; paritytech/polkadot-sdk, polkadot/runtime/parachains/src/paras/mod.rs
// (Heads).
package finality
