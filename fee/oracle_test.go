package fee_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"testing"
)

// The oracle implements the rules independently: its own table of constants, from the runtimes' sources, and
// math/big. It shares nothing with the tables and the arithmetic of the packages under test.

// era is a range of runtimes whose blocks are priced alike.
type era struct {
	network    string
	from, to   uint32
	static     string // wei per gas, or
	constant   string // wei per gas for multiplier 1
	lowest     string // multiplier that the runtime allows, times 10^18
	correction uint64
	uncapped   bool // eip1559 prices can exceed maxFeePerGas
	typed      bool // transactions have types
	feeEvent   bool // native transactions have TransactionFeePaid
}

const (
	unit = "1000000000000000000" // multiplier 1
	none = ""
)

// In the runtimes 1801 to 1899 (1800 to 1899 on Moonbase) fees got their event, in the middle of the tables'
// rows; here that range is separate.
var eras = []era{
	{"moonbeam", 900, 1000, "100000000000", none, none, 0, false, false, false},
	{"moonbeam", 1001, 1200, "100000000000", none, none, 0, false, false, false},
	{"moonbeam", 1201, 1300, "100000000000", none, none, 0, true, true, false},
	{"moonbeam", 1301, 1800, "100000000000", none, none, 0, false, true, false},
	{"moonbeam", 1801, 1899, "100000000000", none, none, 0, false, true, true},
	{"moonbeam", 1900, 1901, "100000000000", none, none, 86_298_000, false, true, true},
	{"moonbeam", 1902, 2299, "100000000000", none, none, 0, false, true, true},
	{"moonbeam", 2300, 3399, none, "125000000000", unit, 0, false, true, true},
	{"moonbeam", 3400, 4303, none, "31250000000", unit, 0, false, true, true},
	{"moonbeam", 4304, 4304, none, "31250000000", unit, 0, false, true, true},
	{"moonbeam", 4305, 4500, none, "31250000000", unit, 0, false, true, true},

	{"moonriver", 49, 599, "1000000000", none, none, 0, false, false, false},
	{"moonriver", 600, 1000, "1000000000", none, none, 0, false, false, false},
	{"moonriver", 1001, 1200, "1000000000", none, none, 0, false, false, false},
	{"moonriver", 1201, 1300, "1000000000", none, none, 0, true, true, false},
	{"moonriver", 1301, 1800, "1000000000", none, none, 0, false, true, false},
	{"moonriver", 1801, 1899, "1000000000", none, none, 0, false, true, true},
	{"moonriver", 1900, 1901, "1000000000", none, none, 86_298_000, false, true, true},
	{"moonriver", 1902, 2199, "1000000000", none, none, 0, false, true, true},
	{"moonriver", 2200, 3399, none, "1250000000", unit, 0, false, true, true},
	{"moonriver", 3400, 4500, none, "312500000", unit, 0, false, true, true},

	{"moonbase", 40, 599, "1000000000", none, none, 0, false, false, false},
	{"moonbase", 600, 1000, "1000000000", none, none, 0, false, false, false},
	{"moonbase", 1001, 1199, "1000000000", none, none, 0, false, false, false},
	{"moonbase", 1200, 1300, "1000000000", none, none, 0, true, true, false},
	{"moonbase", 1301, 1799, "1000000000", none, none, 0, false, true, false},
	{"moonbase", 1800, 1899, "1000000000", none, none, 0, false, true, true},
	{"moonbase", 1900, 1901, "1000000000", none, none, 250_000_000, false, true, true},
	{"moonbase", 1902, 2099, "1000000000", none, none, 0, false, true, true},
	{"moonbase", 2100, 2199, none, "1250000000", "1000000000000000", 0, false, true, true},
	{"moonbase", 2200, 3399, none, "1250000000", "100000000000000000", 0, false, true, true},
	{"moonbase", 3400, 4500, none, "312500000", "100000000000000000", 0, false, true, true},

	{"datahaven", 200, 399, none, "31250000000", unit, 0, false, true, true},
	{"datahaven", 400, 1500, none, "31250000000", unit, 0, false, true, true},
	{"datahaven-testnet", 100, 399, none, "312500000", unit, 0, false, true, true},
	{"datahaven-testnet", 400, 1500, none, "312500000", unit, 0, false, true, true},
	{"datahaven-stagenet", 200, 399, none, "312500000", unit, 0, false, true, true},
	{"datahaven-stagenet", 400, 1500, none, "312500000", "100000000000000000", 0, false, true, true},
}

// specificationEras are the rows of the specification's own table.
var specificationEras = map[string]era{
	"moonbeam": {network: "moonbeam", constant: "125000000000", lowest: unit, typed: true, feeEvent: true},
	"moonbase": {network: "moonbase", constant: "125000000", lowest: unit, typed: true, feeEvent: true},
}

func number(text string) *big.Int {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic(text)
	}
	return n
}

