// Package metadata reads what a runtime says of itself: its types, pallets, calls, events,
// storage entries and constants, and what an extrinsic is made of. Without it nothing that a
// node answers can be decoded.
//
// Versions 14, 15 and 16 have the types in them. Version 13 names types that every client
// had to know of: of that, pallets with their storage and constants are read, and
// [Metadata.Typed] is false. Older versions are refused.
//
// Source: paritytech/frame-metadata, v13.rs to v16.rs; paritytech/scale-info.
package metadata
