package rule_test

import (
	"fmt"
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

func TestHubPriceVectors(t *testing.T) {
	names := vectors.Names{Inputs: "network runtime multiplier", Wanted: "evm base_fee minimum_price certain error"}
	vectors.Run(t, "hub-prices.txt", names, func(t *testing.T, v *vectors.Values) {
		rules, err := vectors.Rules(t, v.Input("network"), v.Input("runtime"))
		m := multiplier(t, v.Number("multiplier"))
		if v.Wants("error") {
			require.Equal(t, "unknown-runtime", v.Wanted("error"))
			require.ErrorIs(t, err, network.ErrUnknownRuntime)
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("evm", rules.EVM)
		v.Equal("minimum_price", rules.MinGasPrice)
		v.EqualBool("certain", rules.Certain)
		static, isStatic := rules.BaseFee.Static.Get()
		switch {
		case rules.EVM == rule.NoEVM:
			require.Equal(t, "none", v.Wanted("base_fee"))
			require.Equal(t, network.BaseFee{None: true}, rules.BaseFee)
		case isStatic:
			v.Equal("base_fee", static)
		default:
			price, err := rules.BaseFee.Of(m)
			require.NoError(t, err)
			v.Equal("base_fee", price)
		}
		if !rules.Certain {
			require.NotEmpty(t, rules.Notes, "%s: the reason", v.Place())
		}
	})
}

// The base fee is rounded down before the gas scale multiplies it, and is an error above 256 bits.
func TestScaledBaseFeeIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 1))
	overflows := 0
	for range 20_000 {
		m, constant, scale := random(r, 128), random(r, 128), r.Uint64()>>r.UintN(64)
		price, err := chain.ParseGasPrice(constant.String())
		require.NoError(t, err)
		have, err := network.BaseFee{Constant: price, Scale: scale}.Of(multiplier(t, m))
		want := scaled(m, constant, unit)
		want.Mul(want, new(big.Int).SetUint64(max(scale, 1)))
		if want.BitLen() > 256 {
			overflows++
			require.ErrorIs(t, err, chain.ErrOverflow)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.String(), have.String(), "%v × %v × %d", m, constant, scale)
	}
	t.Log(overflows, "overflows")
	highest := chain.GasPriceOf(chain.NewWei(1).Word())
	_, err := network.BaseFee{Constant: highest, Scale: 2}.Of(multiplier(t, most128))
	require.NoError(t, err)
	huge, err := chain.ParseGasPrice(new(big.Int).Lsh(big.NewInt(1), 255).String())
	require.NoError(t, err)
	_, err = network.BaseFee{Constant: huge, Scale: 2}.Of(multiplier(t, unit))
	require.EqualError(t, err, "multiplier × base constant: overflow")
}

