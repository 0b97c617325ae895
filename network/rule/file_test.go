package rule_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// proof returns a file with one network that has all lists; each part can be replaced.
func proof(replace ...string) string {
	const good = `{"networks": [{"name": "local", "symbol": "LOC", "last_runtime": 300,
		"fees_treasury_proportion": {"key": "0x0004", "default": "200000000", "source": "p"},
		"rows": [{"from_runtime": 100, "static_base_fee": "5", "source": "a"}],
		"destinations": [
		{"from_runtime": 100, "unknown": true, "source": "b"},
		{"from_runtime": 200, "evm_base": "burned", "evm_priority": "author", "native_base": "treasury_parameter", "native_tip": "treasury_20", "source": "c", "note": "n"}],
		"multiplier_updates": [
		{"from_runtime": 100, "constant": "7", "source": "d"},
		{"from_runtime": 200, "minimum": "1", "maximum": "9", "adjustment": "3", "target": 250000, "max_ref_time": "8000000",
		"block_weight": "gas_limit", "base_weight": "85", "source": "e"},
		{"from_runtime": 300, "minimum": "1", "adjustment": "3", "target": 250000, "max_ref_time": "8000000", "max_proof_size": 4000000,
		"limiting_dimension": true, "block_weight": "events", "source": "f"}],
		"native_fees": [
		{"from_runtime": 150, "weight_fee": "5", "base_weight": "85", "length_fee": {"linear": "7"}, "source": "g"},
		{"from_runtime": 250, "unknown": true, "source": "h"}]}]}`
	if len(replace) == 0 {
		return good
	}
	if !strings.Contains(good, replace[0]) {
		panic("the good table has no " + replace[0])
	}
	return strings.Replace(good, replace[0], replace[1], 1)
}

func TestWithTakesWhatProvesFees(t *testing.T) {
	tables, err := network.BuiltIn().With("f.json", []byte(proof()))
	require.NoError(t, err)
	n, _ := tables.Named("local")
	for runtime, want := range map[uint32][3]bool{
		100: {false, true, false}, 149: {false, true, false}, 150: {false, true, true}, 200: {true, true, true},
		249: {true, true, true}, 250: {true, true, false}, 300: {true, true, false}, 301: {true, true, false},
	} {
		rules, err := n.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, want, [3]bool{rules.Destinations.Known(), rules.Update.Known(), rules.NativeFee.Known()}, "runtime %d", runtime)
	}
	rules, err := n.Rules(200)
	require.NoError(t, err)
	d, _ := rules.Destinations.Get()
	require.Equal(t, rule.Destinations{
		EVMBase: rule.Burned, EVMPriority: rule.Author, NativeBase: rule.TreasuryParameter, NativeTip: "treasury_20",
		Source: "c", Note: "n",
	}, d)
	p, _ := rules.Proportion.Get()
	require.Equal(t, []string{"0x0004", "200000000", "p"}, []string{p.Key, p.Default.String(), p.Source})
	u, _ := rules.Update.Get()
	require.Equal(t, rule.MultiplierUpdate{
		Minimum: chain.NewMultiplier(1), Maximum: chain.Some(chain.NewMultiplier(9)), Adjustment: chain.NewMultiplier(3), Target: 250_000,
		MaxRefTime: chain.NewRefTime(8_000_000), BlockWeight: rule.FromGasLimit, BaseWeight: chain.NewRefTime(85), Source: "e",
	}, u)
	f, _ := rules.NativeFee.Get()
	require.Equal(t, rule.NativeFee{
		WeightFee: chain.NewWei(5), BaseWeight: chain.NewRefTime(85), LengthFee: rule.LengthFee{Linear: chain.NewWei(7)}, Source: "g",
	}, f)
}

