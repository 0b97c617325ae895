// Package header has a block's header in the form that the chain hashes, and what follows from
// that: its hash, and that of its parent proved by it, so that whoever knows one block of a
// chain has every block below it proved without anybody's word.
//
// It does not say that a chain is the one that others follow. What makes a block final (the
// relay chain's validators, for a parachain) is in no header: the block to begin with is to
// be known from somewhere else.
//
// Sources: Polkadot protocol specification, chapter 2, definitions 10 to 12;
// paritytech/polkadot-sdk, substrate/primitives/runtime/src/generic/header.rs and digest.rs.
package header
