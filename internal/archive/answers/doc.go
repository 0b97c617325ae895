// Package answers keeps a gateway's answers as files, the exact bytes. It reads them back,
// and serves them again. A small archive has one file for each answer:
//
//	blocks/<height>.json                     /blocks/<height>
//	headers/<height>.json                    /blocks/<height>/header
//	multiplier/<height>.json                 nextFeeMultiplier?at=<height>
//	parameters/<height>.json                 FeesTreasuryProportion?at=<height>, where the chain has it
//	block-weight/<height>.json               system.blockWeight?at=<height>, where the multiplier follows from it
//	balance-info/<address>/<height>.json     /accounts/<address>/balance-info?at=<height>
//	runtime-spec/<height>.json               /runtime/spec?at=<height>; with a manifest, where it changes, or
//	runtime-spec.json                        the same for all heights
//	node-version.json                        /node/version
//	manifest.json                            what the recorder kept, with sums
//
// A long archive keeps the answers of a thousand heights together, under the same paths, in
// a segment:
//
//	segments/<first>-<last>.zip              a zip file of zstd frames
//
// The head of an archive is the highest height that has a block. [Record] makes an archive,
// [Verify] proves that nothing in it has changed, and [Handler] is a gateway over it. A
// directory of recordings without a manifest can be read too. Where there is a manifest,
// each answer is checked against it when it is read.
//
// The parameters and the weights are not there where the gateway said that it does not have
// them. The manifest says by which key and at which heights it was asked. An archive that was
// made without them stays as it is.
//
// # Before you change it
//
// An archive is evidence. The recorder decodes and checks each answer before it keeps the
// exact bytes. It writes a file under a temporary name, flushes it to the disk, and renames
// it. It keeps plain files in the order of the heights, a height's block after its other
// answers, and then the runtimes. The manifest comes last, and has no time in it. So whatever
// is there is whole, a recorder that was killed goes on where it stopped, and the same range
// gives the same bytes.
//
// A segment is an archive of a thousand heights in one file. The last entry of its zip file
// lists the others, with their sums and places. The manifest has the sum of the whole file,
// for [Verify], and the place and sum of that list. So one answer is read and proved without
// the rest. The zip file's own directory is for people, and for a recorder that finds a
// segment without a manifest: it writes the segment once more, to nowhere, and takes the
// segment that is there if the same bytes come out.
//
// Memory does not grow with the range. The recorder holds the list of one segment, a reader
// those of four.
//
// Several heights are asked for at once, and kept in their order, by package inorder.
package answers