// Every built-in network whose fees it divides defines its parameter's key: RuntimeConfig is the first group, FeesTreasuryProportion
// its first parameter, and DataHaven's fifth (runtime_params.rs).
func TestKeyOfTheProportion(t *testing.T) {
	looked := 0
	for _, n := range network.BuiltIn().All() {
		rules, err := n.Rules(n.LastRuntime)
		require.NoError(t, err)
		p, known := rules.Proportion.Get()
		d, _ := rules.Destinations.Get()
		require.Equal(t, d.LooksAt(rule.TreasuryParameter), known, n.Name)
		if !known {
			continue
		}
		looked++
		key := "0x0000"
		if strings.HasPrefix(n.Name, "datahaven") {
			key = "0x0004"
		}
		require.Equal(t, key, p.Key)
		require.Equal(t, "200000000", p.Default.String())
	}
	require.Equal(t, 6, looked)
}

// Only system.blockWeight shows the weight of a block whose multiplier is constant.
func TestVerificationThatNeedsTheBlockWeight(t *testing.T) {
	constant := rule.Verification{Update: chain.Some(rule.MultiplierUpdate{Constant: chain.Some(chain.NewMultiplier(1))})}
	require.True(t, constant.NeedsBlockWeight())
	require.False(t, rule.Verification{}.NeedsBlockWeight())
}

