// Package network says what is particular to a network and to each of its runtimes: how the
// base fee is found, which corrections apply, and which block's multiplier counts. All of it
// is data, in tables/*.json, each row with its source. A user's own file has the same form.
//
// The tables also have what proves a fee against the chain's own records: where its parts go
// ([Destinations]), how a block changes the multiplier ([MultiplierUpdate]), and how a native
// fee follows from weight and length ([NativeFee]).
//
// A block is priced by [Rules]: one row of a network's table, chosen by the runtime that
// executed the block, or the specification's own row ([Network.SpecificationRules]) where the
// runtime is not known.
//
// # Before you change it
//
// A new runtime is a row in a JSON file, with its source. The code knows no network by its
// name and no runtime by its number: what only some runtimes do is a field of the table, such
// as first_exact_digest.
//
// What the sources leave open is an unknown row, or no list at all. Then [Rules] has no such
// part, and nothing is checked by it. A row of prices that may be wrong is uncertain: it
// prices, and says so.
package network
