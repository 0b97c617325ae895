// Package trie verifies proofs of Substrate's state trie: given a root, they show the value of a key, or that
// it has none, without trust in the proof. It also computes the root of a list such as a block's extrinsics.
//
// A trie stores its keys by their nibbles (half bytes, the higher one first). A node has a partial key,
// perhaps a value, and a child for each possible next nibble. A child of less than 32 bytes is embedded in its
// parent; otherwise the parent contains its hash. So the hash of the root commits to everything, and the nodes
// on the way to a key suffice to verify it. A node states whether it contains its value or the value's hash:
// proofs of both layouts are read alike, and so are states that mix both, such as those of a chain that
// changed from layout 0 to layout 1.
//
// Only the canonical encoding of a node is accepted. A node that encodes a length in a longer form, pads its
// key with anything but zero, has a branch without children, a child that is empty or of more than 32 bytes,
// or trailing bytes, is an error. No encoder of a chain writes such a node. None of them could forge a proof
// either, since a node counts only if a hash names it. But ambiguous bytes are not evidence. Ambiguity between
// two nodes is not checked: a branch with one child and no value, a child of less than 32 bytes by its hash,
// or a short value by its hash. A root that commits to them has the same meaning in either form.
//
// Compact proofs, which omit hashes that follow from others, are not supported: state_getReadProof does not
// return them.
//
// Sources: Polkadot protocol specification, chapter 2 "States and Transitions", 2.4.3 and 2.4.4 (definitions
// 22 to 29); for what it leaves open, paritytech/polkadot-sdk, substrate/primitives/trie/src/node_header.rs
// and node_codec.rs.
package trie
