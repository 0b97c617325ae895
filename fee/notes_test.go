package fee_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

func errorIs(err *fee.Error, target error) bool { return errors.Is(err, target) }

// Oddities are noted at a transaction whose fee is nonetheless known.
func TestNotesOfATransaction(t *testing.T) {
	const correction = "86298000 was added to the weight, which this runtime reports without the base weight of the extrinsic"
	for name, c := range map[string]struct {
		runtime uint32
		index   int
		change  func(x)
		want    object
		notes   []string
	}{
		"price below the minimum and the base fee": {3702, 1, func(x x) { x.payload()["gasPrice"] = "31249999999" },
			object{"fee": "656249999979000", "gas": "21000", "gas_price": "31249999999", "priority_fee": nil}, []string{
				"the gas price of 31249999999 wei is below the network's minimum of 31250000000",
				"the gas price of 31249999999 wei is below the base fee of 31250000000: there is no priority fee",
			}},
		"price at the minimum": {3702, 1, func(x x) { x.payload()["gasPrice"] = "31250000000" },
			object{"fee": "656250000000000", "priority_fee": "0"}, []string{}},
		"price of nothing": {3702, 1, func(x x) { x.payload()["gasPrice"] = "0" },
			object{"fee": "0", "gas_price": "0", "priority_fee": nil, "error": nil}, []string{
				"the gas price of 0 wei is below the network's minimum of 31250000000",
				"the gas price of 0 wei is below the base fee of 31250000000: there is no priority fee",
			}},
		"maxFeePerGas below the base fee": {3702, 2, func(x x) { x.payload()["maxFeePerGas"] = "31250000000"; x.payload()["maxPriorityFeePerGas"] = "0" },
			object{"fee": "656250000000000", "priority_fee": "0"}, []string{}},
		"weight 1 above a multiple": {3702, 1, func(x x) { x.info()["weight"] = "525000001" },
			object{"fee": "840000001600000", "gas": "21000", "weight": "525000001", "priority_fee": "183750000000000"}, []string{
				"the weight 525000001 is not a multiple of 25000: the gas is rounded down, the fee is not",
			}},
		"weight 1 below a multiple": {3702, 1, func(x x) { x.info()["weight"] = json.Number("524999999") },
			object{"fee": "839999998400000", "gas": "20999", "weight": "524999999", "priority_fee": "183741250000000"}, []string{
				"the weight 524999999 is not a multiple of 25000: the gas is rounded down, the fee is not",
			}},
		"weight of 0": {3702, 1, func(x x) { x.info()["weight"] = "0" },
			object{"fee": "0", "gas": "0", "weight": "0", "priority_fee": "0"}, []string{}},
		"several Executed, the last is its own": {3702, 1, func(x x) {
			last := object{"method": object{"pallet": "ethereum", "method": "Executed"}, "data": []any{address(7, 7), address(8, 8), hash('d', 9), reverted}}
			x.add(last)
		}, object{"from": address(7, 7), "to": address(8, 8), "payer": address(7, 7), "evm_hash": hash('d', 9), "status": "Reverted", "fee": "840000000000000"}, []string{
			"2 events ethereum.Executed: the last is the transaction's own",
		}},
		"weight corrected": {1901, 1, func(x x) { x.info()["weight"] = "438702000"; x.payload()["gasPrice"] = "100000000000" },
			object{"fee": "2100000000000000", "gas": "21000", "weight": "438702000", "priority_fee": "0"}, []string{correction}},
		"weight corrected, no multiple": {1900, 1, func(x x) { x.info()["weight"] = "438702001"; x.payload()["gasPrice"] = "100000000000" },
			object{"fee": "2100000004000000", "gas": "21000", "weight": "438702001"}, []string{
				correction, "the weight 525000001 is not a multiple of 25000: the gas is rounded down, the fee is not",
			}},
		"price not capped": {1300, 2, func(x x) { x.payload()["maxFeePerGas"] = "100000000001" },
			object{"fee": "2121000000000000", "gas_price": "101000000000", "priority_fee": "21000000000000"}, []string{}},
		"native: signer malformed": {3702, 3, func(x x) { x["signature"] = object{"signer": "0x12"} },
			object{"fee": goodFees[3], "from": nil, "payer": address(3, 3)}, []string{`signature.signer: "0x12" is not an address: want 0x and 40 hex digits`}},
		"native: signature that is only text": {3702, 3, func(x x) { x["signature"] = "0x00" },
			object{"fee": goodFees[3], "from": nil}, []string{"signature.signer: missing"}},
		"native: nonce missing": {3702, 3, func(x x) { x["nonce"] = nil },
			object{"fee": goodFees[3], "nonce": nil, "from": address(3, 3)}, []string{"nonce: missing"}},
		"native: no outcome": {3702, 3, func(x x) { x.drop("ExtrinsicSuccess") },
			object{"fee": goodFees[3], "success": nil, "weight": nil}, []string{"event system.ExtrinsicSuccess: missing"}},
		"native: two outcomes": {3702, 3, func(x x) { x.add(failed(1)) },
			object{"fee": goodFees[3], "success": nil}, []string{"2 events of system.ExtrinsicSuccess and ExtrinsicFailed, want one"}},
		"native: no weight": {3702, 3, func(x x) { delete(x.info(), "weight") },
			object{"fee": goodFees[3], "success": true, "weight": nil}, []string{}},
		"native: unsigned, but it paid": {3702, 3, func(x x) { x["signature"] = nil },
			object{"fee": goodFees[3], "layer": "native", "from": nil, "nonce": nil, "payer": address(3, 3)}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			text := changed(t, good(t), c.index, c.change)
			report := priced(t, text, runtimeRules(t, "moonbeam", c.runtime), number(unit))
			transaction := report.Transactions[c.index-1]
			require.Nil(t, transaction.Error)
			require.Equal(t, c.notes, transaction.Notes)
			have := shown(t, transaction)
			for key, want := range c.want {
				require.Equal(t, want, have[key], key)
			}
			rounded := false
			for _, transaction := range report.Transactions {
				rounded = rounded || strings.Contains(strings.Join(transaction.Notes, " "), "is not a multiple of 25000")
			}
			require.Equal(t, !rounded, report.Holds(), "a note leaves the report whole, unless the weight is no whole gas")
		})
	}
}

