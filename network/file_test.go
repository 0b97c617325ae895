package network_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

func TestWithAddsANetwork(t *testing.T) {
	tables := withLocal(t)
	require.Equal(t, []string{"datahaven", "datahaven-stagenet", "datahaven-testnet", "local", "moonbase", "moonbeam", "moonriver"}, tables.Names())
	require.Equal(t, []string{"datahaven", "datahaven-stagenet", "datahaven-testnet", "moonbase", "moonbeam", "moonriver"}, network.BuiltIn().Names(), "the built-in tables stay as they are")
	n, ok := tables.Named("local")
	require.True(t, ok)
	require.Equal(t, "local.json", n.File)
	rules, err := n.Rules(10)
	require.NoError(t, err)
	require.Equal(t, []string{"priced by the table of local in local.json"}, rules.Notes)
	rules, err = n.Rules(11)
	require.NoError(t, err)
	require.Equal(t, "local/11?", rules.Name)
	require.Len(t, rules.Notes, 2)
	_, err = n.Rules(0)
	require.ErrorIs(t, err, network.ErrUnknownRuntime)
	_, err = n.SpecificationRules()
	require.ErrorIs(t, err, network.ErrNoSpecification)
}

func TestWithReplacesANetworkWhole(t *testing.T) {
	const table = `{"networks": [{"name": "moonbeam", "symbol": "GLMR", "last_runtime": 5000,
		"specification": {"name": "mainnet", "base_fee_constant": "0x10", "minimum_gas_price": "3", "source": "mine"},
		"rows": [{"from_runtime": 4000, "base_fee_constant": "31250000000000", "minimum_multiplier": "1500000000000000000",
		"weight_correction": "7", "price_uncapped": true, "source": "mine", "note": "only mine"}]}]}`
	tables, err := network.BuiltIn().With("mine.json", []byte(table))
	require.NoError(t, err)
	require.Equal(t, []string{"datahaven", "datahaven-stagenet", "datahaven-testnet", "moonbase", "moonbeam", "moonriver"}, tables.Names())
	n, _ := tables.Named("moonbeam")
	_, err = n.Rules(3999)
	require.ErrorIs(t, err, network.ErrUnknownRuntime, "the built-in rows are gone")
	rules, err := n.Rules(4304)
	require.NoError(t, err)
	require.True(t, rules.Certain)
	require.Equal(t, []string{"priced by the table of moonbeam in mine.json", "only mine"}, rules.Notes)
	require.Equal(t, "46875000000000", rules.MinGasPrice.String())
	require.Equal(t, chain.NewRefTime(7), rules.WeightCorrection)
	require.False(t, rules.PriceCapped)
	rules, err = n.SpecificationRules()
	require.NoError(t, err)
	require.Equal(t, chain.NewGasPrice(16), rules.BaseFee.Constant)
	require.Equal(t, []string{"priced by the table of moonbeam in mine.json"}, rules.Notes)

	again, err := tables.With("later.json", []byte(localTable))
	require.NoError(t, err)
	n, _ = again.Named("moonbeam")
	require.Equal(t, "mine.json", n.File, "a second file leaves the networks of the first")
}

// table returns a file with one network; each part can be replaced.
func table(replace ...string) string {
	const good = `{"networks": [{"name": "local", "symbol": "LOC", "last_runtime": 200, "specification":
		{"name": "mainnet", "base_fee_constant": "1", "minimum_gas_price": "1", "source": "a"},
		"rows": [{"from_runtime": 100, "static_base_fee": "5", "source": "b"},
		{"from_runtime": 200, "base_fee_constant": "6", "minimum_multiplier": "1", "source": "c"}]}]}`
	if len(replace) == 0 {
		return good
	}
	if !strings.Contains(good, replace[0]) {
		panic("the good table has no " + replace[0])
	}
	return strings.Replace(good, replace[0], replace[1], 1)
}

