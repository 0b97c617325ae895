// Package gateway answers the requests that Substrate API Sidecar answers, byte for byte as Sidecar 18.0.0, using only a
// node ([New]) or its recorded answers ([Of]). A block takes two requests to the node.
package gateway
