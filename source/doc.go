// Package source reads blocks from a gateway, a node, a directory of stored responses, or the built-in demo,
// through one interface. A [Reader] adds to each block the inputs of pricing: the rules of the runtime that
// executed it, and the multiplier in force. It reads one block, or a range in order with several requests at a
// time, or follows a chain as it grows.
//
// # Before you change it
//
// A new kind of source is a package that implements [Source], and one line of [Drivers]. What only some sources have is a
// separate interface, found by [As]: a method that returns "not offered" is never needed. A type that wraps a source
// has a method Unwrap, or it hides what the source offers.
//
// A block is executed by the runtime after its parent, and priced by the multiplier that its parent stored.
// Only [Reader] implements this, for a block ([Reader.Read], [Reader.Range]) and for the next one
// ([Reader.Next]). The specification reads them differently: see [Reader.Specification].
//
// All ranges are read through [Reader.Range], which checks that each block is the parent of the next. Runtime
// versions only increase, so it finds the upgrades in a range by bisection. A block that is too large to read
// ahead is read when it is its turn.
//
// A chain is followed only through [Reader.Follow]. [Heads], polled or subscribed to, report how far the chain
// is. The blocks up to there are read as a range that continues from the last block: parent hash and runtime
// carry over. trouble.go separates transient errors, which are waited out, from those that end the sequence.
// This package does not depend on internal/node/rpc for heads: its caller turns a node's heads into [Heads].
package source
