// Package scale reads SCALE, the binary encoding of Substrate's values: little-endian
// integers of a fixed size, compact integers, and sequences behind their length. It knows no
// types; package metadata has those of a runtime.
//
// A [Reader] trusts nothing: it never reads beyond its bytes, and takes no length that
// they cannot hold. It keeps its first error; after that, everything reads as zero, so that a
// decoder can read several values and ask once.
//
// It writes no more than hashes are made of: compact integers, and bytes behind their length.
//
// Source: docs.substrate.io, Type encoding (SCALE); parity-scale-codec.
package scale
