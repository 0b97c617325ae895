// Package network says what is particular to a network and to each of its
// runtimes: how the base fee is found, which corrections apply, and which
// block's multiplier counts. All of it is data, in tables/*.json, each row with
// the source that it was taken from; a user's own file has the same form.
//
// The tables also have what proves a fee against the chain's own records: where its
// parts go ([Destinations]), how a block changes the multiplier
// ([MultiplierUpdate]), and how a native fee follows from weight and length
// ([NativeFee]). What the sources do not tell of a runtime is unknown there, and
// nothing is checked by it.
//
// A block is priced by [Rules]: one row of a network's table, chosen by the
// runtime that executed the block, or the specification's own row where the
// runtime is not known.
package network
