// Package render makes the answers of Substrate API Sidecar 18.0.0 from what a node says, to
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
// The seals of a real chain's blocks, and digests of the kinds Other and
// RuntimeEnvironmentUpdated, follow the rules and were never compared with a recorded answer;
// package scalejson says which pallets were. Sidecar 18.0.0 has no answer for a block with an
// extrinsic of version 5. A bare one is written here as by a later polkadot-js, which is as one
// of version 4; a general one is an error. There are no decoded XCM messages
// (?decodedXcmMsgs=true).
package render
