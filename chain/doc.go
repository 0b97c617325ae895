// Package chain defines the types that the other packages share: a [Block] with its [Extrinsic] and [Event]
// values, the other responses of a source ([Runtime], [NodeVersion], [Account], [StoredMultiplier]), and the
// quantities that fees are computed from.
//
// Each quantity has its own type, so that units cannot be confused: a [GasPrice] times an amount of gas is
// [Wei], and Wei times [Gas] does not compile. Quantities are immutable values that compare with == and can be
// map keys. No operation wraps or saturates: a result that does not fit its type is [ErrOverflow].
//
// A block is decoded once, by the source that read it: every argument and every value of an event that a rule
// reads is a [Value] with a type. A source may report a value in a malformed form. The value then contains the
// error, and only the rules that need it fail.
//
// # Before you change it
//
// A quantity holds a 256-bit integer that is private to this package. Every operation checks its result
// against the width that the chain gives the quantity. A value that may be unknown is an [Optional], which
// JSON encodes as null.
//
// The errors that callers act on are part of this package, not of a client: [ErrNoBlock], [ErrNotKept],
// [ErrNotOffered], [ErrUnsupported], [ErrWrongBlock].
//
// [Cash] is the single rule that decides which withdrawal is an extrinsic's fee, and which deposits are the
// refund and the credits. [FindCash] applies it to events; internal/movement applies it to balance movements.
//
// What a source reported in full is behind [Reported]. No rule reads it.
//
// A [Value] is 40 bytes without a tree beside it: a block has one slice of them, and the parts that values of a kind
// share are shared by all blocks. Package internal/schema lists which values are decoded.
package chain
