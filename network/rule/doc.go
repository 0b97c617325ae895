// Package rule contains the rows of a network's table, each a rule of its runtimes. A [PriceRow] prices blocks. The
// others verify fees against what the chain recorded ([Verification]):
//
//   - [Destinations]: where the parts of a fee go
//   - [MultiplierUpdate] and [BaseFeeUpdate]: how a block changes the multiplier and a stored base fee
//   - [NativeFee]: what weight and length cost
//
// # Before you change it
//
// A formula is one function, with its source. Where the sources are silent, a row is unknown: nothing is assumed.
// JSON keys are part of the format of users' tables.
package rule
