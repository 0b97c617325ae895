package network_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// A runtime has the rules of its row, found here by walking the rows from the front.
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
	var row *rule.PriceRow
	for i := range n.Rows {
		if n.Rows[i].FromRuntime <= runtime {
			row = &n.Rows[i]
		}
	}
	what := fmt.Sprintf("%s/%d", n.Name, runtime)
	rules, err := n.Rules(runtime)
	if row == nil {
		require.ErrorIs(t, err, network.ErrUnknownRuntime, what)
		require.ErrorContains(t, err, fmt.Sprintf("starts with runtime %d, but runtime %d executed this block", n.Rows[0].FromRuntime, runtime))
		return
	}
	require.NoError(t, err, what)
	version, known := rules.Runtime.Get()
	require.True(t, known, what)
	require.Equal(t, runtime, version, what)
	require.Equal(t, n.Name, rules.Network, what)
	require.Equal(t, n.Symbol, rules.Symbol, what)
	uncertain := what == "moonbeam/4304" || n.Name == "kusama-hub" || n.Name == "polkadot-hub"
	require.Equal(t, runtime <= n.LastRuntime && !uncertain, rules.Certain, what)
	if !rules.Certain {
		what += "?"
	}
	if runtime > n.LastRuntime {
		require.Contains(t, rules.Notes[len(rules.Notes)-1], fmt.Sprintf("runtime %d is newer than the table of %s", runtime, n.Name))
	}
	require.Equal(t, what, rules.Name)
	require.Equal(t, !row.PriceUncapped, rules.PriceCapped, what)
	require.Equal(t, row.WeightCorrection, rules.WeightCorrection, what)
	require.Equal(t, network.AtParent, rules.MultiplierAt, what)
	if row.BaseFeeStored == nil {
		require.Equal(t, lowestPrice(row).String(), rules.MinGasPrice.String(), what)
		require.Equal(t, rules.MinGasPrice, row.MinGasPrice(), what)
	}
	static, isStatic := rules.BaseFee.Static.Get()
	require.Equal(t, row.StaticBaseFee != nil, isStatic, what)
	if isStatic {
		require.Equal(t, *row.StaticBaseFee, static, what)
		return
	}
	require.Equal(t, row.EVM, rules.EVM, what)
	if row.EVM == rule.NoEVM {
		require.Equal(t, network.BaseFee{None: true}, rules.BaseFee, what)
		return
	}
	if row.BaseFeeStored != nil {
		stored, _ := rules.BaseFee.Stored.Get()
		require.Equal(t, *row.BaseFeeStored, stored, what)
		return
	}
	require.Equal(t, row.GasScale, rules.BaseFee.Scale, what)
	require.Equal(t, *row.BaseFeeConstant, rules.BaseFee.Constant, what)
	require.Equal(t, *row.MinMultiplier, rules.BaseFee.MinMultiplier, what)
}

func lowestPrice(row *rule.PriceRow) *big.Int {
	if row.StaticBaseFee != nil {
		return row.StaticBaseFee.Big()
	}
	if row.EVM == rule.NoEVM {
		return new(big.Int)
	}
	product := new(big.Int).Mul(row.MinMultiplier.Big(), row.BaseFeeConstant.Big())
	product.Quo(product, big.NewInt(1_000_000_000_000_000_000))
	return product.Mul(product, new(big.Int).SetUint64(max(row.GasScale, 1)))
}

