// Package chain is the vocabulary of the other packages: a [Block] with its [Extrinsic] and
// [Event] values, what else a source answers ([Runtime], [NodeVersion], [Account],
// [StoredMultiplier]), and the quantities that fees are made of.
//
// The quantities are types of their own, so that nobody mistakes one unit for another: a
// [GasPrice] times an amount of gas is [Wei], and Wei times [Gas] does not compile. Each is
// a value that compares with ==, can be a map key, and cannot be changed behind its owner's
// back. No operation wraps or saturates: what leaves a type's width is [ErrOverflow].
//
// [Read] takes a quantity in any form in which gateways write it: a decimal
// string, a 0x-hex string, or a JSON number, also one that no float can hold. It refuses
// what it cannot read exactly.
//
// # Before you change it
//
// A quantity holds a 256-bit integer that nobody outside this package sees. Every operation
// checks its result against the width that the chain gives the quantity. A value that may be
// unknown is an [Optional], which JSON shows as null.
//
// The errors that callers decide by belong to the vocabulary, and not to a client:
// [ErrNoBlock], [ErrNotKept], [ErrNotOffered], [ErrCannotTell], [ErrWrongBlock].
//
// [Cash] is the one rule for which withdrawal is an extrinsic's fee, and which deposits are
// the refund and the credits. [FindCash] applies it to events, internal/movement to what
// they did to balances.
//
// What rules look into, such as arguments and the data of events, is a [Value]: a part
// of a gateway's text, or made without text, of the bytes that another encoding has. It is
// neither an interface nor a struct with a tree beside the text. Each was measured with 27
// recorded blocks, by CPU time in turns, against the speed without it. An interface leaves
// 0.73 to 0.77 of the speed of pricing, and 0.76 to 0.90 of that of proving. A pointer to a
// tree in each value, even if it is never set, leaves 0.97 to 0.99, and each walk would be
// written twice. Bytes within the value's own string, as it is now, leave 0.97 to 1.01.
package chain
