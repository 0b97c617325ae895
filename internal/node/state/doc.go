// Package state reads the state of a node's chain with the runtime's own metadata: storage items by name and key, constants,
// calls, events. Values have the JSON form of Sidecar.
//
// A [View] shows one block. Its state is read with the runtime of the block's parent, which wrote it: a new runtime changes the
// state only when the next block begins.
package state