func TestCorrectionThatOverflows(t *testing.T) {
	text := changed(t, good(t), 1, func(x x) { x.info()["weight"] = "18446744073709551615" })
	report := priced(t, text, runtimeRules(t, "moonbeam", 1900), number(unit))
	transaction := report.Transactions[0]
	require.EqualError(t, transaction.Error, "block 5000000, extrinsic 1: weight + correction: overflow")
	require.False(t, transaction.Fee.Known())
	require.Equal(t, "18446744073709551615", shown(t, transaction)["weight"])
}

func TestRuntimeNewerThanTheTable(t *testing.T) {
	for _, c := range []struct {
		runtime uint32
		rules   string
		certain bool
	}{{4499, "moonbeam/4499", true}, {4500, "moonbeam/4500", true}, {4501, "moonbeam/4501?", false}} {
		report := priced(t, good(t), runtimeRules(t, "moonbeam", c.runtime), number(unit))
		require.Equal(t, c.rules, report.Rules)
		require.Equal(t, c.certain, report.Certain)
		require.Equal(t, c.certain, report.Holds())
		require.True(t, report.Totals.Complete, "every fee has its price all the same")
		require.Equal(t, "4517250000000007", report.Totals.Fee.String())
		if c.certain {
			require.Empty(t, report.Notes)
			continue
		}
		require.Equal(t, []string{"runtime 4501 is newer than the table of moonbeam, which was checked up to 4500. The last row was used; verify the fees against the chain."}, report.Notes)
	}
}

