// Package chain defines the types that the other packages share: a [Block] with its [Extrinsic] and [Event]
// values, the other responses of a source ([Runtime], [NodeVersion], [Account], [StoredMultiplier]), and the
// quantities that fees are computed from.
//
// Each quantity has its own type, so that units cannot be confused: a [GasPrice] times an amount of gas is
// [Wei], and Wei times [Gas] does not compile. Quantities are immutable values that compare with == and can be
// map keys. No operation wraps or saturates: a result that does not fit its type is [ErrOverflow].
//
// [Read] parses a quantity in any form that gateways use: a decimal string, a 0x-hex string, or a JSON number,
// even one that does not fit a float. It rejects values that it cannot read exactly.
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
// Data that rules inspect, such as arguments and the data of events, is a [Value]: a slice of a gateway's
// text, or of the bytes of another encoding. It is neither an interface nor a struct with a tree beside the
// text. Each was measured with 27 recorded blocks, by CPU time in alternating runs, against the speed without
// it. An interface leaves 0.73 to 0.77 of the speed of pricing, and 0.76 to 0.90 of the speed of proving. A
// pointer to a tree in each value, even if never set, leaves 0.97 to 0.99, and would need every walk written
// twice. Bytes within the value's own string, as implemented, leave 0.97 to 1.01.
package chain
