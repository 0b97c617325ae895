// Package decoders measures JSON libraries on one task of this project: decoding a gateway's block response into the
// values that fees are computed from. It contains only tests and benchmarks, in its own module, so that the libraries
// do not become dependencies of the main module.
package decoders
