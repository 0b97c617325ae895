// Package network says what is particular to a network and to each of its
// runtimes: how the base fee is found, which corrections apply, and which
// block's multiplier counts. All of it is data, in tables/*.json, each row with
// the source that it was taken from; a user's own file has the same form.
//
// A block is priced by [Rules]: one row of a network's table, chosen by the
// runtime that executed the block, or the specification's own row where the
// runtime is not known.
package network