func TestWithChecksTheFile(t *testing.T) {
	_, err := network.BuiltIn().With("good.json", []byte(table()))
	require.NoError(t, err, "the table that the cases change")
	const inLocal = `network 1 "local": `
	const either = "want either static_base_fee, or base_fee_stored, or base_fee_constant with minimum_multiplier"
	const name = "name: want up to 32 lower-case letters, digits and hyphens"
	const specification = inLocal + "specification: want name, base_fee_constant, minimum_gas_price and source"
	symbolTwice := table(`"symbol": "LOC"`, `"symbol": "LOC", "symbol": "COL"`)
	priceTwice := table(`"source": "b"`, `"source": "b", "static_base_fee": "6"`)
	for what, c := range map[string]struct{ text, want string }{
		"empty text":               {"", "invalid JSON at byte 0: the text ends too early"},
		"not JSON":                 {"networks: []", "invalid JSON at byte 0: want a value"},
		"text after the end":       {table() + "{}", fmt.Sprintf("invalid JSON at byte %d: text after the end of the value", len(table()))},
		"key twice":                {symbolTwice, fmt.Sprintf("invalid JSON at byte %d: key \"symbol\" twice in one object", strings.Index(symbolTwice, `"symbol": "COL"`))},
		"key twice in a row":       {priceTwice, fmt.Sprintf("invalid JSON at byte %d: key \"static_base_fee\" twice in one object", strings.Index(priceTwice, `"static_base_fee": "6"`))},
		"no networks":              {`{"networks": []}`, `no networks: want {"networks": [{"name": …, "symbol": …, "last_runtime": …, "rows": […]}]}`},
		"empty object":             {`{}`, `no networks: want {"networks": [{"name": …, "symbol": …, "last_runtime": …, "rows": […]}]}`},
		"null":                     {`null`, `no networks: want {"networks": [{"name": …, "symbol": …, "last_runtime": …, "rows": […]}]}`},
		"unknown field at the top": {`{"network": []}`, `unknown field "network"`},
		"unknown field of network": {table(`"symbol": "LOC"`, `"symbol": "LOC", "ticker": "L"`), `unknown field "ticker"`},
		"unknown field of row":     {table(`"source": "b"`, `"source": "b", "price_capped": true`), `unknown field "price_capped"`},
		"name missing":             {table(`"name": "local", `, ``), `network 1 "": ` + name},
		"name in upper case":       {table(`"local"`, `"Local"`), `network 1 "Local": ` + name},
		"name with a space":        {table(`"local"`, `"my net"`), `network 1 "my net": ` + name},
		"name begins with a digit": {table(`"local"`, `"1local"`), `network 1 "1local": ` + name},
		"name of 33 letters":       {table(`"local"`, `"`+strings.Repeat("l", 33)+`"`), `network 1 "` + strings.Repeat("l", 33) + `": ` + name},
		"symbol missing":           {table(`"symbol": "LOC", `, ``), inLocal + `symbol "": want up to 12 letters and digits, such as GLMR`},
		"symbol with a sign":       {table(`"LOC"`, `"L$C"`), inLocal + `symbol "L$C": want up to 12 letters and digits, such as GLMR`},
		"symbol of 13 letters":     {table(`"LOC"`, `"LLLLLLLLLLLLL"`), inLocal + `symbol "LLLLLLLLLLLLL": want up to 12 letters and digits, such as GLMR`},
		"rows missing":             {`{"networks": [{"name": "local", "symbol": "LOC", "last_runtime": 1}]}`, inLocal + "rows: missing; want at least one"},
		"specification: name":      {table(`"mainnet"`, `""`), specification},
		"specification: constant":  {table(`"base_fee_constant": "1", `, ``), specification},
		"specification: minimum":   {table(`"minimum_gas_price": "1", `, ``), specification},
		"specification: source":    {table(`"source": "a"`, `"source": ""`), specification},
		"row: neither":             {table(`"static_base_fee": "5", `, ``), inLocal + "row from runtime 100: " + either},
		"row: both":                {table(`"static_base_fee": "5"`, `"static_base_fee": "5", "base_fee_constant": "6"`), inLocal + "row from runtime 100: " + either},
		"row: static with minimum": {table(`"static_base_fee": "5"`, `"static_base_fee": "5", "minimum_multiplier": "6"`), inLocal + "row from runtime 100: " + either},
		"row: constant only":       {table(`, "minimum_multiplier": "1"`, ``), inLocal + "row from runtime 200: want both base_fee_constant and minimum_multiplier"},
		"row: minimum only":        {table(`"base_fee_constant": "6", `, ``), inLocal + "row from runtime 200: want both base_fee_constant and minimum_multiplier"},
		"row: source missing":      {table(`, "source": "c"`, ``), inLocal + "row from runtime 200: source: missing; name the source of the figures"},
		"row: minimum overflows":   {table(`"6", "minimum_multiplier": "1"`, `"0x`+strings.Repeat("f", 64)+`", "minimum_multiplier": "1000000000000000001"`), inLocal + "row from runtime 200: minimum_multiplier × base_fee_constant: overflow"},
		"row: uncertain, no note":  {table(`"source": "c"`, `"source": "c", "uncertain": true`), inLocal + "row from runtime 200: uncertain: want a note with the reason"},
		"rows out of order":        {table(`"from_runtime": 200`, `"from_runtime": 99`), inLocal + "row from runtime 99: follows the row from runtime 100; want rows in ascending order"},
		"rows of the same runtime": {table(`"from_runtime": 200`, `"from_runtime": 100`), inLocal + "row from runtime 100: follows the row from runtime 100; want rows in ascending order"},
		"last_runtime 1 too low":   {table(`"last_runtime": 200`, `"last_runtime": 199`), inLocal + "last_runtime 199: want the newest runtime that the rows apply to, at least 200"},
		"last_runtime missing":     {table(`"last_runtime": 200, `, ``), inLocal + "last_runtime 0: want the newest runtime that the rows apply to, at least 200"},
		"network twice":            {`{"networks": [` + networkOf(table()) + `,` + networkOf(table()) + `]}`, `duplicate network "local"`},
		"second network is wrong":  {`{"networks": [` + networkOf(table()) + `,{"name": "other"}]}`, `network 2 "other": symbol "": want up to 12 letters and digits, such as GLMR`},
	} {
		t.Run(what, func(t *testing.T) {
			tables, err := network.BuiltIn().With("f.json", []byte(c.text))
			require.EqualError(t, err, c.want)
			require.Empty(t, tables.Names())
		})
	}
}

