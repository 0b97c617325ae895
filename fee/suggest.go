package fee

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Speed is how soon a transaction is wanted in a block.
type Speed string

// The speeds that bids are made for.
const (
	Slow   Speed = "slow"
	Normal Speed = "normal"
	Fast   Speed = "fast"
)

// Bid is what an eip1559 transaction offers for one gas, in wei.
type Bid struct {
	Speed                Speed
	MaxPriorityFeePerGas chain.GasPrice
	MaxFeePerGas         chain.GasPrice
	Percentile           uint64           // of recent blocks, that the priority fee follows
	Headroom             chain.Multiplier // how many times the base fee the bid is good for
	// FullBlocks is how many in a row the headroom outlasts, counted to [MostFullBlocks];
	// not known where the base fee does not move, or nothing tells how.
	FullBlocks chain.Optional[int]
}

// noHeadroom is enough where the base fee is static.
var noHeadroom = chain.NewMultiplier(1_000_000_000_000_000_000)

// speeds are the bids before they have prices, rising in all things.
var speeds = [...]Bid{
	{Speed: Slow, Percentile: 10, Headroom: chain.NewMultiplier(1_125_000_000_000_000_000)},
	{Speed: Normal, Percentile: 50, Headroom: chain.NewMultiplier(1_500_000_000_000_000_000)},
	{Speed: Fast, Percentile: 90, Headroom: chain.NewMultiplier(2_000_000_000_000_000_000)},
}

// Percentiles are those of each block's priority fees that the bids follow, from
// the slow one's to the fast one's.
func Percentiles() []uint64 {
	list := make([]uint64, len(speeds))
	for i, s := range speeds {
		list[i] = s.Percentile
	}
	return list
}

// Market is what bids are made from.
type Market struct {
	BaseFeePerGas chain.GasPrice // of the next block
	Static        bool           // the base fee does not move
	MinGasPrice   chain.GasPrice // the network's lowest, 0 where it is not known
	// Movement is that of a base fee that is not static; not known where no table tells.
	Movement chain.Optional[Movement]
	// PriorityFees has, for each recent block with EVM transactions, its priority
	// fees per gas at each of [Percentiles].
	PriorityFees [][]chain.GasPrice
}

// Floor is the lowest price that the next block accepts: its base fee, or the
// network's minimum where that is more.
func (m Market) Floor() chain.GasPrice {
	if m.BaseFeePerGas.Cmp(m.MinGasPrice) < 0 {
		return m.MinGasPrice
	}
	return m.BaseFeePerGas
}

// Suggest makes a bid for each speed, from slow to fast:
//
//	maxPriorityFeePerGas = the median over the blocks of the priority fee per gas
//	                       at the speed's percentile, 0 where there is no block
//	maxFeePerGas         = floor(headroom × base fee) + maxPriorityFeePerGas
//	where
//	  base fee  of the next block, or the network's minimum gas price if it is more
//	  headroom  1.125, 1.5 or 2; 1 where the base fee is static
//
// The median of an even number is the lower of the two in the middle, so that it
// is one that was paid. What a transaction is charged is its block's base fee +
// maxPriorityFeePerGas, so that headroom costs nothing while the base fee stays.
//
// It is [chain.ErrOverflow] where a price is more than a 256-bit word.
func Suggest(m Market) ([]Bid, error) {
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

// medianAt is the median over the blocks of what stands at one index.
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

// PriorityFees are a block's priority fees per gas at each of [Percentiles], and
// the number of the EVM transactions that they are found from. They are nil where
// there is none. A transaction counts where its fee and the base fee are known and
// its gas price is not below the base fee.
//
// A percentile is one of gas, as in eth_feeHistory: in the order of their priority
// fees, it is that of the first transaction with which floor(percentile × gas /
// 100) of the gas is reached. It is [chain.ErrOverflow] where the gas is more than
// 64 bits.
func PriorityFees(r *Report) (prices []chain.GasPrice, transactions int, err error) {
	tips, total, err := tipsOf(r)
	if err != nil || len(tips) == 0 {
		return nil, 0, err
	}
	for _, percentile := range Percentiles() {
		high, low := bits.Mul64(total, percentile)
		target, _ := bits.Div64(high, low, 100) // percentile ≤ 100, so that it fits
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

// tip is what a transaction paid above the base fee for each of its gas.
type tip struct {
	price chain.GasPrice
	gas   uint64
}

// tipsOf are those of a block's transactions, rising, with their gas in all.
func tipsOf(r *Report) (tips []tip, total uint64, err error) {
	base, known := r.BaseFeePerGas.Get()
	if !known {
		return nil, 0, nil
	}
	for i := range r.Transactions {
		t := &r.Transactions[i]
		price, priced := t.GasPrice.Get()
		gas, weighed := t.Gas.Get()
		if t.Layer != EVM || t.Error != nil || !priced || !weighed {
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
