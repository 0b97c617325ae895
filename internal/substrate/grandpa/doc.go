// Package grandpa verifies the finality of blocks offline: it checks a justification, the votes of a chain's
// validators for a block, against the set of those validators, and follows the sets from one to the next.
//
// A [Set] is trusted or handed over. The last block of a set names the next one in its header, and the set itself
// finalizes that block. So a [Chain] of such blocks leads from one trusted set to any later one. What remains
// assumed: fewer than a third of the validators of each set, by weight, voted against the rules. Former validators
// could sign another history of their own time, so the first set must come from a source outside the proof.
//
// # The rule, and a node's
//
// A justification is accepted if
//
//  1. each vote is by a member of the set, and correctly signed for this round and this set's ID;
//  2. each vote is for the commit's target, or for a descendant of it by the given headers;
//  3. the members that voted, each counted once, have at least the threshold's weight;
//  4. no vote and no header is repeated, and no header is unused.
//
// A vote for a descendant is a vote for the target, so the rule accepts nothing that is not proved. It is plainer
// than a node's. A node also ignores votes by others and repeated votes, accepts repeated headers, and takes the
// lowest vote as the base, even if it is below the target: these are refused here, as bridges refuse them. A node
// refuses votes that would prove a block higher than the target too; they are accepted here. Both count a member with
// two different votes (an equivocation) once. No justification of a real chain that we know falls into any of these
// cases.
//
// # Traps
//
//   - No signature covers the number of a commit's target. It is compared with the votes and the header.
//   - A set's ID goes up at each change, even if its keys stay.
//   - The state of the block that hands over already names the next set, but the old one finalizes the block.
//   - The threshold is by weight, not by members.
//   - A forced change restarts a stalled chain. No justification hands over there.
//   - The heights in a checkpoint's table of sets can repeat, or go down, after a forced change.
//
// # Signatures
//
// Signatures are checked by crypto/ed25519: RFC 8032 without the cofactor, with a canonical R and S. Substrate accepts
// by ZIP-215, which is wider: whatever this rule accepts, ZIP-215 accepts. Only a validator that signs deliberately
// outside RFC 8032 can make a signature that nodes accept and this package refuses. That prevents a proof, but never
// makes a false one.
//
// Sources: Polkadot protocol specification, chapter 6 "Finality" (votes, commits, justifications, authority sets) and
// 3.3.4 (consensus messages in the digest); paritytech/finality-grandpa, src/lib.rs (validate_commit) and voter_set.rs;
// paritytech/polkadot-sdk, substrate/primitives/consensus/grandpa/src/lib.rs, and justification.rs, authorities.rs,
// finality_proof.rs and warp_proof.rs in substrate/client/consensus/grandpa/src.
package grandpa