// Wrong types and widths are rejected by the standard library's decoder, whose texts may change; what must
// stay is the rejection, with the position.
func TestWithRefusesWrongKinds(t *testing.T) {
	for what, c := range map[string]struct{ text, want string }{
		"price as a JSON number":     {table(`"static_base_fee": "5"`, `"static_base_fee": 5`), "static_base_fee"},
		"price with a fraction":      {table(`"static_base_fee": "5"`, `"static_base_fee": "5.5"`), "not a non-negative integer"},
		"negative price":             {table(`"static_base_fee": "5"`, `"static_base_fee": "-5"`), "not a non-negative integer"},
		"multiplier over 128 bits":   {table(`"minimum_multiplier": "1"`, `"minimum_multiplier": "340282366920938463463374607431768211456"`), "more than 128 bits"},
		"correction over 64 bits":    {table(`"source": "b"`, `"source": "b", "weight_correction": "18446744073709551616"`), "more than 64 bits"},
		"runtime over 32 bits":       {table(`"from_runtime": 100`, `"from_runtime": 4294967296`), "4294967296"},
		"runtime as a string":        {table(`"from_runtime": 100`, `"from_runtime": "100"`), "from_runtime"},
		"networks that is an object": {`{"networks": {}}`, "networks"},
		"an array at the top":        {`[]`, "array"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := network.BuiltIn().With("f.json", []byte(c.text))
			require.ErrorContains(t, err, c.want)
			require.False(t, strings.HasPrefix(err.Error(), "json: "), "the prefix says nothing to a reader")
		})
	}
}

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
	require.Equal(t, network.Destinations{
		EVMBase: network.Burned, EVMPriority: network.Author, NativeBase: network.TreasuryParameter, NativeTip: "treasury_20",
		Source: "c", Note: "n",
	}, d)
	p, _ := rules.Proportion.Get()
	require.Equal(t, []string{"0x0004", "200000000", "p"}, []string{p.Key, p.Default.String(), p.Source})
	u, _ := rules.Update.Get()
	require.Equal(t, network.MultiplierUpdate{
		Minimum: chain.NewMultiplier(1), Maximum: chain.Some(chain.NewMultiplier(9)), Adjustment: chain.NewMultiplier(3), Target: 250_000,
		MaxRefTime: chain.NewRefTime(8_000_000), BlockWeight: network.FromGasLimit, BaseWeight: chain.NewRefTime(85), Source: "e",
	}, u)
	f, _ := rules.NativeFee.Get()
	require.Equal(t, network.NativeFee{
		WeightFee: chain.NewWei(5), BaseWeight: chain.NewRefTime(85), LengthFee: network.LengthFee{Linear: chain.NewWei(7)}, Source: "g",
	}, f)

	// A user's table may omit all of this: then nothing is known.
	tables, err = network.BuiltIn().With("f.json", []byte(table()))
	require.NoError(t, err)
	n, _ = tables.Named("local")
	rules, err = n.Rules(150)
	require.NoError(t, err)
	require.False(t, rules.Destinations.Known() || rules.Update.Known() || rules.NativeFee.Known() || rules.Proportion.Known())
}