// Block 0 has no parent, hence no multiplier: a dynamic base fee is unknown.
func TestBlockZero(t *testing.T) {
	for name, c := range map[string]struct {
		runtime       uint32
		baseFee       any
		undetermined  int
		legacy, prios any
	}{
		"dynamic": {3702, nil, 1, "840000000000000", nil},
		"static":  {2201, "100000000000", 0, "840000000000000", nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := decoded(t, good(t))
			b.Number = 0
			rules := runtimeRules(t, "moonbeam", c.runtime)
			report := fee.Price(b, &rules, chain.Optional[chain.StoredMultiplier]{})
			have := shown(t, report)
			require.Nil(t, have["multiplier"])
			require.Equal(t, c.baseFee, have["base_fee_per_gas"])
			require.Equal(t, c.undetermined, report.Totals.Undetermined)
			legacy := have["transactions"].([]any)[0].(object)
			require.Equal(t, c.legacy, legacy["fee"], "a legacy price needs no base fee")
			require.Equal(t, c.prios, legacy["priority_fee"])
			if c.undetermined == 1 {
				require.EqualError(t, report.Transactions[1].Error, "block 0, extrinsic 2: base fee per gas: missing")
				require.ErrorIs(t, report.Transactions[1].Error, chain.ErrMissing)
				require.Empty(t, report.Transactions[0].Notes)
			}
		})
	}
	b := decoded(t, good(t))
	b.Number, b.Extrinsics = 0, nil
	rules := runtimeRules(t, "moonbeam", 3702)
	report := fee.Price(b, &rules, chain.Optional[chain.StoredMultiplier]{})
	require.True(t, report.Holds())
	have := shown(t, report)
	require.Equal(t, []any{}, have["transactions"])
	require.Equal(t, []any{}, have["notes"])
	require.Nil(t, have["time"])
	require.Equal(t, "0", have["totals"].(object)["fee"])
}

func TestNotesOfABlock(t *testing.T) {
	dynamic := runtimeRules(t, "moonbeam", 3702)
	t.Run("base fee below the minimum", func(t *testing.T) {
		report := priced(t, good(t), dynamic, number("999999999999999999"))
		require.Equal(t, []string{"the base fee of 31249999999 wei per gas is below the network's minimum gas price of 31250000000"}, report.Notes)
		require.True(t, report.Holds())
		require.Equal(t, "31249999999", shown(t, report)["base_fee_per_gas"])
	})
	t.Run("base fee that overflows", func(t *testing.T) {
		tables, err := network.BuiltIn().With("big.json", []byte(`{"networks": [{"name": "big", "symbol": "BIG", "last_runtime": 1, "rows": [{"from_runtime": 1,
			"base_fee_constant": "57896044618658097711785492504343953926634992332820282019728792003956564819968", "minimum_multiplier": "1", "source": "none"}]}]}`))
		require.NoError(t, err)
		n, _ := tables.Named("big")
		rules, err := n.Rules(1)
		require.NoError(t, err)
		report := priced(t, good(t), rules, number("2000000000000000000"))
		require.Equal(t, []string{"priced by the table of big in big.json", "unknown base fee per gas: multiplier × base constant: overflow"}, report.Notes)
		require.Equal(t, 1, report.Totals.Undetermined, "the eip1559 transaction")
		require.False(t, report.Holds())
	})
	t.Run("time malformed", func(t *testing.T) {
		text := changed(t, good(t), 0, func(x x) { x["args"] = object{"now": "soon"} })
		report := priced(t, text, dynamic, number(unit))
		require.Equal(t, []string{`unknown time: extrinsic 0, timestamp.set: args.now: "soon" is not a non-negative integer`}, report.Notes)
		require.Nil(t, shown(t, report)["time"])
		require.True(t, report.Holds())
	})
	t.Run("finality not said", func(t *testing.T) {
		b := tree(t, good(t)).(object)
		delete(b, "finalized")
		text, err := json.Marshal(b)
		require.NoError(t, err)
		require.Nil(t, shown(t, priced(t, string(text), dynamic, number(unit)))["finalized"])
	})
	t.Run("the rules' own", func(t *testing.T) {
		report := priced(t, good(t), runtimeRules(t, "moonbeam", 4304), number(unit))
		require.Len(t, report.Notes, 1)
		require.Contains(t, report.Notes[0], "two source trees carry runtime 4304")
	})
}

