// Package render builds the responses of Substrate API Sidecar 18.0.0 from a node's data, to the byte. It
// sends no requests: its functions take a node's raw responses and return JSON.
//
// A [Runtime] decodes data created under it. For a block, that is the runtime of its parent: it executed the
// block, and the next block migrates the state that it left. So Sidecar decodes events, storage and balances
// at a block with the runtime of the block's parent, while its runtime spec is that of the runtime that
// executes the next block.
//
// The responses reproduce Sidecar's omissions and errors: authorId is the first 20 bytes of the author's
// Nimbus key, not an account; paysFee is copied from the event, even if the fee was waived; fees are never
// included. If a node has lost its events, Sidecar notes this in each extrinsic; here it is an error, and
// there is no response.
//
// The seals of a real chain's blocks, and digests of the kinds Other and RuntimeEnvironmentUpdated, follow the
// rules but were never compared with a recorded response; package scalejson lists the pallets that were.
// Sidecar 18.0.0 cannot serve a block with an extrinsic of version 5. Here, a bare one is written as by a
// later polkadot-js, like one of version 4; a general one likewise, with its era. If the metadata do not list the
// version of its extensions, its pallet and call are "unknown". Decoded XCM messages (?decodedXcmMsgs=true)
// are not supported.
package render
