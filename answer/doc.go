// Package answer makes the answers of Substrate API Sidecar 18.0.0 from what a node says, to
// the byte. It asks nobody: its functions take raw answers of a node and give JSON.
//
// A [Runtime] decodes what was made under it. For a block, that is the runtime of its parent:
// it executed the block, and what it left in the state waits for the next block to be
// migrated. So Sidecar reads events, storage and balances at a block with the runtime of the
// block's parent, while its runtime spec is of the runtime that executes the next block.
//
// Where Sidecar loses something or is wrong, so are these answers: authorId is the first 20
// bytes of the author's Nimbus key and no account; paysFee is what the event says, also where
// the fee was waived; a fee is never told. Where a node has lost its events, Sidecar writes so
// in each extrinsic; whoever asks the node here has an error of it, and makes no answer.
//
// The seals of a real chain's blocks, digests of the kinds Other and RuntimeEnvironmentUpdated,
// and extrinsics of version 5 follow the rules and were never compared with
// a recorded answer. An extrinsic of version 5 that is neither signed nor bare is an error.
package answer
