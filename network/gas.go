package network

import "strconv"

// WeightPerGas is how much weight one gas is, in picoseconds of ref time. The zero value is
// the specification's.
type WeightPerGas uint64

// specifiedWeightPerGas is that of fee rule 2: 10^12 picoseconds by 40,000,000 gas a second
// (runtime/common, WEIGHT_PER_GAS). A chain that counts another number of gas in a second
// has another one.
const specifiedWeightPerGas = 25_000

// Uint64 is the number of picoseconds, never 0.
func (w WeightPerGas) Uint64() uint64 {
	if w == 0 {
		return specifiedWeightPerGas
	}
	return uint64(w)
}

// String is the number of picoseconds.
func (w WeightPerGas) String() string { return strconv.FormatUint(w.Uint64(), 10) }
