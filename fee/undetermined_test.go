package fee_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
)

func decoded(t testing.TB, text string) *chain.Block {
	t.Helper()
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	return b
}

// good returns a block of which every fee is known. Extrinsics 1 and 2 are EVM
// transactions, 3 and 4 native ones.
func good(t testing.TB) string {
	t.Helper()
	fields := func(n int, prices object) object {
		prices["nonce"], prices["gasLimit"], prices["value"] = fmt.Sprint(n), "21000", "0"
		return prices
	}
	return gatewayBlock(t,
		timestamp(),
		transact(1, object{"legacy": fields(1, object{"gasPrice": "40000000000"})}, 525_000_000, stopped),
		transact(2, object{"eip1559": fields(2, object{"maxFeePerGas": "50000000000", "maxPriorityFeePerGas": "1000000000"})}, 525_000_000, stopped),
		signed(3, []any{address(3, 3), "2000000000000003", "3"}, succeeded("Normal", "Yes", 1)),
		signed(4, []any{address(3, 4), "1000000000000004", "4"}, succeeded("Normal", "Yes", 1)),
	)
}

// The fees of the good block: gas price × 21000 (the base fee is 31.25 Gwei), and
// what the events say.
var goodFees = map[int]string{1: "840000000000000", 2: "677250000000000", 3: "2000000000000003", 4: "1000000000000004"}

// x is an extrinsic of a block that is to be changed.
type x object

func (x x) payload() object {
	for _, fields := range x["args"].(object)["transaction"].(object) {
		return fields.(object)
	}
	return nil
}

func (x x) transaction() object { return x["args"].(object)["transaction"].(object) }

func (x x) event(name string) object {
	for _, e := range x["events"].([]any) {
		if e.(object)["method"].(object)["method"] == name {
			return e.(object)
		}
	}
	panic(name)
}

func (x x) data(name string) []any { return x.event(name)["data"].([]any) }

func (x x) info() object { return x.data("ExtrinsicSuccess")[0].(object) }

func (x x) drop(name string) {
	kept := []any{}
	for _, e := range x["events"].([]any) {
		if e.(object)["method"].(object)["method"] != name {
			kept = append(kept, e)
		}
	}
	x["events"] = kept
}

func (x x) add(e any) { x["events"] = append(x["events"].([]any), e) }

func (x x) repeat(name string) { x.add(x.event(name)) }

const (
	over64  = "18446744073709551616"                    // 2^64
	over128 = "340282366920938463463374607431768211456" // 2^128
	over256 = "115792089237316195423570985008687907853269984665640564039457584007913129639936"
)

type mutation struct {
	change func(x)
	want   string // the error, after "block 5000000, extrinsic N: "
}

var evmMutations = map[string]mutation{
	"no Executed":                  {func(x x) { x.drop("Executed") }, "event ethereum.Executed: missing"},
	"Executed too short":           {func(x x) { x.event("Executed")["data"] = x.data("Executed")[:3] }, "event ethereum.Executed: data[3]: missing"},
	"Executed with another sender": {func(x x) { x.data("Executed")[0] = "0x12" }, `event ethereum.Executed: data[0]: "0x12" is not an address: want 0x and 40 hex digits`},
	"no events":                    {func(x x) { x["events"] = []any{} }, "event system.ExtrinsicSuccess: missing"},
	"no ExtrinsicSuccess":          {func(x x) { x.drop("ExtrinsicSuccess") }, "event system.ExtrinsicSuccess: missing"},
	"ExtrinsicSuccess twice":       {func(x x) { x.repeat("ExtrinsicSuccess") }, "2 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"},
	"ExtrinsicFailed as well":      {func(x x) { x.add(failed(1)) }, "2 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"},
	"ExtrinsicFailed instead":      {func(x x) { x.drop("ExtrinsicSuccess"); x.add(failed(525_000_000)) }, "event system.ExtrinsicSuccess: missing; the extrinsic ended with ExtrinsicFailed"},
	"ExtrinsicSuccess of nothing":  {func(x x) { x.event("ExtrinsicSuccess")["data"] = []any{} }, "event system.ExtrinsicSuccess: data[0].weight: missing"},
	"no weight":                    {func(x x) { delete(x.info(), "weight") }, "event system.ExtrinsicSuccess: data[0].weight: missing"},
	"weight null":                  {func(x x) { x.info()["weight"] = nil }, "event system.ExtrinsicSuccess: data[0].weight: missing"},
	"weight without refTime":       {func(x x) { x.info()["weight"] = object{"proofSize": "0"} }, "event system.ExtrinsicSuccess: data[0].weight: refTime: missing"},
	"refTime malformed":            {func(x x) { x.info()["weight"] = object{"refTime": "525.000.000"} }, `event system.ExtrinsicSuccess: data[0].weight: refTime: "525.000.000" is not a non-negative integer`},
	"refTime through floats":       {func(x x) { x.info()["weight"] = object{"refTime": json.Number("5.25e8")} }, `event system.ExtrinsicSuccess: data[0].weight: refTime: "5.25e8" is not a non-negative integer`},
	"refTime over 64 bits":         {func(x x) { x.info()["weight"] = object{"refTime": over64} }, "event system.ExtrinsicSuccess: data[0].weight: refTime: " + over64 + " is more than 64 bits"},
	"no arguments":                 {func(x x) { delete(x, "args") }, "args.transaction: missing"},
	"no transaction":               {func(x x) { delete(x["args"].(object), "transaction") }, "args.transaction: missing"},
	"empty transaction":            {func(x x) { x["args"].(object)["transaction"] = object{} }, "args.transaction: want an object with one member, named after the transaction's type"},
	"unknown type":                 {func(x x) { x["args"].(object)["transaction"] = object{"eip4844": x.payload()} }, `args.transaction: unknown transaction type "eip4844"`},
	"two types": {func(x x) {
		fields := x.payload()
		fields["gasPrice"], fields["maxFeePerGas"], fields["maxPriorityFeePerGas"] = "1", "1", "1"
		x.transaction()["eip7702"] = fields
	}, "args.transaction: want an object with one member, named after the transaction's type"},
	"no nonce":    {func(x x) { delete(x.payload(), "nonce") }, "nonce: missing"},
	"no gasLimit": {func(x x) { delete(x.payload(), "gasLimit") }, "gasLimit: missing"},
}

