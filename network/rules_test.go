package network_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// A runtime has the rules of the row that it falls into, found here by walking
// the rows from the front.
func TestRulesAreThoseOfTheLastRowNotAfterTheRuntime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range network.BuiltIn().All() {
		runtimes := []uint32{0, 1, math.MaxUint32 - 1, math.MaxUint32, n.LastRuntime, n.LastRuntime + 1}
		for _, row := range n.Rows {
			runtimes = append(runtimes, row.FromRuntime-1, row.FromRuntime, row.FromRuntime+1)
		}
		for range 500 {
			runtimes = append(runtimes, random.Uint32N(6000), random.Uint32())
		}
		for _, runtime := range runtimes {
			checkRow(t, n, runtime)
		}
	}
}

func checkRow(t *testing.T, n network.Network, runtime uint32) {
	t.Helper()
	var row *network.Row
	for i := range n.Rows {
		if n.Rows[i].FromRuntime <= runtime {
			row = &n.Rows[i]
		}
	}
	what := fmt.Sprintf("%s/%d", n.Name, runtime)
	rules, err := n.Rules(runtime)
	if row == nil {
		require.ErrorIs(t, err, network.ErrUnknownRuntime, what)
		require.ErrorContains(t, err, fmt.Sprintf("begins with runtime %d, this block was executed by %d", n.Rows[0].FromRuntime, runtime))
		return
	}
	require.NoError(t, err, what)
	version, known := rules.Runtime.Get()
	require.True(t, known, what)
	require.Equal(t, runtime, version, what)
	require.Equal(t, n.Name, rules.Network, what)
	require.Equal(t, n.Symbol, rules.Symbol, what)
	require.Equal(t, runtime <= n.LastRuntime, rules.Certain, what)
	if !rules.Certain {
		what += "?"
		require.Contains(t, rules.Notes[len(rules.Notes)-1], fmt.Sprintf("runtime %d is newer than the table of %s", runtime, n.Name))
	}
	require.Equal(t, what, rules.Name)
	require.Equal(t, !row.PriceUncapped, rules.PriceCapped, what)
	require.Equal(t, row.WeightCorrection, rules.WeightCorrection, what)
	require.Equal(t, network.AtParent, rules.MultiplierAt, what)
	require.Equal(t, lowestPrice(row).String(), rules.MinGasPrice.String(), what)
	require.Equal(t, rules.MinGasPrice, row.MinGasPrice(), what)
	static, isStatic := rules.BaseFee.Static.Get()
	require.Equal(t, row.StaticBaseFee != nil, isStatic, what)
	if isStatic {
		require.Equal(t, *row.StaticBaseFee, static, what)
		return
	}
	require.Equal(t, *row.BaseFeeConstant, rules.BaseFee.Constant, what)
	require.Equal(t, *row.MinMultiplier, rules.BaseFee.MinMultiplier, what)
}

func lowestPrice(row *network.Row) *big.Int {
	if row.StaticBaseFee != nil {
		return row.StaticBaseFee.Big()
	}
	product := new(big.Int).Mul(row.MinMultiplier.Big(), row.BaseFeeConstant.Big())
	return product.Quo(product, big.NewInt(1_000_000_000_000_000_000))
}

func TestSpecificationRulesDoNotDependOnARuntime(t *testing.T) {
	for name, want := range map[string]string{"moonbeam": "spec/mainnet", "moonbase": "spec/testnet"} {
		rules, err := rulesOf(t, name, "specification")
		require.NoError(t, err)
		require.Equal(t, want, rules.Name)
		require.True(t, rules.Certain)
		require.False(t, rules.Runtime.Known())
		require.False(t, rules.BaseFee.Static.Known())
		require.Equal(t, network.AtBlock, rules.MultiplierAt)
		require.Equal(t, chain.NewGasPrice(1_500_000_000), rules.MinGasPrice)
		require.True(t, rules.PriceCapped)
		require.True(t, rules.WeightCorrection.IsZero())
	}
	_, err := rulesOf(t, "moonriver", "specification")
	require.ErrorIs(t, err, network.ErrNoSpecification)
	require.ErrorContains(t, err, "moonriver is neither")
}

// Rules are values: what a caller adds to the notes of one block must not show
// up at the next.
func TestRulesShareNoNotes(t *testing.T) {
	n, _ := network.BuiltIn().Named("moonbeam")
	first, err := n.Rules(4304)
	require.NoError(t, err)
	second, err := n.Rules(4304)
	require.NoError(t, err)
	first.Notes[0] = "changed"
	_ = append(first.Notes, "added")
	require.NotEqual(t, first.Notes, second.Notes)
	require.Contains(t, second.Notes[0], "two source trees carry runtime 4304")
}

func TestBuiltInTables(t *testing.T) {
	tables := network.BuiltIn()
	require.Equal(t, []string{"moonbase", "moonbeam", "moonriver"}, tables.Names())
	symbols := map[string]string{"moonbase": "DEV", "moonbeam": "GLMR", "moonriver": "MOVR"}
	for _, n := range tables.All() {
		require.Equal(t, symbols[n.Name], n.Symbol, n.Name)
		require.Empty(t, n.File, n.Name)
		for _, row := range n.Rows {
			what := fmt.Sprintf("%s from runtime %d", n.Name, row.FromRuntime)
			require.Contains(t, row.Source, "runtime/"+n.Name+"/src/lib.rs", what)
			if row.PriceUncapped || row.FromRuntime == 1301 {
				require.Contains(t, row.Source, "cap", "%s: the source of the cap", what)
			}
			if !row.WeightCorrection.IsZero() {
				require.Contains(t, row.Source, "weight", "%s: the source of the correction", what)
			}
		}
		if n.Specification != nil {
			require.Contains(t, n.Specification.Source, "fee rule 6", n.Name)
		}
	}
	_, ok := tables.Named("Moonbeam")
	require.False(t, ok, "a network's own name is exact")
}
