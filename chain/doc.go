// Package chain defines the types that the other packages share: a [Block] with its [Extrinsic] and [Event]
// values, the other responses of a source ([Runtime], [NodeVersion], [Account], [StoredMultiplier]), and the
// quantities that fees are computed from.
//
// Each quantity has its own type, so that units cannot be confused: a [GasPrice] times an amount of gas is
// [Wei], and Wei times [Gas] does not compile. Quantities are immutable values that compare with == and can be
// map keys. No operation wraps or saturates: a result that does not fit its type is [ErrOverflow]. A value that may be
// unknown is an [Optional], which JSON encodes as null.
//
// Every argument and every value of an event that a rule reads is a [Value] with a type. A source may report a value in
// a malformed form. The value then contains the error, and only the rules that need it fail. [FindCash] returns which
// withdrawal is an extrinsic's fee, and which deposits are its refund and credits.
//
// Callers act on the errors of a source: [ErrNoBlock], [ErrNotKept], [ErrNotOffered], [ErrUnsupported],
// [ErrWrongBlock].
package chain
