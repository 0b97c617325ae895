package fee_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// charge is the amount that a recorded chain took for a transaction, according to the accounts' balances.
type charge struct {
	Kind    string `json:"kind"`
	Family  string `json:"family"` // evm or native
	Height  int    `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
	Tip     string `json:"tip"`
	EVMHash string `json:"ethHash"`
}

type recording struct {
	directory string
	runtime   uint32
	charges   map[[2]int]charge // by height and index
	last      int
}

func record(t testing.TB, name string, runtime uint32, last int) recording {
	t.Helper()
	r := recording{directory: filepath.Join("..", "testdata", "recordings", name), runtime: runtime, charges: map[[2]int]charge{}, last: last}
	var file struct{ Sent []charge }
	require.NoError(t, json.Unmarshal([]byte(r.text(t, "sent.json")), &file))
	for _, c := range file.Sent {
		r.charges[[2]int{c.Height, c.Index}] = c
	}
	require.Len(t, r.charges, len(file.Sent), "two transactions in one place")
	return r
}

func (r recording) text(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{r.directory}, path...)...))
	require.NoError(t, err)
	return string(text)
}

func (r recording) block(t testing.TB, height int) string {
	t.Helper()
	return r.text(t, "blocks", fmt.Sprintf("%d.json", height))
}

// multiplier returns the one stored at a height, nil below 0.
func (r recording) multiplier(t testing.TB, height int) *big.Int {
	t.Helper()
	if height < 0 {
		return nil
	}
	return number(tree(t, r.text(t, "multiplier", fmt.Sprintf("%d.json", height))).(object)["value"].(string))
}

func (r recording) report(t testing.TB, height int) *fee.Report {
	t.Helper()
	return priced(t, r.block(t, height), runtimeRules(t, "moonbeam", r.runtime), r.multiplier(t, height-1))
}

// Every fee equals the chain's charge, to the wei.
func TestRecordingOfRuntime2100(t *testing.T) {
	r := record(t, "moonbeam-2100", 2100, 27)
	seen := 0
	for height := 0; height <= r.last; height++ {
		report := r.report(t, height)
		sum := new(big.Int)
		for _, transaction := range report.Transactions {
			c := r.check(t, height, transaction)
			paid, known := transaction.Fee.Get()
			require.True(t, known, "block %d, extrinsic %d, %s", height, transaction.Index, c.Kind)
			require.Equal(t, c.Charged, paid.String(), "block %d, extrinsic %d, %s", height, transaction.Index, c.Kind)
			require.Nil(t, transaction.Error)
			require.Empty(t, transaction.Notes)
			if transaction.Layer == fee.Native {
				require.Equal(t, c.Tip, shown(t, transaction)["tip"], "block %d, extrinsic %d, %s", height, transaction.Index, c.Kind)
			}
			sum.Add(sum, number(c.Charged))
			seen++
		}
		require.Equal(t, sum.String(), report.Totals.Fee.String(), "total of block %d", height)
		require.True(t, report.Holds())
	}
	require.Equal(t, 84, seen)
	require.Len(t, r.charges, seen, "transactions that were sent and are in no report")
}

// Runtime 1701 had no fee event: its native fees are the withdrawal less the refund.
func TestRecordingOfRuntime1701(t *testing.T) {
	r := record(t, "moonbeam-1701", 1701, 21)
	seen := map[fee.Layer]int{}
	method := map[fee.Layer]string{fee.EVM: "rule", fee.Native: "cash"}
	for height := 0; height <= r.last; height++ {
		report := r.report(t, height)
		sum := new(big.Int)
		for _, transaction := range report.Transactions {
			c := r.check(t, height, transaction)
			seen[transaction.Layer]++
			paid, _ := transaction.Fee.Get()
			require.Equal(t, c.Charged, paid.String(), "block %d, extrinsic %d, %s", height, transaction.Index, c.Kind)
			require.Equal(t, method[transaction.Layer], shown(t, transaction)["method"])
			sum.Add(sum, number(c.Charged))
		}
		require.Equal(t, sum.String(), report.Totals.Fee.String(), "total of block %d", height)
		require.True(t, report.Holds(), "block %d", height)
	}
	require.Equal(t, map[fee.Layer]int{fee.EVM: 45, fee.Native: 19}, seen)
	require.Len(t, r.charges, 45+19, "transactions that were sent and are in no report")
}

// check finds what was charged for a transaction.
func (r recording) check(t *testing.T, height int, transaction fee.Transaction) charge {
	t.Helper()
	c, ok := r.charges[[2]int{height, transaction.Index}]
	require.True(t, ok, "block %d, extrinsic %d: nobody sent it", height, transaction.Index)
	require.Equal(t, c.Family, string(transaction.Layer), c.Kind)
	if transaction.Layer == fee.EVM {
		require.Equal(t, c.EVMHash, shown(t, transaction)["evm_hash"], c.Kind)
	}
	gateway := tree(t, r.block(t, height)).(object)["extrinsics"].([]any)[transaction.Index].(object)
	require.Equal(t, gateway["success"], shown(t, transaction)["success"], "%s: the gateway's own word for it", c.Kind)
	return c
}

// Under the specification, the recorded multipliers give dynamic base fees.
func TestRecordingsByOtherRules(t *testing.T) {
	r := record(t, "moonbeam-2100", 2100, 27)
	for height := 1; height <= r.last; height++ {
		text := r.block(t, height)
		compareEVM(t, text, specificationRules(t, "moonbeam"), specificationEras["moonbeam"], r.multiplier(t, height))
		for _, e := range eras {
			compareEVM(t, text, runtimeRules(t, e.network, e.to), e, r.multiplier(t, height-1))
		}
	}
}

// A block of the real network, if it is beside the checkout.
func TestBlockOfTheRealNetwork(t *testing.T) {
	content, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-11728459.json"))
	require.NoError(t, err)
	text := string(content)

	report := priced(t, text, runtimeRules(t, "moonbeam", 3702), number(unit))
	require.Equal(t, uint64(11_728_459), report.Number)
	require.Equal(t, 9, report.Totals.EVM)
	require.Equal(t, "12641937500000000", report.Totals.EVMFee.String())
	require.True(t, report.Holds())

	for _, runtime := range []uint32{3702, 3300, 2201} {
		for _, m := range []string{unit, "1234567890123456789"} {
			e := eraOf("moonbeam", runtime)
			compareEVM(t, text, runtimeRules(t, "moonbeam", runtime), e, number(m))
		}
	}
	compareEVM(t, text, specificationRules(t, "moonbeam"), specificationEras["moonbeam"], number(unit))
	compareEVM(t, text, specificationRules(t, "moonbeam"), specificationEras["moonbeam"], number("1234567890123456789"))
}

func eraOf(name string, runtime uint32) era {
	for _, e := range eras {
		if e.network == name && e.from <= runtime && runtime <= e.to {
			return e
		}
	}
	panic(fmt.Sprintf("no era for %s/%d", name, runtime))
}

// compareEVM prices a block and compares each EVM fee with the oracle's reading
// of the same JSON.
func compareEVM(t *testing.T, text string, rules network.Rules, e era, m *big.Int) {
	t.Helper()
	want := map[int]*big.Int{}
	for i, extrinsic := range tree(t, text).(object)["extrinsics"].([]any) {
		if x := x(extrinsic.(object)); x["method"].(object)["pallet"] == "ethereum" {
			want[i] = e.evmFee(x, m)
		}
	}
	report := priced(t, text, rules, m)
	sum := new(big.Int)
	have := 0
	for _, transaction := range report.Transactions {
		if transaction.Layer != fee.EVM {
			continue
		}
		have++
		paid, known := transaction.Fee.Get()
		require.True(t, known, "%s, block %d, extrinsic %d", report.Rules, report.Number, transaction.Index)
		require.Equal(t, want[transaction.Index].String(), paid.String(), "%s, block %d, extrinsic %d", report.Rules, report.Number, transaction.Index)
		sum.Add(sum, want[transaction.Index])
	}
	require.Equal(t, len(want), have)
	require.Equal(t, sum.String(), report.Totals.EVMFee.String())
}

// evmFee returns what the era charges for a transaction.
func (e era) evmFee(x x, m *big.Int) *big.Int {
	fields := x.payload()
	var price *big.Int
	if own, ok := fields["gasPrice"]; ok {
		price = anyNumber(own)
	} else {
		price = new(big.Int).Add(e.baseFee(m), anyNumber(fields["maxPriorityFeePerGas"]))
		if largest := anyNumber(fields["maxFeePerGas"]); !e.uncapped && largest.Cmp(price) < 0 {
			price = largest
		}
	}
	weight := anyNumber(x.info()["weight"].(object)["refTime"])
	weight.Add(weight, new(big.Int).SetUint64(e.correction))
	return weight.Mul(weight, price).Quo(weight, big.NewInt(25_000))
}

// anyNumber reads a number in any form.
func anyNumber(v any) *big.Int {
	text := fmt.Sprint(v)
	if digits, hex := strings.CutPrefix(text, "0x"); hex {
		n, ok := new(big.Int).SetString(digits, 16)
		if !ok {
			panic(text)
		}
		return n
	}
	return number(text)
}
