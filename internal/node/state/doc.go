// Package state asks a node what the state of its chain has, and reads it by what the runtime
// says of itself: items of storage by their names and keys, constants, calls, events. Values are
// the JSON that Sidecar makes of them.
//
// A [View] is of one block. Its state is read by the runtime of the block's parent, which wrote
// it: what a new runtime changes in the state, it changes when the next block begins.
package state
