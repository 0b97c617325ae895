// Package network contains the rules of each network and of each of its runtimes: how the base fee is
// computed, which corrections apply, and which block's multiplier counts. All of it is data, in tables/*.json,
// and every row names its source. A user's own file has the same format.
//
// The tables also define how to verify a fee against the chain's own records: where its parts go, how a block
// changes the multiplier, and how a native fee follows from weight and length. Package rule contains these rules, which
// [Network] and [Rules] embed.
//
// A block is priced by [Rules]: one row of a network's table, selected by the runtime that executed the block,
// or the specification's own row ([Network.SpecificationRules]) if the runtime is unknown.
//
// Where the sources are silent, the table has an unknown row, or no list. [Rules] then lacks that part, and
// the checks that need it do not run. A row whose prices may be wrong is marked uncertain: it still prices
// blocks, and reports show the mark.
package network
