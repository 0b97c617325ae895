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
// unaltered, and [Handler] serves it as a gateway. Recordings without a manifest can be read, too, and may name an account in
// any form. With a manifest,
// each answer is checked against it when it is read. The same answers for the same range give the same bytes.
//
// Parameters, base fees and weights are absent if the gateway did not offer them. The manifest states the key, the item and the
// heights of the requests. An archive made without them stays that way.
package answers
