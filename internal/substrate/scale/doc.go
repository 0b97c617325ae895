// Package scale decodes SCALE, the binary encoding of Substrate's values: little-endian integers of a fixed
// size, compact integers, and sequences with a length prefix. It does not handle types; package metadata has
// those of a runtime.
//
// A [Reader] is safe on untrusted input: it never reads beyond its bytes, and rejects lengths that exceed
// them. It keeps its first error; after that, all values read as zero, so a decoder can read several values
// and check once.
//
// It encodes only what hashes require: compact integers, and bytes with a length prefix.
//
// Source: docs.substrate.io, Type encoding (SCALE); parity-scale-codec.
package scale
