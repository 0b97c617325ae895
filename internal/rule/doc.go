// Package rule contains the rows of a network's table, each a rule of its runtimes: how a block is priced
// ([PriceRow]), and how its fees follow from the chain's own records ([Verification]): where their parts go
// ([Destinations]), how a block changes the multiplier ([MultiplierUpdate]) and a stored base fee
// ([BaseFeeUpdate]), and what weight and length cost ([NativeFee]).
//
// # Before you change it
//
// A formula is one function, with its source. Where the sources are silent, a row is unknown: nothing is assumed.
// JSON keys are part of the format of users' tables.
package rule
