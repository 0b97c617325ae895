package rule

import (
	"math/bits"

	"github.com/feeledger/fees/chain"
)

// Rounding defines how a runtime rounds the product of a weight and a fraction.
type Rounding string

const (
	// RoundDown rounds down (Perbill::mul_floor).
	RoundDown Rounding = "down"
	// RoundNearest rounds to the nearest integer, and half down (the product of a Perbill and an integer).
	RoundNearest Rounding = "nearest_half_down"
)

const billion = 1_000_000_000

func (r Rounding) valid() bool { return r == "" || r == RoundDown || r == RoundNearest }

// billionths returns n × parts / 10^9, for less than a billion parts.
//
// Source: polkadot-sdk, primitives/arithmetic/src/per_things.rs, overflow_prune_mul with Rounding::NearestPrefDown.
func (r Rounding) billionths(n uint64, parts uint32) uint64 {
	high, low := bits.Mul64(n, uint64(parts))
	quotient, rest := bits.Div64(high, low, billion)
	if r == RoundNearest && rest > billion/2 {
		quotient++
	}
	return quotient
}

// price returns n × whole + n × parts / 10^9, of which the second is rounded.
func (r Rounding) price(n uint64, whole chain.Wei, parts uint32) (chain.Wei, error) {
	fee, err := whole.Times(n)
	if err != nil {
		return chain.Wei{}, err
	}
	return fee.Add(chain.NewWei(r.billionths(n, parts)))
}