// A row states what runs the Ethereum transactions of its runtimes, and prices that fit it.
func TestPriceRowsOfEveryEVM(t *testing.T) {
	const revive = `"evm": "revive", "base_fee_constant": "100000000", "minimum_multiplier": "100000000000000000"`
	const either = "want either static_base_fee, or base_fee_stored, or base_fee_constant with minimum_multiplier"
	const gas = "evm revive: its fees do not depend on gas; want no weight_per_gas, weight_correction, charged_gas or price_uncapped"
	for figures, want := range map[string]string{
		`"evm": "none"`: "",
		`"evm": "none", "uncertain": true, "note": "n"`: "",
		revive:                          "",
		revive + `, "gas_scale": 50000`: "",
		`"evm": "revive", "static_base_fee": "1000"`:                                         "",
		`"static_base_fee": "1000"`:                                                          "",
		`"evm": "frontier", "static_base_fee": "1000"`:                                       `evm "frontier": want revive or none, or nothing for pallet ethereum`,
		`"evm": "Revive", "static_base_fee": "1000"`:                                         `evm "Revive": want`,
		`"evm": "none", "static_base_fee": "1"`:                                              "evm none: want no prices in the same row",
		`"evm": "none", "gas_scale": 2`:                                                      "evm none: want no prices",
		`"evm": "none", "weight_per_gas": 2`:                                                 "evm none: want no prices",
		`"evm": "none", "price_uncapped": true`:                                              "evm none: want no prices",
		`"evm": "none", "charged_gas": "used"`:                                               "evm none: want no prices",
		`"evm": "none", "base_fee_stored": {"pallet": "P"}`:                                  "evm none: want no prices",
		`"evm": "none", "uncertain": true`:                                                   "uncertain: want a note with the reason",
		`"evm": "revive"`:                                                                    either,
		`"evm": "revive", "minimum_multiplier": "1"`:                                         "want both base_fee_constant and minimum_multiplier",
		`"evm": "revive", "base_fee_stored": {"pallet": "BaseFee", "item": "BaseFeePerGas"}`: "evm revive: want static_base_fee, or base_fee_constant with minimum_multiplier",
		`"base_fee_stored": {"pallet": "BaseFee", "item": "BaseFeePerGas"}, "gas_scale": 5`:  "gas_scale: want base_fee_constant and minimum_multiplier",
		`"static_base_fee": "1000", "gas_scale": 5`:                                          "gas_scale: want base_fee_constant and minimum_multiplier",
		revive + `, "static_base_fee": "1"`:                                                  either,
		revive + `, "weight_per_gas": 5`:                                                     gas,
		revive + `, "weight_correction": "5"`:                                                gas,
		revive + `, "charged_gas": "limit"`:                                                  gas,
		revive + `, "price_uncapped": true`:                                                  gas,
		revive + `, "gas_scale": -1`:                                                         "gas_scale",
		revive + `, "uncertain": true`:                                                       "uncertain: want a note with the reason",
		`"evm": "revive", "gas_scale": 18446744073709551615, "minimum_multiplier": "1000000000000000000", "base_fee_constant": "0x` + strings.Repeat("f", 64) + `"`: "minimum_multiplier × base_fee_constant: overflow",
	} {
		_, err := network.BuiltIn().With("n.json", []byte(`{"networks": [{"name": "n", "symbol": "N", "last_runtime": 1, "rows": [{"from_runtime": 1, `+figures+`, "source": "s"}]}]}`))
		if want == "" {
			require.NoError(t, err, figures)
			continue
		}
		require.ErrorContains(t, err, want, figures)
	}
}

// The account of a row of destinations replaces the network's, for its runtimes only.
func TestAccountsOfDestinations(t *testing.T) {
	const table = `{"networks": [{"name": "n", "symbol": "N", "last_runtime": 3, "account_mapping": "padded",
		"treasury": "0x6d6f646c506f745374616b650000000000000000000000000000000000000000", "treasury_name": "staking pot",
		"rows": [{"from_runtime": 1, "evm": "none", "source": "s"}], "destinations": [
		{"from_runtime": 1, "evm_base": "pot", "evm_priority": "pot", "native_base": "pot", "native_tip": "pot", "source": "s"},
		{"from_runtime": 2, "evm_base": "pot", "evm_priority": "pot", "native_base": "pot", "native_tip": "pot", "burned_below_deposit": true, %MORE% "source": "s"},
		{"from_runtime": 3, "evm_base": "burned", "evm_priority": "burned", "native_base": "burned", "native_tip": "burned", "source": "s"}]}]}`
	account := "0x" + strings.Repeat("ab", 32)
	with := func(more string) (network.Tables, error) {
		return network.BuiltIn().With("n.json", []byte(strings.Replace(table, "%MORE%", more, 1)))
	}
	tables, err := with(`"account": "` + account + `", "account_name": "other pot",`)
	require.NoError(t, err)
	n, _ := tables.Named("n")
	for runtime, want := range map[uint32]string{1: "staking pot", 2: "other pot", 3: "staking pot"} {
		rules, err := n.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, want, rules.TreasuryLabel())
		have, _ := rules.Treasury.Get()
		require.Equal(t, runtime == 2, fmt.Sprintf("0x%x", have.Bytes()) == account)
		d, _ := rules.Destinations.Get()
		require.Equal(t, runtime == 2, d.BurnedBelowDeposit)
	}
	const row = `network 1 "n": destinations from runtime 2: `
	for more, want := range map[string]string{
		`"account": "` + account + `",`:                                             row + "account and account_name: want both, or neither",
		`"account_name": "other pot",`:                                              row + "account and account_name: want both, or neither",
		`"account": "0x` + strings.Repeat("12", 20) + `", "account_name": "other",`: row + "account 0x" + strings.Repeat("12", 20) + ": want 32 bytes, as the chain's native accounts",
		`"account": "` + account + `", "account_name": "Other\u0007",`:              row + `account_name "Other\a": want up to 32 lower-case letters, digits, spaces and hyphens`,
		`"account": "0x12", "account_name": "other",`:                               `"0x12" is not an address`,
	} {
		_, err := with(more)
		require.ErrorContains(t, err, want)
	}
}
