package rpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonread"
	"github.com/feeledger/fees/internal/jsonscan"
)

// DispatchInfo is the fee of an extrinsic as the node's runtime computes it.
type DispatchInfo struct {
	Weight     chain.Weight
	Class      string    // "normal", "operational" or "mandatory", as the node writes it
	PartialFee chain.Wei // excludes the tip
}

// QueryInfo returns the fee of a signed extrinsic, SCALE in 0x-hex, on the state of the block with a hash, or of the
// newest block (payment_queryInfo). It returns [chain.ErrNoBlock] if the node answers null.
func (c *Client) QueryInfo(ctx context.Context, extrinsic string, block chain.Optional[chain.Hash]) (DispatchInfo, error) {
	if !isHex(extrinsic) {
		return DispatchInfo{}, fmt.Errorf("extrinsic: %w", errNotHex)
	}
	return askAt(ctx, c, "dispatch info", readDispatchInfo, "payment_queryInfo", block, extrinsic)
}

func readDispatchInfo(v jsonscan.Value) (info DispatchInfo, err error) {
	if info.Weight, err = jsonread.Weight(v.Member("weight")); err != nil {
		return DispatchInfo{}, fmt.Errorf("weight: %w", err)
	}
	if info.Class, err = readText(v.Member("class")); err != nil {
		return DispatchInfo{}, fmt.Errorf("class: %w", err)
	}
	if info.PartialFee, err = jsonread.Wei(v.Member("partialFee")); err != nil {
		return DispatchInfo{}, fmt.Errorf("partialFee: %w", err)
	}
	return info, nil
}

// FeeHistory contains gas prices of consecutive blocks. A node that no longer knows a block in the middle leaves it out, and
// the lists are shorter than requested.
type FeeHistory struct {
	OldestBlock uint64 // height of the first
	// BaseFeePerGas contains a price for each block and, last, the node's estimate for the block after them; see
	// [FeeHistory.NextBaseFee].
	BaseFeePerGas []chain.GasPrice
	// GasUsedRatio is gas used divided by gas limit of each block, in the node's own digits.
	GasUsedRatio []string
	// Reward contains, for each block, the priority fee per gas at each requested percentile, ascending. It is empty
	// if none was requested. A Frontier node computes it relative to the price it states for the block.
	Reward [][]chain.GasPrice
}

// NextBaseFee returns the base fee per gas of the block after the newest one, unknown if there are no blocks. It is the
// price that the node states for the newest block: a Frontier node, as Moonbeam's are, takes a block's price from the state
// after the block, which prices the next one.
//
// The following price is not used. It is computed from the newest one with Ethereum's rule, up to 12.5 % either way,
// which does not apply to these chains: it can be below the minimum that they accept. If a node counts as Ethereum's
// do, the price returned is one block old, and the base fee moves by less than 0.31 % per block.
//
// Source: polkadot-evm/frontier, client/rpc/src/eth/fee.rs, fee_history, and
// cache/mod.rs, fee_history_task.
func (h FeeHistory) NextBaseFee() (next chain.Optional[chain.GasPrice]) {
	if n := len(h.GasUsedRatio); n > 0 {
		return chain.Some(h.BaseFeePerGas[n-1])
	}
	return next
}

// Empty reports whether the block at an index used no gas: its rewards are then zeros, not bids.
func (h FeeHistory) Empty(index int) bool {
	digits, _, _ := strings.Cut(strings.ToLower(h.GasUsedRatio[index]), "e")
	return strings.Trim(digits, "0.") == ""
}

// FeeHistory requests the gas prices of count blocks up to newest: a tag such as "latest" or "finalized", or a height
// (eth_feeHistory). Percentiles are from 0 to 100, in ascending order; nodes distinguish steps of 0.5 at best. It
// rejects an answer with more than was requested, or with rewards that decrease as percentiles increase.
func (c *Client) FeeHistory(ctx context.Context, count uint64, newest string, percentiles []float64) (FeeHistory, error) {
	if height, err := strconv.ParseUint(newest, 10, 64); err == nil {
		newest = quantity(height)
	}
	if percentiles == nil {
		percentiles = []float64{}
	}
	return ask(ctx, c, "fee history", func(v jsonscan.Value) (FeeHistory, error) {
		return readFeeHistory(v, int(min(count, maxBlocks)), len(percentiles))
	}, "eth_feeHistory", quantity(count), newest, percentiles)
}

// maxBlocks limits the blocks of an answer, by the method's specification.
const maxBlocks = 1024

// quantity formats a number for Ethereum's JSON-RPC.
func quantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

func readFeeHistory(v jsonscan.Value, maxCount, percentiles int) (h FeeHistory, err error) {
	if h.OldestBlock, err = jsonread.Uint64(v.Member("oldestBlock")); err != nil {
		return FeeHistory{}, fmt.Errorf("oldestBlock: %w", err)
	}
	if h.OldestBlock > math.MaxUint32 { // the chain's heights are u32
		return FeeHistory{}, fmt.Errorf("oldestBlock: %d is more than 32 bits", h.OldestBlock)
	}
	if h.BaseFeePerGas, err = readAtMost(maxCount+1, v.Member("baseFeePerGas"), jsonread.GasPrice); err != nil {
		return FeeHistory{}, fmt.Errorf("baseFeePerGas%w", err)
	}
	if h.GasUsedRatio, err = readAtMost(maxCount, v.Member("gasUsedRatio"), readRatio); err != nil {
		return FeeHistory{}, fmt.Errorf("gasUsedRatio%w", err)
	}
	blocks := len(h.GasUsedRatio)
	if prices := len(h.BaseFeePerGas); prices != blocks+1 && prices+blocks != 0 {
		return FeeHistory{}, fmt.Errorf("baseFeePerGas: want one more than the number of ratios (%d), have %d", blocks, prices)
	}
	if percentiles == 0 || blocks == 0 {
		return h, nil
	}
	if h.Reward, err = readAtMost(maxCount, v.Member("reward"), func(v jsonscan.Value) ([]chain.GasPrice, error) {
		return readRewards(v, percentiles)
	}); err != nil {
		return FeeHistory{}, fmt.Errorf("reward%w", err)
	}
	if len(h.Reward) != blocks {
		return FeeHistory{}, fmt.Errorf("reward: want as many as ratios (%d), have %d", blocks, len(h.Reward))
	}
	return h, nil
}

func readRatio(v jsonscan.Value) (string, error) {
	if v.Kind() != jsonscan.Number {
		return "", fmt.Errorf("want a number, have %v", v.Kind())
	}
	if strings.HasPrefix(v.Raw(), "-") {
		return "", errors.New("it is negative")
	}
	return v.Raw(), nil
}

func readRewards(v jsonscan.Value, percentiles int) ([]chain.GasPrice, error) {
	rewards, err := readAtMost(percentiles, v, jsonread.GasPrice)
	if err != nil {
		return nil, fmt.Errorf("percentiles%w", err)
	}
	if len(rewards) != percentiles {
		return nil, errors.New("want a price for each percentile")
	}
	if !slices.IsSortedFunc(rewards, chain.GasPrice.Cmp) {
		return nil, errors.New("want prices that rise with the percentiles")
	}
	return rewards, nil
}