// multipliers returns some that blocks of the era could have, times 10^18.
func (e era) multipliers() []*big.Int {
	list := []*big.Int{
		number(unit), number("999854223988196835"), number("1000000000000000001"), number("1234567890123456789"),
		number("8000000000000000000"), number("100000000000000000000000"),
	}
	if e.lowest != none && e.lowest != unit {
		list = append(list, number(e.lowest), new(big.Int).Add(number(e.lowest), big.NewInt(1)))
	}
	return list
}

func (e era) baseFee(m *big.Int) *big.Int {
	if e.static != none {
		return number(e.static)
	}
	product := new(big.Int).Mul(m, number(e.constant))
	return product.Quo(product, number(unit))
}

// scenario is one extrinsic and the expected report on it.
type scenario struct {
	name string
	sent extrinsic
	want object // of the transaction's JSON; nil for an inherent
	fee  *big.Int
}

var (
	stopped  = object{"succeed": "Stopped"}
	returned = object{"succeed": "Returned"}
	reverted = object{"revert": "Reverted"}
	outOfGas = object{"error": object{"outOfGas": nil}}
)

// scenarios returns the extrinsics of a block of the era.
func (e era) scenarios(runtime uint32, m *big.Int) []scenario {
	base := e.baseFee(m)
	plus := func(n int64) *big.Int { return new(big.Int).Add(base, big.NewInt(n)) }
	twice := new(big.Int).Lsh(base, 1)
	s := &scenarios{era: e, base: base}
	s.inherent(timestamp())
	s.inherent(inherent("parachainSystem", "setValidationData", object{"data": object{"relayParentNumber": "1050"}}))
	s.legacy("legacy above the base fee", plus(50_000_000_001), 21_000, stopped, "Stopped")
	s.legacy("legacy at the base fee", base, 60_000, returned, "Returned")
	s.legacy("legacy, reverted", twice, 33_333, reverted, "Reverted")
	s.legacy("legacy, out of gas", plus(1), 12_999_999, outOfGas, "outOfGas")
	if e.typed {
		s.priced("eip2930", "eip2930", plus(7), 26_400, stopped, "Stopped")
		s.dynamic("eip1559 that fits", "eip1559", plus(3), big.NewInt(2), 51_636, returned, "Returned")
		s.dynamic("eip1559 that fits by far", "eip1559", new(big.Int).Lsh(twice, 10), big.NewInt(3_000_000_000), 21_000, stopped, "Stopped")
		s.dynamic("eip1559 at the cap", "eip1559", plus(2_000_000_000), big.NewInt(2_000_000_000), 21_000, stopped, "Stopped")
		s.dynamic("eip1559 above the cap by 1", "eip1559", plus(1_999_999_999), big.NewInt(2_000_000_000), 21_000, stopped, "Stopped")
		s.dynamic("eip1559 above the cap", "eip1559", plus(1), twice, 21_001, reverted, "Reverted")
		s.dynamic("eip1559 without priority, out of gas", "eip1559", twice, new(big.Int), 80_000, outOfGas, "outOfGas")
	}
	if runtime == 0 || runtime >= 3900 {
		s.dynamic("eip7702 that fits", "eip7702", twice, big.NewInt(1), 46_000, stopped, "Stopped")
		s.dynamic("eip7702 above the cap", "eip7702", plus(5), big.NewInt(6), 46_000, stopped, "Stopped")
	}
	s.native("native", "2096463115960925", "0", true)
	s.native("native with a tip", "1002096463115960925", "1000000000000000000", true)
	s.native("native that failed, with a tip", "2096463115960926", "1", false)
	s.native("native with a fee waived", "0", "0", true)
	s.native("native with a fee waived but for the tip", "5000", "5000", true)
	s.inherent(inherent("authorInherent", "kickOffAuthorshipValidation", object{}))
	return s.list
}

type scenarios struct {
	era
	base *big.Int
	list []scenario
}

func (s *scenarios) inherent(x extrinsic) {
	s.list = append(s.list, scenario{x.Method.Pallet, x, nil, nil})
}

func (s *scenarios) legacy(name string, price *big.Int, gas uint64, exit object, status string) {
	if s.typed {
		s.priced(name, "legacy", price, gas, exit, status)
		return
	}
	s.evm(name, "legacy", object{"gasPrice": price.String()}, price, gas, exit, status)
}

func (s *scenarios) priced(name, kind string, price *big.Int, gas uint64, exit object, status string) {
	s.evm(name, kind, object{"gasPrice": price.String()}, price, gas, exit, status)
}

func (s *scenarios) dynamic(name, kind string, largest, priority *big.Int, gas uint64, exit object, status string) {
	price := new(big.Int).Add(s.base, priority)
	if !s.uncapped && price.Cmp(largest) > 0 {
		price = largest
	}
	s.evm(name, kind, object{"maxFeePerGas": largest.String(), "maxPriorityFeePerGas": priority.String()}, price, gas, exit, status)
}

