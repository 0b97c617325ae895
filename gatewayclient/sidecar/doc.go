// Package sidecar decodes the responses of Substrate API Sidecar from JSON into the types of package chain,
// wherever the text comes from. Clients and archives share it.
//
// # Before you change it
//
// [DecodeBlock] scans a text once and verifies all of it: grammar, UTF-8, depth, no duplicate keys in an
// object. Only what rules read becomes Go values: the block, its extrinsics and events, and the arguments and data in
// package internal/schema (data.go, payload.go). The rest is only scanned. The speed comes from that; bench/decoders
// compares it with other libraries.
//
// successor.go decodes the forms that only Sidecar's successor writes.
//
// usual.go is a fast path for extrinsics and events in the exact form that Sidecar writes. If it fails it has
// consumed nothing, and block.go decodes or rejects them.
//
// A response whose frame is broken is a [DecodeError] that names the field. An invalid transaction is not: it
// is left to the rules, which list it without a fee.
package sidecar
