// Package source reads blocks from a gateway, a node, a directory of stored responses, or the built-in demo,
// through one interface: see [Open]. A [Reader] adds to each block the inputs of pricing: the rules of the runtime
// that executed it, and the multiplier in force. [Reader.Read] reads one block, [Reader.Range] a range in order with
// several requests at a time, and [Reader.Follow] a chain as it grows.
//
// A block is executed by the runtime after its parent, and priced by the multiplier that its parent stored. The
// specification reads the multiplier at the block itself: see [Reader.Specification]. [Reader.Next] returns the inputs
// of the next block.
//
// [As] finds what only some sources offer, such as [Balances]. [IsMissing], [IsUnsupported] and [IsTransient] classify
// errors.
package source
