package explain_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/source"
)

// received is an Ethereum transaction with what its payer lost, by the states before and after it, and with its receipt.
type received struct {
	Family, Kind, Result       string
	Height                     uint64
	Index                      int
	Charged, Deposits, Endowed string
	Receipt                    struct{ GasUsed, EffectiveGasPrice string }
}

// The receipts of all 88 Ethereum transactions of the recorded chain lead to their fees: the recorded fee, deposits and
// existential deposits, and a rounding of less than one gas. Calls of the native layer have empty receipts; one receipt
// contains a deposit that was rolled back.
func TestEveryReceiptIsExplained(t *testing.T) {
	const name, ratio = "stack-template-3", 1_000_000
	src, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: pairs.HubTables(t)}
	text, err := os.ReadFile(pairs.Path(t, name, "gateway", "sent.json"))
	require.NoError(t, err)
	var file struct{ Sent []received }
	require.NoError(t, json.Unmarshal(text, &file))

	kinds := map[string]int{}
	fees, receipts := new(big.Int), new(big.Int)
	for _, s := range file.Sent {
		if s.Family != "evm" {
			continue
		}
		what := fmt.Sprintf("%d-%d", s.Height, s.Index)
		item, err := reader.Read(t.Context(), source.Height(s.Height))
		require.NoError(t, err)
		gas, err := strconv.ParseUint(s.Receipt.GasUsed, 10, 64)
		require.NoError(t, err)
		price, err := chain.ParseGasPrice(s.Receipt.EffectiveGasPrice)
		require.NoError(t, err)
		given := evidence.GivenReceipt{Index: s.Index, Receipt: chain.Receipt{GasUsed: chain.NewGas(gas), Price: price}}
		r := evidence.Prove(item.Block, fee.Price(item.Block, &item.Rules, item.Multiplier), item.Rules, evidence.Options{Receipt: chain.Some(given)})
		v := explain.Make(item, r, s.Index, "")
		require.Empty(t, v.Transaction.FailedChecks, what)
		for _, step := range slices.Concat(v.Steps, v.Cash.Steps, v.Receipt.Steps) {
			require.NotEqual(t, explain.InWei, step.Unit, what)
		}

		results := map[string]string{}
		follow(t, what, results, v.Inputs, v.Steps)
		follow(t, what, results, v.Receipt.Inputs, v.Receipt.Steps)
		cost := sum(t, s.Charged, s.Deposits, s.Endowed)
		require.Equal(t, s.Charged, results["fee"], what)
		require.Equal(t, cost.String(), results["cost"], what)
		total := new(big.Int).Mul(number(t, s.Receipt.GasUsed), number(t, s.Receipt.EffectiveGasPrice))
		require.Equal(t, total.String(), results["receipt"], what)

		rounding, leaves := results["rounding"]
		kind := "gained"
		switch {
		case leaves && number(t, rounding).Cmp(number(t, s.Receipt.EffectiveGasPrice)) < 0:
			require.GreaterOrEqual(t, number(t, rounding).Sign(), 0, what)
			kind = "rounded"
		case leaves:
			// The code of 2,445 bytes, as its header says, takes a deposit of two items and of 65 bytes more: what is left is less
			// than one gas.
			const item, perByte = 1_000_000_000, 10_000_000
			rest := new(big.Int).Sub(number(t, rounding), big.NewInt((2*item+(2445+65)*perByte)*ratio))
			require.True(t, rest.Sign() >= 0 && rest.Cmp(number(t, s.Receipt.EffectiveGasPrice)) < 0, what)
			require.Equal(t, "29-3", what)
			kind = "rolled back"
		case v.Transaction.DispatchesNative():
			kind = "native"
		default:
			require.Equal(t, "0", s.Receipt.GasUsed, what)
			require.Negative(t, cost.Sign(), what)
		}
		kinds[kind]++
		fees.Add(fees, number(t, s.Charged))
		receipts.Add(receipts, total.Div(total, big.NewInt(ratio)))
	}
	require.Equal(t, map[string]int{"rounded": 80, "gained": 3, "native": 4, "rolled back": 1}, kinds)
	// The figures of docs/hub.md, in the token's smallest unit.
	require.Equal(t, []string{"578164676131", "1145867228790"}, []string{fees.String(), receipts.String()})
	more := new(big.Int).Sub(receipts, fees)
	require.Equal(t, "98", more.Mul(more, big.NewInt(100)).Div(more, fees).String(), "percent")
}

// number parses a whole number.
func number(t *testing.T, text string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}

func sum(t *testing.T, texts ...string) *big.Int {
	t.Helper()
	s := new(big.Int)
	for _, text := range texts {
		s.Add(s, number(t, text))
	}
	return s
}