var legacyMutations = map[string]mutation{
	"no gasPrice":            {func(x x) { delete(x.payload(), "gasPrice") }, "args.transaction.legacy.gasPrice: missing"},
	"gasPrice negative":      {func(x x) { x.payload()["gasPrice"] = "-40000000000" }, `args.transaction.legacy.gasPrice: "-40000000000" is not a non-negative integer`},
	"gasPrice empty":         {func(x x) { x.payload()["gasPrice"] = "" }, `args.transaction.legacy.gasPrice: "" is not a non-negative integer`},
	"gasPrice over 256 bits": {func(x x) { x.payload()["gasPrice"] = over256 }, "args.transaction.legacy.gasPrice: " + over256 + " is more than 256 bits"},
	"fee over 128 bits":      {func(x x) { x.payload()["gasPrice"] = over128 }, "gas price × weight / 25000: overflow"},
	"weight and price over 128 bits": {func(x x) {
		x.payload()["gasPrice"] = over128[:35]
		x.info()["weight"] = object{"refTime": "18446744073709550000"}
	}, "gas price × weight / 25000: overflow"},
}

var dynamicMutations = map[string]mutation{
	"no maxFeePerGas":         {func(x x) { delete(x.payload(), "maxFeePerGas") }, "args.transaction.eip1559.maxFeePerGas: missing"},
	"no maxPriorityFeePerGas": {func(x x) { delete(x.payload(), "maxPriorityFeePerGas") }, "args.transaction.eip1559.maxPriorityFeePerGas: missing"},
	"maxFeePerGas an array":   {func(x x) { x.payload()["maxFeePerGas"] = []any{"1"} }, "args.transaction.eip1559.maxFeePerGas: want a number, have an array"},
	"gasPrice instead":        {func(x x) { delete(x.payload(), "maxFeePerGas"); x.payload()["gasPrice"] = "1" }, "args.transaction.eip1559.maxFeePerGas: missing"},
	"base fee plus priority is over 256 bits": {func(x x) {
		x.payload()["maxPriorityFeePerGas"] = "115792089237316195423570985008687907853269984665640564039457584007913129639935"
	}, "base fee + maxPriorityFeePerGas: overflow"},
}

