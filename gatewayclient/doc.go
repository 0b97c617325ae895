// Package gatewayclient asks a block gateway (Substrate API Sidecar) over HTTP. Package
// sidecar reads its answers.
//
// Answers are checked: a body for another block than was asked for is an error.
package gatewayclient
