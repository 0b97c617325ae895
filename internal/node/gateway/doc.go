// Package gateway answers the requests that Substrate API Sidecar answers, byte for byte as Sidecar 18.0.0, using only a
// node.
//
// A block takes two requests: the block, and the state needed for its events. Hashes of final blocks are requested in lists.
// The runtime of a block is determined once per runtime, not once per block.
//
// # Before you change it
//
// Heights and runtimes are cached only for final blocks. Data with a hash is cached by hash, once the header has proved to
// have that hash, because nodes behind one address differ. A block and the state it leaves are decoded with the runtime
// after its parent: a new runtime changes the state only when the next block begins.
package gateway
