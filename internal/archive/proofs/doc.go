// Package proofs records what a node returns for a range of blocks together with the proof: the headers, the extrinsics,
// and read proofs of their state. It proves all of it from the hash of one block, and serves it as the node did
// (internal/node/gateway, on top of it, does so as Sidecar).
//
// An archive is a directory:
//
//	headers/<first>-<last>.zst      the headers of up to a thousand blocks
//	blocks/<first>-<last>.zst       their extrinsics, and nodes of their state tries
//	runtimes/<name>-<version>.metadata.zst
//	                                the metadata of a runtime that executed some of them
//	runtimes/<name>-<version>.code.zst
//	                                the proof of its code's hash, if the node supplied it, in the state of
//	                                the parent of the highest block that it executed
//	manifest.json                   the range, the runtimes (if the last block upgrades, also the next one, which executed
//	                                none), the node's statements about itself; checksums
//	finality.json                   evidence that a block of the range, or one above it, is final, if requested
//	                                (package finality); it proves itself, so the manifest does not list it
//
// All files but the manifest are zstd frames of SCALE. A headers file is a list of headers, each as the chain hashes it,
// prefixed with its length. A blocks file contains for each block the list of its extrinsics as the chain encodes them,
// and a list of parts: the nodes and values of the state trie that lead to the keys, in the order of the keys, each
// prefixed with its length. A part that a lower block in the same file needs as well is stored only there. The code's
// proof is such a list, too. Files begin and end at multiples of a thousand, or where the range does.
//
// The block below the range is included, too, because the state it left prices the first block. The same range gives the
// same bytes, regardless of interruptions, of the node, and of whether archives were joined.
//
// # What is proved
//
// The hash of one trusted block proves everything below it: each header by the hash in the header above (package header),
// the extrinsics by the header's root, and state by its state root: the events, the next fee multiplier, the time, the
// runtime that executed the block, and what else [RecordOptions] request (package trie). The absence of a value at a key
// is proved as well.
//
// # What is not proved
//
// A runtime's metadata are the node's statement. Its name, its version and the hash of its code are proved, so anyone who
// has the code can run it and compare the metadata. Someone who rewrites an archive's checksums can supply metadata of
// the same name that decode the events differently; metadata that cannot be decoded, or name another runtime, are
// detected. So compare metadata by the hash of the code.
//
// Also not proved: the node's statements about itself and its chain (names, the token), and about a runtime beyond its name
// and version. An omission by the recorder, such as the hash of a code or an account, does not show; what is present is
// proved. Blocks above the trusted one are not proved. Finality is proved only from a set
// of validators that is trusted ([TrustFinal]).
package proofs