func (s *scenarios) evm(name, kind string, prices object, price *big.Int, gas uint64, exit object, status string) {
	n := len(s.list)
	fields := object{"nonce": fmt.Sprint(n), "gasLimit": fmt.Sprint(gas + 1), "value": unit, "input": "0x"}
	for key, value := range prices {
		fields[key] = value
	}
	fields["action"] = object{"call": address(2, n)}
	transaction := object{kind: fields}
	if !s.typed {
		transaction = fields
	}
	weight := gas*25_000 - s.correction
	paid := new(big.Int).Mul(price, new(big.Int).SetUint64(gas))
	priority := new(big.Int).Sub(price, s.base)
	priority.Mul(priority, new(big.Int).SetUint64(gas))
	s.list = append(s.list, scenario{name, transact(n, transaction, weight, exit), object{
		"index": json.Number(fmt.Sprint(n)), "layer": "evm", "type": kind, "call": "ethereum.transact",
		"hash": hash('e', n), "evm_hash": hash('a', n), "from": address(1, n), "to": address(2, n), "payer": address(1, n),
		"nonce": fmt.Sprint(n), "gas_price": price.String(), "gas": fmt.Sprint(gas), "weight": fmt.Sprint(weight),
		"fee": paid.String(), "method": "rule", "priority_fee": priority.String(), "tip": nil,
		"success": true, "outcome": outcomes[status], "status": status, "transfers": []any{}, "error": nil,
	}, paid})
}

func (s *scenarios) native(name, paid, tip string, success bool) {
	n := len(s.list)
	last := succeeded("Normal", "Yes", 416_860_000)
	if !success {
		last = failed(416_860_000)
	}
	want := object{
		"index": json.Number(fmt.Sprint(n)), "layer": "native", "type": nil, "call": "balances.transferKeepAlive",
		"hash": hash('e', n), "evm_hash": nil, "from": address(3, n), "to": nil, "payer": address(5, n),
		"nonce": fmt.Sprint(n), "gas_price": nil, "gas": nil, "weight": "416860000",
		"fee": paid, "method": "rule", "priority_fee": nil, "tip": tip,
		"success": success, "outcome": map[bool]string{true: "succeeded", false: "failed"}[success], "status": nil, "transfers": []any{}, "error": nil,
	}
	if s.feeEvent {
		feePaid := []any{address(5, n), paid, tip}
		s.list = append(s.list, scenario{name, signed(n, feePaid, last), want, number(paid)})
		return
	}
	if s.typed { // runtimes with typed transactions have balances.Withdraw
		want["method"], want["payer"] = "cash", address(3, n)
		s.list = append(s.list, scenario{name, byCash(n, paid, tip, last), want, number(paid)})
		return
	}
	for _, key := range []string{"payer", "fee", "method", "tip"} {
		want[key] = nil
	}
	want["error"] = fmt.Sprintf("block %d, extrinsic %d: event transactionPayment.TransactionFeePaid: missing; the runtime predates it", blockNumber, n)
	s.list = append(s.list, scenario{name, signed(n, nil, last), want, nil})
}

// outcomes are those of the statuses.
var outcomes = map[string]any{
	"Stopped": "succeeded", "Returned": "succeeded", "Suicided": "succeeded", "Reverted": "reverted", "outOfGas": "out_of_gas",
}

// totals returns the expected totals of the scenarios.
func totals(list []scenario) object {
	sums := map[string]*big.Int{"evm": new(big.Int), "native": new(big.Int)}
	counts := map[string]int{}
	for _, s := range list {
		switch {
		case s.want == nil:
			counts["inherents"]++
			continue
		case s.fee == nil:
			counts["undetermined"]++
		default:
			sum := sums[s.want["layer"].(string)]
			sum.Add(sum, s.fee)
		}
		counts[s.want["layer"].(string)]++
		if outcome := s.want["outcome"]; outcome == nil {
			counts["unknown"]++
		} else if outcome != "succeeded" {
			counts[s.want["layer"].(string)+" failed"]++
		}
	}
	count := func(what string) json.Number { return json.Number(fmt.Sprint(counts[what])) }
	return object{
		"fee": new(big.Int).Add(sums["evm"], sums["native"]).String(), "evm_fee": sums["evm"].String(), "native_fee": sums["native"].String(),
		"evm": count("evm"), "native": count("native"),
		"evm_failed": count("evm failed"), "native_failed": count("native failed"), "outcome_unknown": count("unknown"), "inherents": count("inherents"),
		"undetermined": count("undetermined"), "complete": counts["undetermined"] == 0,
	}
}

// text returns the block of the scenarios.
func text(t testing.TB, list []scenario) string {
	t.Helper()
	extrinsics := []extrinsic{}
	for _, s := range list {
		extrinsics = append(extrinsics, s.sent)
	}
	return gatewayBlock(t, extrinsics...)
}