// Every built-in network defines its parameter's key: RuntimeConfig is the first group, FeesTreasuryProportion
// its first parameter, and DataHaven's fifth (runtime_params.rs).
func TestKeyOfTheProportion(t *testing.T) {
	for _, n := range network.BuiltIn().All() {
		rules, err := n.Rules(n.LastRuntime)
		require.NoError(t, err)
		p, known := rules.Proportion.Get()
		require.True(t, known, n.Name)
		key := "0x0000"
		if strings.HasPrefix(n.Name, "datahaven") {
			key = "0x0004"
		}
		require.Equal(t, key, p.Key)
		require.Equal(t, "200000000", p.Default.String())
	}
}

// A recorder must know whether to request the parameter.
func TestParameterKey(t *testing.T) {
	tables, err := network.BuiltIn().With("f.json", []byte(proof(`"key": "0x0004"`, `"key": "0x0a0b"`)))
	require.NoError(t, err)
	for _, c := range []struct {
		name    string
		runtime uint32
		want    string
	}{
		{"moonbeam", 3299, ""}, {"moonbeam", 3300, "0x0000"}, {"moonbeam", 4500, "0x0000"}, {"moonriver", 3299, ""}, {"moonriver", 3300, "0x0000"},
		{"moonbase", 3199, ""}, {"moonbase", 3200, "0x0000"}, {"moonbeam", 1, ""}, {"moonlight", 4500, ""}, {"", 4500, ""},
		{"local", 199, ""}, {"local", 200, "0x0a0b"},
	} {
		require.Equal(t, c.want, tables.ParameterKey(c.name, c.runtime), "%s, %d", c.name, c.runtime)
	}
}

// A recorder must also know whether only system.blockWeight shows a block's weight: it does from 2600 on, and
// if the multiplier is constant. In between, the multiplier follows from the gas limits, and then from the
// events.
func TestNeedsBlockWeight(t *testing.T) {
	for _, c := range []struct {
		name    string
		runtime uint32
		want    bool
	}{
		{"moonbeam", 1701, false}, {"moonbeam", 2501, false}, {"moonbeam", 2600, true}, {"moonbeam", 4500, true}, {"moonbeam", 1, false},
		{"moonriver", 2600, true}, {"moonbase", 2600, true}, {"moonlight", 2600, false}, {"", 2600, false},
	} {
		require.Equal(t, c.want, network.BuiltIn().NeedsBlockWeight(c.name, c.runtime), "%s, %d", c.name, c.runtime)
	}
	constant := network.Rules{Update: chain.Some(network.MultiplierUpdate{Constant: chain.Some(chain.NewMultiplier(1))})}
	require.True(t, constant.NeedsBlockWeight())
	require.False(t, network.Rules{}.NeedsBlockWeight())
}

// The specification's own rules contain nothing that verifies a fee.
func TestSpecificationRulesProveNothing(t *testing.T) {
	rules, err := rulesOf(t, "moonbeam", "specification")
	require.NoError(t, err)
	require.False(t, rules.Destinations.Known() || rules.Update.Known() || rules.NativeFee.Known())
}

func TestWithChecksWhatProvesFees(t *testing.T) {
	const local = `network 1 "local": `
	const destinations, updates, fees = local + "destinations from runtime ", local + "multiplier_updates from runtime ", local + "native_fees from runtime "
	const figures = "want minimum, adjustment, target and max_ref_time, or constant"
	const proofSize = "want max_proof_size if, and only if, limiting_dimension is true"
	const baseWeight = "want base_weight if, and only if, block_weight is gas_limit"
	const whole = "target: want target × normal_class of max_ref_time and of max_proof_size to be whole numbers"
	const needed = "want weight_fee, base_weight and length_fee with linear"
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

func networkOf(table string) string {
	return strings.TrimSuffix(strings.TrimPrefix(table, `{"networks": [`), `]}`)
}
