// Package gatewayclient is a client for block gateways (Substrate API Sidecar) over HTTP. Package httpclient
// does retries and timeouts; package sidecar decodes the responses.
//
// A response for a different block than the one requested is an error.
package gatewayclient
