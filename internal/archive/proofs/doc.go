// Package proofs keeps what a node says of a range of blocks, with what proves it: the
// headers, the extrinsics, and read proofs of what the state has of them. It proves all of it
// by the hash of one block, and answers from it as the node did (internal/node/gateway, on top of it,
// as Sidecar does).
//
// An archive is a directory:
//
//	headers/<first>-<last>.zst      the headers of up to a thousand blocks
//	blocks/<first>-<last>.zst       their extrinsics, and the nodes of the tries of their states
//	runtimes/<name>-<version>.metadata.zst
//	                                the metadata of a runtime that executed some of them
//	runtimes/<name>-<version>.code.zst
//	                                what proves the hash of its code, where the node gave that:
//	                                by the parent of the highest block that it executed
//	manifest.json                   the range, the runtimes, what the node said of itself; sums
//
// All but the manifest are zstd frames of SCALE. Headers are a list of headers, each as the
// chain hashes it, behind its length. For each block, blocks have the list of its extrinsics as
// the chain encodes it, and a list of parts: nodes and values of the state's trie, each behind
// its length. A part that a block below in the same file needs as well stands there alone. The
// code's proof is such a list. A file begins and ends at a thousand, or where the range does.
//
// The block below the range is kept too, for what it left behind priced the first one.
//
// # What is proved
//
// Who trusts the hash of one block has all below it proved: a header by the hash that the one
// above has of it (package header), the extrinsics by the header's root, and by its state root
// what the state has: the events, the next fee multiplier, the time, which runtime executed the
// block, and what else [RecordOptions] ask for (package trie). A key that has nothing is proved
// to have nothing.
//
// # What is not proved
//
// A runtime's metadata are what the node says of the runtime: its name and version are proved,
// and the hash of its code, which anybody can run who has it, to see that it gives these
// metadata. Whoever writes an archive's sums anew can give metadata of the same name that read
// the events otherwise; those that cannot be read, or that name another runtime, are found.
// So compare metadata by the hash of the code.
//
// What the node says of itself and its chain (names, the token), and of a runtime beside its
// name and version, is its word. That a recorder left something out, such as the hash of a code
// or an account, does not show; what is there is proved. Blocks above the trusted one are not,
// nor is it proved that the chain's validators made any of them final.
//
// # Before you change it
//
// The bytes are a function of the range and of the chain: of a node's proof only those parts
// are kept that lead to the keys, in the order of the keys. So the same range gives the same
// bytes, however often the recorder was stopped, whoever gave the blocks, and also where
// several archives were joined.
//
// A recorder goes downwards, so that it proves each block before it writes it. It writes the
// headers of a file before its blocks, and the manifest last. What is there and proves right
// is not asked for again.
//
// Memory holds the blocks of a few files, and does not grow with the range.
package proofs