var nativeMutations = map[string]mutation{
	"no fee event":        {func(x x) { x.drop("TransactionFeePaid") }, "event transactionPayment.TransactionFeePaid: missing"},
	"fee event twice":     {func(x x) { x.repeat("TransactionFeePaid") }, "2 events transactionPayment.TransactionFeePaid, want one"},
	"fee event too short": {func(x x) { x.event("TransactionFeePaid")["data"] = x.data("TransactionFeePaid")[:2] }, "event transactionPayment.TransactionFeePaid: data[2]: missing"},
	"fee event empty":     {func(x x) { x.event("TransactionFeePaid")["data"] = []any{} }, "event transactionPayment.TransactionFeePaid: data[0]: missing"},
	"fee null":            {func(x x) { x.data("TransactionFeePaid")[1] = nil }, "event transactionPayment.TransactionFeePaid: data[1]: missing"},
	"fee malformed":       {func(x x) { x.data("TransactionFeePaid")[1] = "2e15" }, `event transactionPayment.TransactionFeePaid: data[1]: "2e15" is not a non-negative integer`},
	"fee over 128 bits":   {func(x x) { x.data("TransactionFeePaid")[1] = over128 }, "event transactionPayment.TransactionFeePaid: data[1]: " + over128 + " is more than 128 bits"},
	"tip above the fee": {func(x x) { x.data("TransactionFeePaid")[2] = "2000000000000004" },
		"event transactionPayment.TransactionFeePaid: data[2]: a tip of 2000000000000004 wei exceeds the fee of 2000000000000003 wei that includes it"},
	"payer in SS58": {func(x x) { x.data("TransactionFeePaid")[0] = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY" },
		"the payer 5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY has 32 bytes, and accounts of moonbeam have 20"},
	"payer malformed": {func(x x) { x.data("TransactionFeePaid")[0] = json.Number("5") }, "event transactionPayment.TransactionFeePaid: data[0]: want an address, have a number"},
}

// One fault leaves one fee unknown: never zero, never dropped, and nothing else changes.
func TestUndetermined(t *testing.T) {
	for index, tables := range map[int][]map[string]mutation{1: {evmMutations, legacyMutations}, 2: {evmMutations, dynamicMutations}, 3: {nativeMutations}} {
		for _, table := range tables {
			for name, m := range table {
				t.Run(fmt.Sprintf("extrinsic %d: %s", index, name), func(t *testing.T) {
					checkUndetermined(t, index, m)
				})
			}
		}
	}
}

func checkUndetermined(t *testing.T, index int, m mutation) {
	t.Helper()
	rules := runtimeRules(t, "moonbeam", 3702)
	before := priced(t, good(t), rules, number(unit))
	require.True(t, before.Holds())
	report := priced(t, changed(t, good(t), index, m.change), rules, number(unit))
	sum, evm, nat := new(big.Int), new(big.Int), new(big.Int)
	require.Len(t, report.Transactions, 4)
	for i, transaction := range report.Transactions {
		require.Equal(t, i+1, transaction.Index)
		require.Equal(t, before.Transactions[i].Layer, transaction.Layer)
		if transaction.Index != index {
			require.Equal(t, shown(t, before.Transactions[i]), shown(t, transaction), "another transaction changed")
			require.Nil(t, transaction.Error)
			paid := number(goodFees[transaction.Index])
			sum.Add(sum, paid)
			if transaction.Layer == fee.EVM {
				evm.Add(evm, paid)
			} else {
				nat.Add(nat, paid)
			}
			continue
		}
		require.False(t, transaction.Fee.Known(), "the fee is not known, it is not 0")
		require.False(t, transaction.Method.Known())
		require.NotNil(t, transaction.Error)
		require.Equal(t, uint64(blockNumber), transaction.Error.Block)
		require.Equal(t, index, transaction.Error.Extrinsic)
		place := fmt.Sprintf("block %d, extrinsic %d: ", blockNumber, index)
		require.True(t, strings.HasPrefix(transaction.Error.Error(), place), transaction.Error.Error())
		require.True(t, strings.HasSuffix(transaction.Error.Error(), m.want), "have %v, want %s", transaction.Error, m.want)
		require.Equal(t, strings.HasSuffix(m.want, "overflow"), errorIs(transaction.Error, chain.ErrOverflow))
		have := shown(t, transaction)
		require.Nil(t, have["fee"])
		require.Nil(t, have["method"])
		require.Equal(t, transaction.Error.Error(), have["error"])
	}
	require.Equal(t, sum.String(), report.Totals.Fee.String())
	require.Equal(t, evm.String(), report.Totals.EVMFee.String())
	require.Equal(t, nat.String(), report.Totals.NativeFee.String())
	require.Equal(t, before.Totals.EVM, report.Totals.EVM)
	require.Equal(t, before.Totals.Native, report.Totals.Native)
	require.Equal(t, before.Totals.Inherents, report.Totals.Inherents)
	require.Equal(t, 1, report.Totals.Undetermined)
	require.False(t, report.Totals.Complete)
	require.False(t, report.Holds())
	require.True(t, report.Certain)
}

func TestGoodBlock(t *testing.T) {
	report := priced(t, good(t), runtimeRules(t, "moonbeam", 3702), number(unit))
	for _, transaction := range report.Transactions {
		paid, known := transaction.Fee.Get()
		require.True(t, known)
		require.Equal(t, goodFees[transaction.Index], paid.String(), "extrinsic %d", transaction.Index)
		require.Empty(t, transaction.Notes)
	}
	require.Empty(t, report.Notes)
	require.True(t, report.Holds())
}

// changed returns the block's text with a change to one extrinsic.
func changed(t testing.TB, text string, index int, change func(x)) string {
	t.Helper()
	b := tree(t, text).(object)
	change(x(b["extrinsics"].([]any)[index].(object)))
	after, err := json.Marshal(b)
	require.NoError(t, err)
	return string(after)
}
