// Package answers records a gateway's answers as files with the exact bytes, reads them back, and serves them again. A
// small archive contains one file for each answer:
//
//	blocks/<height>.json                     /blocks/<height>
//	headers/<height>.json                    /blocks/<height>/header
//	multiplier/<height>.json                 nextFeeMultiplier?at=<height>
//	parameters/<height>.json                 FeesTreasuryProportion?at=<height>, if the chain has it
//	base-fee/<height>.json                   the stored base fee?at=<height>, if the chain stores it
//	block-weight/<height>.json               system.blockWeight?at=<height>, if the multiplier depends on it
//	balance-info/<address>/<height>.json     /accounts/<address>/balance-info?at=<height>
//	runtime-spec/<height>.json               /runtime/spec?at=<height>; with a manifest, only where it changes, or
//	runtime-spec.json                        the same for all heights
//	node-version.json                        /node/version
//	manifest.json                            what was recorded, with checksums
//
// A long archive stores the answers of a thousand heights together, under the same paths, in a segment:
//
//	segments/<first>-<last>.zip              a zip file of zstd frames
//
// The head of an archive is the highest height with a block. [Record] makes an archive, [Verify] proves that it is
// unaltered, and [Handler] serves it as a gateway. Recordings without a manifest can be read, too. With a manifest,
// each answer is checked against it when it is read.
//
// Parameters, base fees and weights are absent if the gateway did not offer them. The manifest states the key, the item and the
// heights of the requests. An archive made without them stays that way.
//
// # Before you change it
//
// An archive is evidence. The recorder decodes and checks each answer before it stores the exact bytes. It writes a file
// under a temporary name, syncs it, and renames it. It writes plain files in the order of the heights, with a height's
// block after its other answers, and then the runtimes. The manifest comes last and contains no time. Thus every file
// is complete, a killed recorder continues where it stopped, and the same range gives the same bytes.
//
// A segment is an archive of a thousand heights in one file. The last entry of its zip file lists the others, with
// checksums and offsets. The manifest contains the checksum of the whole file, for [Verify], and the offset and checksum
// of that list. So one answer can be read and proved without the rest. The zip file's own directory serves people, and
// a recorder that finds a segment without a manifest: it writes the segment again, discarding the output, and accepts
// the segment if the bytes agree.
//
// Memory does not grow with the range. The recorder holds the list of one segment, a reader the lists of four.
//
// Several heights are requested concurrently and stored in order, using package inorder.
package answers
