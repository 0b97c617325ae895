// Package market recommends bids for the next block, from its base fee and from the priority fees that recent blocks paid.
package market

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Speed is how soon a transaction should be included in a block.
type Speed string

// The speeds for which there are bids.
const (
	Slow   Speed = "slow"
	Normal Speed = "normal"
	Fast   Speed = "fast"
)

// Bid is the offer of an eip1559 transaction for one gas, in wei.
type Bid struct {
	Speed                Speed
	MaxPriorityFeePerGas chain.GasPrice
	MaxFeePerGas         chain.GasPrice
	Percentile           uint64           // of recent blocks, that sets the priority fee
	Headroom             chain.Multiplier // the multiple of the base fee up to which the bid is valid
	// FullBlocks is the number of consecutive full blocks that the headroom outlasts, counted to [MaxFullBlocks];
	// unknown if the base fee does not move, or if no table defines how.
	FullBlocks chain.Optional[int]
}

// noHeadroom suffices if the base fee is static.
var noHeadroom = chain.NewMultiplier(1_000_000_000_000_000_000)

// speeds are the bids without prices, ascending in every respect.
var speeds = [...]Bid{
	{Speed: Slow, Percentile: 10, Headroom: chain.NewMultiplier(1_125_000_000_000_000_000)},
	{Speed: Normal, Percentile: 50, Headroom: chain.NewMultiplier(1_500_000_000_000_000_000)},
	{Speed: Fast, Percentile: 90, Headroom: chain.NewMultiplier(2_000_000_000_000_000_000)},
}

// Percentiles returns the percentiles of each block's priority fees that the bids use, from slow to fast.
func Percentiles() []uint64 {
	list := make([]uint64, len(speeds))
	for i, s := range speeds {
		list[i] = s.Percentile
	}
	return list
}

// Conditions are the input of [Suggest].
type Conditions struct {
	BaseFeePerGas chain.GasPrice // of the next block
	Static        bool           // the base fee does not move
	MinGasPrice   chain.GasPrice // the network's minimum, 0 if unknown
	// Movement defines the changes of a base fee that is not static; unknown if no table defines them.
	Movement chain.Optional[Movement]
	// PriorityFees contains, for each recent block with EVM transactions, its priority fees per gas at each of
	// [Percentiles].
	PriorityFees [][]chain.GasPrice
}

// Floor returns the lowest price that the next block accepts, in wei per gas: its base fee, or the network's
// minimum if that is higher.
func (m Conditions) Floor() chain.GasPrice {
	if m.BaseFeePerGas.Cmp(m.MinGasPrice) < 0 {
		return m.MinGasPrice
	}
	return m.BaseFeePerGas
}

// Suggest returns a bid for each speed, from slow to fast:
//
//	maxPriorityFeePerGas = the median over the blocks of the priority fee per gas
//	                       at the speed's percentile, 0 without blocks
//	maxFeePerGas         = floor(headroom × base fee) + maxPriorityFeePerGas
//	where
//	  base fee  of the next block, or the network's minimum gas price if it is higher
//	  headroom  1.125, 1.5 or 2; 1 if the base fee is static
//
// The median of an even number is the lower of the two middle values, so it is a fee that was actually paid. A
// transaction is charged its block's base fee + maxPriorityFeePerGas, so headroom costs nothing while the base
// fee is unchanged.
//
// Suggest returns [chain.ErrOverflow] if a price exceeds a 256-bit word.
func Suggest(m Conditions) ([]Bid, error) {
	bids := slices.Clone(speeds[:])
	for i := range bids {
		b := &bids[i]
		var err error
		if b.MaxPriorityFeePerGas, err = medianAt(m.PriorityFees, i); err != nil {
			return nil, err
		}
		if m.Static {
			b.Headroom = noHeadroom
		}
		base, err := b.Headroom.Of(m.Floor())
		if err != nil {
			return nil, fmt.Errorf("headroom × base fee: %w", err)
		}
		if b.MaxFeePerGas, err = base.Add(b.MaxPriorityFeePerGas); err != nil {
			return nil, fmt.Errorf("headroom × base fee + maxPriorityFeePerGas: %w", err)
		}
		if moves, known := m.Movement.Get(); known && !m.Static {
			blocks, err := moves.outlasts(m.BaseFeePerGas, base)
			if err != nil {
				return nil, fmt.Errorf("base fee after full blocks: %w", err)
			}
			b.FullBlocks = chain.Some(blocks)
		}
	}
	return bids, nil
}

// medianAt returns the median over the blocks of the values at one index.
func medianAt(blocks [][]chain.GasPrice, index int) (chain.GasPrice, error) {
	prices := make([]chain.GasPrice, 0, len(blocks))
	for _, block := range blocks {
		if len(block) != len(speeds) {
			return chain.GasPrice{}, fmt.Errorf("priority fees: want %d of a block, have %d", len(speeds), len(block))
		}
		prices = append(prices, block[index])
	}
	if len(prices) == 0 {
		return chain.GasPrice{}, nil
	}
	slices.SortFunc(prices, chain.GasPrice.Cmp)
	return prices[(len(prices)-1)/2], nil
}

// PriorityFees returns a block's priority fees per gas at each of [Percentiles], in wei, and the number of EVM
// transactions that they are computed from. The fees are nil without such transactions. A transaction counts
// if its fee and the base fee are known and its gas price is not below the base fee.
//
// Percentiles are weighted by gas, as in eth_feeHistory: with transactions sorted by priority fee, a
// percentile is the priority fee of the first transaction at which the cumulative gas reaches floor(percentile
// × gas / 100). PriorityFees returns [chain.ErrOverflow] if the gas exceeds 64 bits.
func PriorityFees(r *fee.Report) (prices []chain.GasPrice, transactions int, err error) {
	tips, total, err := tipsOf(r)
	if err != nil || len(tips) == 0 {
		return nil, 0, err
	}
	for _, percentile := range Percentiles() {
		high, low := bits.Mul64(total, percentile)
		target, _ := bits.Div64(high, low, 100) // percentile ≤ 100, so it fits
		var used uint64
		for _, t := range tips {
			if used += t.gas; used >= target {
				prices = append(prices, t.price)
				break
			}
		}
	}
	return prices, len(tips), nil
}

// tip is a transaction's price above the base fee per gas.
type tip struct {
	price chain.GasPrice
	gas   uint64
}

// tipsOf returns the tips of a block's transactions, ascending, and their total gas.
func tipsOf(r *fee.Report) (tips []tip, total uint64, err error) {
	for i := range r.Transactions {
		t := &r.Transactions[i]
		price, priced := t.GasPrice.Get()
		gas, weighed := t.Gas.Get()
		base, known := r.BaseFeeOf(t).Get()
		if !known || t.Layer != fee.EVM || t.Error != nil || !priced || !weighed {
			continue
		}
		above, err := price.Sub(base)
		if err != nil {
			continue
		}
		var carry uint64
		if total, carry = bits.Add64(total, gas.Uint64(), 0); carry != 0 {
			return nil, 0, fmt.Errorf("block %d: gas: %w", r.Number, chain.ErrOverflow)
		}
		tips = append(tips, tip{above, gas.Uint64()})
	}
	slices.SortStableFunc(tips, func(a, b tip) int { return a.price.Cmp(b.price) })
	return tips, total, nil
}
