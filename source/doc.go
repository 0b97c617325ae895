// Package source is where blocks come from: a gateway, a directory of kept answers, or the
// built-in demo, behind one interface. A [Reader] adds to each block what it takes to price
// it: the rules of the runtime that executed it, and the multiplier that was in force. It
// reads one block, or a range of them, several at a time and in order, or follows a chain
// as it grows.
//
// # Before you change it
//
// A new kind of source is a package that implements [Source], and one line of [Kinds].
//
// A block is executed by the runtime that its parent left behind, and priced by the multiplier
// that its parent stored. [Reader] is the one place that knows this, for a block
// ([Reader.Read], [Reader.Range]) and for the one that comes next ([Reader.Next]). The
// specification reads them differently: see [Reader.Specification].
//
// Ranges are read through [Reader.Range] alone. It checks that each block is the parent of the
// next. Runtime versions only rise, so it finds the upgrades in a range by bisection. A block
// that is too large to be read ahead is read in its turn.
//
// A chain is followed by [Reader.Follow] alone. [Heads], polled or subscribed to, say how far
// the chain is. The blocks up to there are read as a range that goes on from the one before:
// parent hash and runtime carry over. trouble.go tells what passes, and is waited for, from
// what ends the sequence. This package does not know internal/node/rpc: the front turns a node's
// heads into [Heads].
package source
