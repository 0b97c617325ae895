// Package sidecar reads the answers of Substrate API Sidecar: it turns their JSON into the
// vocabulary of package chain, wherever the text comes from. Clients and archives share it.
//
// # Before you change it
//
// [DecodeBlock] scans a text once and proves all of it: grammar, UTF-8, depth, no key twice in
// an object. Only the frame becomes Go values: the block, its extrinsics and its events.
// Arguments and event data stay [chain.Value]s, which are parts of the text. A rule looks into
// them when it needs them. That is where the speed comes from; bench/decoders has the figures
// of other libraries.
//
// successor.go turns the forms of Sidecar's successor into Sidecar's, so that nothing else
// knows them.
//
// usual.go is a fast path for extrinsics and events in the exact form in which Sidecar writes
// them. Where it fails it has read nothing, and block.go reads them, or refuses them.
//
// An answer whose frame is broken is a [DecodeError] that names the field. A transaction that
// makes no sense is none: it is left to the rules, which list it without a fee.
package sidecar
