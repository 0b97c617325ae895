// Package trie reads Substrate's state trie: what a key has by a root, or that it has nothing,
// by a proof of which nothing is trusted, and the root of a list such as a block's extrinsics.
//
// A trie has its keys by their nibbles (half bytes, the higher one first). A node has a
// partial key, perhaps a value, and a child for each nibble that may come next. A child of
// less than 32 bytes stands in its parent; of any other the parent has the hash. So the hash
// of the root commits to everything, and whoever has that hash needs nothing but the nodes on
// the way to a key. A node says by itself whether its value is in it or is known by its hash:
// proofs of both layouts are read alike, and a state in which both kinds stand, as one does
// whose chain went from layout 0 to layout 1.
//
// There is one encoding of a node, and no other is read: a node that says the length of
// something in a longer form, pads its key with anything but zero, has a branch without
// children, a child that is empty or of more than 32 bytes, or something behind its end, is
// an error. No encoder of a chain writes such a node. None of them could make a false proof
// either, since a node counts only where a hash names it. But bytes that can be read in two
// ways are no evidence. What two nodes together could say in two ways is not looked at: a
// branch with one child and no value, a child of less than 32 bytes by its hash, or a short
// value by its hash. A root that commits to them says the same by either form.
//
// Compact proofs, which leave out hashes that follow from others, are not read:
// state_getReadProof does not answer with them.
//
// Sources: Polkadot protocol specification, chapter 2 "States and Transitions", 2.4.3 and
// 2.4.4 (definitions 22 to 29); for what that leaves open, paritytech/polkadot-sdk,
// substrate/primitives/trie/src/node_header.rs and node_codec.rs.
package trie
