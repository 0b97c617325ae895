// Package sidecar decodes the responses of Substrate API Sidecar and of its successor, polkadot-rest-api, from JSON into
// the types of package chain, wherever the text comes from.
//
// [DecodeBlock] verifies all of a text (grammar, UTF-8, depth, no duplicate keys in an object), and decodes what rules
// read. A response whose frame is broken is a [DecodeError] that names the field. An invalid transaction is not: it
// is left to the rules, which list it without a fee.
package sidecar
