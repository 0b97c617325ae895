// Package chain is the vocabulary of the other packages: a [Block] with its
// [Extrinsic] and [Event] values as a gateway serves them, and the quantities
// that fees are made of.
//
// The quantities are types of their own, so that a unit cannot be mistaken for
// another: a [GasPrice] times an amount of gas is [Wei], and Wei times [Gas]
// does not compile. Each is a value that compares with ==, can be a map key and
// cannot be changed behind its owner's back. Inside is a 256-bit integer. No
// operation wraps or saturates: what leaves a type's width is [ErrOverflow].
//
// The Read functions take a quantity in any form in which gateways write it: a
// decimal string, a 0x-hex string, or a JSON number, also one that no float can
// hold. What they cannot read exactly they refuse.
package chain
