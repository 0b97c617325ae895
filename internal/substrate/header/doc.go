// Package header decodes a block's header in the form that the chain hashes, and computes its hash. The header
// also proves the hash of its parent, so one known block proves every block below it, without trusting anyone.
//
// It cannot show that a chain is the canonical one. What makes a block final (the relay chain's validators,
// for a parachain) is in no header: the first block must be known from another source.
//
// Sources: Polkadot protocol specification, chapter 2, definitions 10 to 12; paritytech/polkadot-sdk,
// substrate/primitives/runtime/src/generic/header.rs and digest.rs.
package header
