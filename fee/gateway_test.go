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
	"github.com/feeledger/fees/network"
)

// The functions here write blocks as a gateway does: the same members in the same order, quantities as decimal
// strings.

type method struct {
	Pallet string `json:"pallet"`
	Method string `json:"method"`
}

type event struct {
	Method method `json:"method"`
	Data   []any  `json:"data"`
}

type extrinsic struct {
	Method    method  `json:"method"`
	Signature any     `json:"signature"`
	Nonce     any     `json:"nonce"`
	Args      any     `json:"args"`
	Tip       any     `json:"tip"`
	Hash      string  `json:"hash"`
	Info      object  `json:"info"`
	Era       object  `json:"era"`
	Events    []event `json:"events"`
	Success   bool    `json:"success"`
	PaysFee   bool    `json:"paysFee"`
}

type block struct {
	Number       string      `json:"number"`
	Hash         string      `json:"hash"`
	ParentHash   string      `json:"parentHash"`
	OnInitialize object      `json:"onInitialize"`
	Extrinsics   []extrinsic `json:"extrinsics"`
	OnFinalize   object      `json:"onFinalize"`
	Finalized    bool        `json:"finalized"`
}

type object = map[string]any

const blockNumber = 5_000_000

// gatewayBlock returns the text of a block.
func gatewayBlock(t testing.TB, extrinsics ...extrinsic) string {
	t.Helper()
	for i := range extrinsics {
		extrinsics[i].Hash = hash('e', i)
	}
	text, err := json.Marshal(block{
		Number: fmt.Sprint(blockNumber), Hash: hash('b', blockNumber), ParentHash: hash('b', blockNumber-1),
		OnInitialize: object{"events": []event{}}, Extrinsics: extrinsics, OnFinalize: object{"events": []event{}}, Finalized: true,
	})
	require.NoError(t, err)
	return string(text)
}

// hash returns a hash that shows its subject.
func hash(kind rune, n int) string { return fmt.Sprintf("0x%c%063x", kind, n) }

// address has no letters, so that its checksum changes nothing.
func address(kind, n int) string { return fmt.Sprintf("0x%d%039d", kind, n) }

func inherent(pallet, call string, args object) extrinsic {
	return extrinsic{
		Method: method{pallet, call}, Args: args, Info: object{}, Era: object{"immortalEra": "0x00"}, Success: true,
		Events: []event{succeeded("Mandatory", "No", 250_000_000)},
	}
}

func timestamp() extrinsic {
	return inherent("timestamp", "set", object{"now": "1767225888000"})
}

func succeeded(class, pays string, refTime uint64) event {
	return event{method{"system", "ExtrinsicSuccess"}, []any{dispatchInfo(class, pays, refTime)}}
}

func failed(refTime uint64) event {
	return event{method{"system", "ExtrinsicFailed"}, []any{
		object{"module": object{"index": "10", "error": "0x02000000"}}, dispatchInfo("Normal", "Yes", refTime),
	}}
}

func dispatchInfo(class, pays string, refTime uint64) object {
	return object{"weight": object{"refTime": fmt.Sprint(refTime), "proofSize": "3593"}, "class": class, "paysFee": pays}
}

// transact returns an EVM transaction; its sender, recipient and hashes follow from n.
func transact(n int, transaction object, refTime uint64, exit object) extrinsic {
	return extrinsic{
		Method: method{"ethereum", "transact"}, Args: object{"transaction": transaction},
		Info: object{}, Era: object{"immortalEra": "0x00"}, Success: true,
		Events: []event{
			{method{"balances", "Withdraw"}, []any{address(1, n), "1"}},
			{method{"ethereum", "Executed"}, []any{address(1, n), address(2, n), hash('a', n), exit}},
			succeeded("Normal", "No", refTime),
		},
	}
}

// signed returns a native transaction; what it paid is its second last event, if any.
func signed(n int, feePaid []any, last event) extrinsic {
	x := extrinsic{
		Method:    method{"balances", "transferKeepAlive"},
		Signature: object{"signature": "0x" + strings.Repeat("00", 65), "signer": address(3, n)},
		Nonce:     fmt.Sprint(n), Args: object{"dest": address(4, n), "value": "1000000000000000000"}, Tip: "0",
		Info: object{"error": "Fee calculation not supported for this network"}, Era: object{"immortalEra": "0x00"},
		Events:  []event{{method{"balances", "Withdraw"}, []any{address(3, n), "1"}}},
		Success: last.Method.Method == "ExtrinsicSuccess", PaysFee: true,
	}
	if feePaid != nil {
		x.Events = append(x.Events, event{method{"transactionPayment", "TransactionFeePaid"}, feePaid})
	}
	x.Events = append(x.Events, last)
	return x
}

// byCash returns a native transaction of a runtime without a fee event: seven wei more than it paid were
// withdrawn and refunded.
func byCash(n int, paid, tip string, last event) extrinsic {
	x := signed(n, nil, last)
	x.Tip = tip
	withdrawn := new(big.Int).Add(number(paid), big.NewInt(7)).String()
	x.Events = []event{
		{method{"balances", "Withdraw"}, []any{address(3, n), withdrawn}},
		{method{"balances", "Deposit"}, []any{address(3, n), "1000"}}, // the call's own
		{method{"balances", "Transfer"}, []any{address(3, n), address(4, n), "1000000000000000000"}},
		{method{"balances", "Deposit"}, []any{address(3, n), "7"}},
		{method{"balances", "Deposit"}, []any{"0x6d6f646c70792f74727372790000000000000000", "11"}},
		{method{"treasury", "Deposit"}, []any{"11"}},
		last,
	}
	return x
}

// priced decodes a block and prices it.
func priced(t testing.TB, text string, rules network.Rules, m *big.Int) *fee.Report {
	t.Helper()
	b, err := sidecar.DecodeBlock(text)
	require.NoError(t, err)
	report := fee.Price(b, &rules, stored(t, m, b.Number, rules.MultiplierAt))
	return report
}

// stored returns a multiplier as it is known of a block, nil for none.
func stored(t testing.TB, m *big.Int, number uint64, at network.MultiplierAt) chain.Optional[chain.StoredMultiplier] {
	t.Helper()
	if m == nil {
		return chain.Optional[chain.StoredMultiplier]{}
	}
	value, err := chain.ParseMultiplier(m.String())
	require.NoError(t, err)
	if at == network.AtParent {
		number--
	}
	return chain.Some(chain.StoredMultiplier{At: number, Value: value})
}

// runtimeRules returns the built-in rules for a runtime.
func runtimeRules(t testing.TB, name string, runtime uint32) network.Rules {
	t.Helper()
	n, ok := network.BuiltIn().Named(name)
	require.True(t, ok, name)
	rules, err := n.Rules(runtime)
	require.NoError(t, err)
	return rules
}

func specificationRules(t testing.TB, name string) network.Rules {
	t.Helper()
	n, ok := network.BuiltIn().Named(name)
	require.True(t, ok, name)
	rules, err := n.SpecificationRules()
	require.NoError(t, err)
	return rules
}

// shown returns the report as a reader of its JSON sees it.
func shown(t testing.TB, report any) object {
	t.Helper()
	text, err := json.Marshal(report)
	require.NoError(t, err)
	return tree(t, string(text)).(object)
}

// tree returns a JSON text with its numbers as they were written.
func tree(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v))
	return v
}