// Price does not change the notes of the rules: the same rules price many blocks.
func TestPriceLeavesTheRulesAlone(t *testing.T) {
	rules := runtimeRules(t, "moonbeam", 4304)
	rules.Notes = append(make([]string, 0, 8), rules.Notes...)
	first := priced(t, good(t), rules, number("1"))
	second := priced(t, good(t), rules, number("1"))
	require.Len(t, rules.Notes, 1)
	require.Len(t, first.Notes, 2)
	first.Notes[0] = "changed"
	require.NotEqual(t, first.Notes, second.Notes)
}

// A fee that would make the total more than any balance (2^128 - 1) is
// undetermined, and the others stand. The EVM transactions before the native ones pay 1517250000000000.
func TestTotalsThatOverflow(t *testing.T) {
	const (
		room     = "340282366920938463463373090181768211455" // what is left for extrinsics 3 and 4
		roomAnd1 = "340282366920938463463373090181768211456"
	)
	pay := func(fee string) func(x) { return func(x x) { x.data("TransactionFeePaid")[1] = fee } }
	bid := func(price string) func(x) { return func(x x) { x.payload()["gasPrice"] = price } }
	rules := runtimeRules(t, "moonbeam", 3702)
	for name, c := range map[string]struct {
		changes map[int]func(x)
		want    string // "" where the sum just fits
	}{
		"just fits":       {map[int]func(x){3: pay(room), 4: func(x x) { pay("0")(x); x.data("TransactionFeePaid")[2] = "0" }}, ""},
		"all, 1 too much": {map[int]func(x){3: pay(roomAnd1)}, "block 5000000, extrinsic 3: total of the fees: overflow"},
		"natives":         {map[int]func(x){3: pay(room), 4: pay("1517250000000001")}, "block 5000000, extrinsic 4: total of the fees: overflow"},
		"natives and EVM": {map[int]func(x){3: pay(room), 4: pay("5")}, "block 5000000, extrinsic 4: total of the fees: overflow"},
		"EVM":             {map[int]func(x){1: bid("16203922234330403022065457496750867")}, "block 5000000, extrinsic 2: total of the fees: overflow"},
	} {
		t.Run(name, func(t *testing.T) {
			text := good(t)
			for index, change := range c.changes {
				text = changed(t, text, index, change)
			}
			report := fee.Price(decoded(t, text), &rules, stored(t, number(unit), blockNumber, rules.MultiplierAt))
			if c.want == "" {
				require.Equal(t, "340282366920938463463374607431768211455", report.Totals.Fee.String())
				require.True(t, report.Totals.Complete)
				return
			}
			require.False(t, report.Totals.Complete)
			sum, errors := new(big.Int), []string{}
			for _, transaction := range report.Transactions {
				if paid, known := transaction.Fee.Get(); known {
					require.Nil(t, transaction.Error)
					sum.Add(sum, paid.Big())
					continue
				}
				errors = append(errors, transaction.Error.Error())
				require.ErrorIs(t, transaction.Error, chain.ErrOverflow)
			}
			require.Equal(t, c.want, errors[0])
			require.Len(t, errors, report.Totals.Undetermined)
			require.Equal(t, sum.String(), report.Totals.Fee.String(), "the fees that are known")
		})
	}
}
