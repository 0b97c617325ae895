// Package gatewayclient asks a block gateway (Substrate API Sidecar) over HTTP. Package httpclient
// says how often and for how long; package sidecar reads the answers.
//
// An answer for another block than the one that was asked for is an error.
package gatewayclient
