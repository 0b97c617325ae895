// Package gateway answers the questions that Substrate API Sidecar answers, from a node
// alone, to the byte as Sidecar 18.0.0 does.
//
// A block takes two questions: the block, and what of its state tells its events. Hashes of
// final blocks are asked for many at a time. Which runtime made a block is found out once for
// each runtime, and not for each block.
//
// # Before you change it
//
// Heights and runtimes are remembered of final blocks alone. What has a hash is remembered
// by it, once its header has proved to have that hash: nodes behind one address differ. A
// block and the state that it left behind are decoded by the runtime of its parent: what a
// new runtime changes in the state, it changes when the next block begins.
package gateway
