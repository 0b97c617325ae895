// Package rule contains the rows of a network's table, each a rule of its runtimes. A [PriceRow] prices blocks. The
// others verify fees against what the chain recorded ([Verification]):
//
//   - [Destinations]: where the parts of a fee go
//   - [MultiplierUpdate] and [BaseFeeUpdate]: how a block changes the multiplier and a stored base fee
//   - [NativeFee]: what weight and length cost
//
// Where the sources are silent, a row is unknown: nothing is assumed.
package rule
