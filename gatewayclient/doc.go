// Package gatewayclient asks a block gateway (Substrate API Sidecar) over HTTP,
// and turns the JSON of its answers into the vocabulary of package chain. The
// Decode functions do the latter alone, for answers that were kept in files.
//
// Answers are checked: a body for another block than was asked for is an error.
package gatewayclient
