// Package variance explains why the fees of one period differ from those of another, in steps that add up to the
// difference exactly.
//
// Transactions are grouped by what they called: the layer, the call and, for EVM transactions, the contract. The fees of
// a call are a product:
//
//	EVM      transactions × gas per transaction × (base fee + priority fee per gas)
//	native   transactions × fee per transaction, and tips
//
// Gas, base fee and priority fee are averages of the call: a base fee is Σ (fee − priority fee) / Σ gas. An EVM call with
// a transaction whose gas or priority fee is not known, such as those of pallet revive, is treated like a native one.
//
// From one period to the other, the factors change one after the other: the number of transactions at the gas and prices
// before; gas at the number now and the prices before; base fee and priority fee at the number and gas now. Each change
// is a step. A call of one period only is new or gone, as a whole. Another order would give other steps with the same
// sum.
//
// The steps of a call are exact fractions of a wei. They are rounded down, and the wei that are left go to the steps with
// the largest remainders, the earlier step first. So the steps of each call add up to its difference, and those of all
// calls to the difference of the periods.
//
// Fees that no rule determines are in no other step than [NotKnown]. The difference is then not known, only that of the
// known fees.
package variance
