package network_test

import (
	"encoding/csv"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// published reads figures of real transactions that public documents print, by column.
func published(t *testing.T, file string) (rows []map[string]string) {
	t.Helper()
	opened, err := os.Open(repository.Shared(t, "realnet", file))
	require.NoError(t, err)
	defer opened.Close()
	lines, err := csv.NewReader(opened).ReadAll()
	require.NoError(t, err)
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := chain.ParseWei(text)
	require.NoError(t, err)
	var value uint64
	for _, digit := range n.String() {
		value = value*10 + uint64(digit-'0')
	}
	return value
}

// Seven native transactions of the real Moonbase, runtime 3300, paid what the rows give at the lowest multiplier. The
// documents do not print the lengths of their extrinsics: these are the only whole ones that fit. The treasury received
// a fifth, and the odd wei.
func TestMoonbaseNative(t *testing.T) {
	rules, err := vectors.Rules(t, "moonbase", "3300")
	require.NoError(t, err)
	native, known := rules.NativeFee.Get()
	require.True(t, known)
	d, known := rules.Destinations.Get()
	require.True(t, known)
	update, known := rules.Update.Get()
	require.True(t, known)
	proportion, known := rules.Proportion.Get()
	require.True(t, known)
	rows := published(t, "moonbase-native-3300.csv")
	require.Len(t, rows, 7)
	for i, length := range []uint64{121, 148, 149, 96, 121, 317, 188} {
		row := rows[i]
		weight := chain.Weight{RefTime: chain.NewRefTime(number(t, row["ref_time"])), ProofSize: number(t, row["proof_size"])}
		fee := func(length uint64) chain.Wei {
			fee, err := native.Fee(rule.NativeInput{Class: chain.Normal, Weight: weight, Length: length, Multiplier: update.Minimum, Tip: chain.NewWei(number(t, row["tip"]))})
			require.NoError(t, err)
			return fee
		}
		require.Equal(t, row["actual_fee"], fee(length).String(), row["call"])
		require.NotEqual(t, row["actual_fee"], fee(length-1).String())
		require.NotEqual(t, row["actual_fee"], fee(length+1).String())
		require.Equal(t, number(t, row["withdraw"])-number(t, row["refund"]), number(t, row["actual_fee"]), row["call"])
		parts, err := d.NativeBase.Split(fee(length), chain.Some(*proportion.Default))
		require.NoError(t, err)
		require.Equal(t, row["treasury_deposit"], parts.Treasury.String(), row["call"])
	}
}

// Three EVM transactions of the real Moonbase, runtime 3200, paid gas × price. Two pay the row's base fee at the lowest
// multiplier, one states a higher price.
func TestMoonbaseEVM(t *testing.T) {
	rules, err := vectors.Rules(t, "moonbase", "3200")
	require.NoError(t, err)
	lowest, known, err := lowestBaseFee(rules)
	require.NoError(t, err)
	require.True(t, known)
	rows := published(t, "moonbase-evm-3200.csv")
	require.Len(t, rows, 3)
	atBase := 0
	for _, row := range rows {
		price := chain.NewGasPrice(number(t, row["fee_per_gas"]))
		if price == lowest {
			atBase++
		}
		require.GreaterOrEqual(t, price.Cmp(lowest), 0)
		weight, err := evm.RefTime(chain.NewGas(number(t, row["gas_spent"])), rules.WeightPerGas)
		require.NoError(t, err)
		fee, err := evm.Fee(price, weight, rules.WeightPerGas)
		require.NoError(t, err)
		require.Equal(t, row["fees_paid"], fee.String(), row["tx_hash"])
	}
	require.Equal(t, 2, atBase)
}

// lowestBaseFee returns the base fee at the lowest multiplier that the rules allow.
func lowestBaseFee(rules network.Rules) (lowest chain.GasPrice, known bool, err error) {
	base, err := evm.BaseFeePerGas(rules.BaseFee, chain.Some(chain.StoredMultiplier{Value: rules.BaseFee.MinMultiplier}))
	lowest, known = base.Get()
	return lowest, known, err
}
