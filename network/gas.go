package network

import "strconv"

// WeightPerGas is the weight of one gas, in picoseconds of ref time. The zero value stands for the
// specification's.
type WeightPerGas uint64

// specifiedWeightPerGas is the value in fee rule 2: 10^12 picoseconds divided by 40,000,000 gas per second
// (runtime/common, WEIGHT_PER_GAS). A chain with a different gas rate has a different value.
const specifiedWeightPerGas = 25_000

// maxEVMUnit is that of a token without decimals.
const maxEVMUnit = 1_000_000_000_000_000_000

// Uint64 returns the number of picoseconds, never 0.
func (w WeightPerGas) Uint64() uint64 {
	if w == 0 {
		return specifiedWeightPerGas
	}
	return uint64(w)
}

// String returns the number of picoseconds.
func (w WeightPerGas) String() string { return strconv.FormatUint(w.Uint64(), 10) }