func TestSpecificationRulesDoNotDependOnARuntime(t *testing.T) {
	for name, want := range map[string]string{"moonbeam": "spec/mainnet", "moonbase": "spec/testnet"} {
		rules, err := vectors.Rules(t, name, "specification")
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
	_, err := vectors.Rules(t, "moonriver", "specification")
	require.ErrorIs(t, err, network.ErrNoSpecification)
	require.ErrorContains(t, err, "it has no row for moonriver")
}

// Rules are values: notes that a caller adds for one block must not appear at the next.
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
	require.Equal(t, []string{"bittensor", "creditcoin", "datahaven", "datahaven-stagenet", "datahaven-testnet", "kusama-hub", "moonbase", "moonbeam", "moonriver", "passet-hub", "polkadot-hub", "vflow-testnet"}, tables.Names())
	symbols := map[string]string{
		"moonbase": "DEV", "moonbeam": "GLMR", "moonriver": "MOVR",
		"datahaven": "HAVE", "datahaven-testnet": "MOCK", "datahaven-stagenet": "STAGE",
		"bittensor": "TAO", "creditcoin": "CTC", "vflow-testnet": "tVFY", "kusama-hub": "KSM", "passet-hub": "PAS", "polkadot-hub": "DOT",
	}
	others := map[string]string{
		"bittensor": "recorded chain", "creditcoin": "recorded chain", "vflow-testnet": "recorded chain",
		"passet-hub": "measured on", "kusama-hub": "", "polkadot-hub": "", // their rows are not certain
	}
	code := map[string]string{
		"datahaven": "operator/runtime/mainnet/src/", "datahaven-testnet": "operator/runtime/testnet/src/", "datahaven-stagenet": "operator/runtime/stagenet/src/",
	}
	for _, n := range tables.All() {
		require.Equal(t, symbols[n.Name], n.Symbol, n.Name)
		require.Empty(t, n.File, n.Name)
		for _, row := range n.Rows {
			what := fmt.Sprintf("%s from runtime %d", n.Name, row.FromRuntime)
			if mark, other := others[n.Name]; other {
				require.Contains(t, row.Source, mark, what)
				continue
			}
			require.Contains(t, row.Source, cmp.Or(code[n.Name], "runtime/"+n.Name+"/src/lib.rs"), what)
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

// A property in a network's table applies from the runtime that it names.
func TestWhatARuntimeTells(t *testing.T) {
	tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [{"name": "mine", "symbol": "MINE", "last_runtime": 9,
		"first_exact_hold": 3, "first_actual_pays_fee": 4, "treasury": "0x6d6f646c70632f74727372790000000000000000",
		"rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "mine"},
		{"from_runtime": 5, "static_base_fee": "1", "uncertain": true, "source": "mine", "note": "who knows"},
		{"from_runtime": 6, "static_base_fee": "1", "source": "mine"}]}]}`))
	require.NoError(t, err)
	n, _ := tables.Named("mine")
	treasury, err := chain.ParseAddress("0x6d6f646c70632f74727372790000000000000000")
	require.NoError(t, err)
	for runtime, want := range map[uint32]struct {
		more, declared, certain bool
		name                    string
	}{
		2: {true, true, true, "mine/2"}, 3: {false, true, true, "mine/3"}, 4: {false, false, true, "mine/4"},
		5: {false, false, false, "mine/5?"}, 6: {false, false, true, "mine/6"}, 9: {false, false, true, "mine/9"}, 10: {false, false, false, "mine/10?"},
	} {
		rules, err := n.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, want.more, rules.HoldsMore, want.name)
		require.Equal(t, want.declared, rules.DeclaredPaysFee, want.name)
		require.Equal(t, want.certain, rules.Certain, want.name)
		require.Equal(t, want.name, rules.Name)
		require.Equal(t, chain.Some(treasury), rules.Treasury)
	}
	_, err = network.BuiltIn().With("mine.json", []byte(strings.Replace(table(), `"symbol"`, `"treasury": "0x12", "symbol"`, 1)))
	require.ErrorContains(t, err, `"0x12" is not an address`)

	// Moonbeam's runtimes before 2000 held more, and reported the declared paysFee; two source trees have 4304.
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	for runtime, old := range map[uint32]bool{1999: true, 2000: false} {
		rules, err := moonbeam.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, []bool{old, old, true}, []bool{rules.HoldsMore, rules.DeclaredPaysFee, rules.Certain})
		require.Equal(t, "0x6d6f646C70792f74727372790000000000000000", shownAddress(rules.Treasury))
	}
	rules, err := moonbeam.Rules(4304)
	require.NoError(t, err)
	require.False(t, rules.Certain)
	require.Equal(t, "moonbeam/4304?", rules.Name)
	rules, err = moonbeam.SpecificationRules()
	require.NoError(t, err)
	require.True(t, rules.HoldsMore && rules.DeclaredPaysFee, "of no known runtime nothing is assumed")
}

func shownAddress(a chain.Optional[chain.Address]) string {
	address, _ := a.Get()
	return address.String()
}

// Blocks may have equal times from the runtime on that the table names; without it, never.
func TestEqualTimes(t *testing.T) {
	table := func(more string) *network.Network {
		tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [{"name": "mine", "symbol": "MINE", "last_runtime": 50, `+more+`"rows": [{"from_runtime": 10, "static_base_fee": "1", "source": "mine"}]}]}`))
		require.NoError(t, err)
		n, _ := tables.Named("mine")
		return n
	}
	may := func(r *network.Rules) bool { return r.EqualTimes }
	require.Equal(t, "none", table("").Where(may))
	require.Equal(t, "all", table(`"equal_times_from": 0, `).Where(may))
	require.Equal(t, "20 and later", table(`"equal_times_from": 20, "sources": {"equal_times_from": "metadata"}, `).Where(may))
	equal := map[string]string{"kusama-hub": "1009003 and later", "passet-hub": "all", "polkadot-hub": "2000000 and later"}
	for _, n := range network.BuiltIn().All() {
		require.Equal(t, cmp.Or(equal[n.Name], "none"), n.Where(may), "MinimumPeriod in the metadata of the known runtimes of %s", n.Name)
	}
}
