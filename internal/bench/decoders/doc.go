// Package decoders measures JSON libraries on the one decoding job of this
// project: from the body of a gateway's block answer to the values that fees
// are computed from. It holds tests and benchmarks only, in a module of its
// own, so that what it measures is no dependency of the main module.
package decoders
