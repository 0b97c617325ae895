// Package metadata decodes a runtime's metadata: its types, pallets, calls, events, storage entries and
// constants, and the parts of an extrinsic. They are needed to decode a node's data.
//
// Versions 14, 15 and 16 contain the types. Version 13 only names types, whose definitions are built into
// clients: of it, the package decodes pallets with their storage and constants, and [Metadata.Typed] returns
// false. Older versions are rejected.
//
// Source: paritytech/frame-metadata, v13.rs to v16.rs; paritytech/scale-info.
package metadata