func TestWithChecksWhatProvesFees(t *testing.T) {
	const local = `network 1 "local": `
	const destinations, updates, fees = local + "destinations from runtime ", local + "multiplier_updates from runtime ", local + "native_fees from runtime "
	const figures = "want minimum, adjustment, target and max_ref_time, or constant"
	const proofSize = "want max_proof_size if, and only if, limiting_dimension is true"
	const baseWeight = "want base_weight if, and only if, block_weight is gas_limit"
	const whole = "target: want target × normal_class of max_ref_time and of max_proof_size to be whole numbers"
	const needed = "want weight_fee or ref_time_fee, base_weight and length_fee with linear"
	for what, c := range map[string]struct{ old, changed, want string }{
		"destinations: no share":         {`"evm_base": "burned", `, ``, destinations + `200: evm_base "": want burned, pot, treasury_parameter, author, or a percentage such as treasury_20`},
		"destinations: unknown share":    {`"native_tip": "treasury_20"`, `"native_tip": "half"`, destinations + `200: native_tip "half": want burned, pot, treasury_parameter, author, or a percentage such as treasury_20`},
		"destinations: whole of two":     {`"source": "c"`, `"evm_whole": true, "source": "c"`, destinations + "200: evm_whole: want the same share for evm_base and evm_priority"},
		"destinations: unknown and more": {`"source": "b"`, `"evm_base": "burned", "source": "b"`, destinations + "100: unknown: want no figures in the same row"},
		"destinations: no source":        {`"source": "b"`, `"source": ""`, destinations + "100: source: missing; name the source of the figures"},
		"destinations: order":            {`"from_runtime": 200, "evm_base"`, `"from_runtime": 100, "evm_base"`, destinations + "100: follows the row from runtime 100; want rows in ascending order"},
		"updates: constant and more":     {`"constant": "7"`, `"constant": "7", "minimum": "1"`, updates + "100: constant: want no other figures in the same row"},
		"updates: unknown and more":      {`"constant": "7"`, `"constant": "7", "unknown": true`, updates + "100: unknown: want no figures in the same row"},
		"updates: no figures":            {`"constant": "7", `, ``, updates + "100: " + figures},
		"updates: no minimum":            {`"minimum": "1", "maximum": "9", `, ``, updates + "200: " + figures},
		"updates: no adjustment":         {`"adjustment": "3", "target": 250000, "max_ref_time": "8000000",`, `"target": 250000, "max_ref_time": "8000000",`, updates + "200: " + figures},
		"updates: no target":             {`"target": 250000, `, ``, updates + "200: " + figures},
		"updates: no ref time":           {`"max_ref_time": "8000000",`, ``, updates + "200: " + figures},
		"updates: target over the whole": {`"target": 250000`, `"target": 1000001`, updates + "200: target 1000001: want millionths, at most 1000000"},
		"updates: maximum too low":       {`"maximum": "9"`, `"maximum": "0"`, updates + "200: maximum 0: less than the minimum"},
		"updates: proof size not needed": {`"limiting_dimension": true, `, ``, updates + "300: " + proofSize},
		"updates: proof size missing":    {`"max_proof_size": 4000000,`, ``, updates + "300: " + proofSize},
		"updates: normal part":           {`"max_ref_time": "8000000"`, `"max_ref_time": "8000001"`, updates + "200: " + whole},
		"updates: target of it":          {`"max_ref_time": "8000000"`, `"max_ref_time": "4"`, updates + "200: " + whole},
		"updates: target of proof size":  {`4000000,`, `4,`, updates + "300: " + whole},
		"updates: no block weight so":    {`"block_weight": "events"`, `"block_weight": "guess"`, updates + `300: block_weight "guess": want events or gas_limit`},
		"updates: base weight missing":   {`, "base_weight": "85", "source": "e"`, `, "source": "e"`, updates + "200: " + baseWeight},
		"updates: base weight for none":  {`"block_weight": "events"`, `"block_weight": "events", "base_weight": "1"`, updates + "300: " + baseWeight},
		"updates: no source":             {`, "source": "e"`, ``, updates + "200: source: missing; name the source of the figures"},
		"fees: no weight fee":            {`"weight_fee": "5", `, ``, fees + "150: " + needed},
		"fees: no base weight":           {`"base_weight": "85", "length_fee"`, `"length_fee"`, fees + "150: " + needed},
		"fees: no length fee":            {`"length_fee": {"linear": "7"}, `, ``, fees + "150: " + needed},
		"fees: unknown and more":         {`"source": "h"`, `"lower_bound": true, "source": "h"`, fees + "250: unknown: want no figures in the same row"},
		"fees: no source":                {`, "source": "h"`, ``, fees + "250: source: missing; name the source of the figures"},
		"fees: unknown field":            {`"source": "g"`, `"source": "g", "price": "1"`, `unknown field "price"`},
		"proportion: no key":             {`"key": "0x0004", `, ``, local + `fees_treasury_proportion: key "": want the SCALE key in hex, in lower case, such as 0x0000`},
		"proportion: key in JSON":        {`"0x0004"`, `"FeesTreasuryProportion"`, local + `fees_treasury_proportion: key "FeesTreasuryProportion": want the SCALE key in hex, in lower case, such as 0x0000`},
		"proportion: half a byte":        {`"0x0004"`, `"0x004"`, local + `fees_treasury_proportion: key "0x004": want the SCALE key in hex, in lower case, such as 0x0000`},
		"proportion: no default":         {`"default": "200000000", `, ``, local + "fees_treasury_proportion: default: missing; want parts per billion, such as 200000000 for 20 %"},
		"proportion: more than all":      {`"default": "200000000"`, `"default": "1000000001"`, "1000000001 parts per billion exceed the whole"},
		"proportion: no source":          {`, "source": "p"`, ``, local + "fees_treasury_proportion: source: missing; name the source of the figures"},
		"last_runtime before a list's":   {`"last_runtime": 300`, `"last_runtime": 299`, local + "last_runtime 299: want the newest runtime that the rows apply to, at least 300"},
	} {
		t.Run(what, func(t *testing.T) {
			tables, err := network.BuiltIn().With("f.json", []byte(proof(c.old, c.changed)))
			require.EqualError(t, err, c.want)
			require.Empty(t, tables.Names())
		})
	}
	// Products above 64 bits must not appear to be whole numbers by chance.
	for _, largest := range []string{"18446744073709551615", "18446744073709551612"} {
		_, err := network.BuiltIn().With("f.json", []byte(proof(`"max_ref_time": "8000000"`, `"max_ref_time": "`+largest+`"`)))
		require.EqualError(t, err, updates+"200: "+whole, largest)
	}
}
