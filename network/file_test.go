package network_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
)

func TestWithAddsANetwork(t *testing.T) {
	tables := withLocal(t)
	require.Equal(t, []string{"bittensor", "creditcoin", "datahaven", "datahaven-stagenet", "datahaven-testnet", "kusama-hub", "local", "moonbase", "moonbeam", "moonriver", "passet-hub", "polkadot-hub", "vflow-testnet"}, tables.Names())
	require.Equal(t, []string{"bittensor", "creditcoin", "datahaven", "datahaven-stagenet", "datahaven-testnet", "kusama-hub", "moonbase", "moonbeam", "moonriver", "passet-hub", "polkadot-hub", "vflow-testnet"}, network.BuiltIn().Names(), "the built-in tables stay as they are")
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
	require.Equal(t, []string{"bittensor", "creditcoin", "datahaven", "datahaven-stagenet", "datahaven-testnet", "kusama-hub", "moonbase", "moonbeam", "moonriver", "passet-hub", "polkadot-hub", "vflow-testnet"}, tables.Names())
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

// A recorder must know whether to request the parameter.
func TestParameterKey(t *testing.T) {
	tables, err := network.BuiltIn().With("f.json", []byte(table(`"rows"`, `"fees_treasury_proportion": {"key": "0x0a0b", "default": "200000000", "source": "p"},
		"destinations": [{"from_runtime": 200, "evm_base": "burned", "evm_priority": "author", "native_base": "treasury_parameter", "native_tip": "burned", "source": "d"}],
		"rows"`)))
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
}

// A user's table may omit what verifies fees: then nothing is known.
func TestWithTakesATableThatProvesNothing(t *testing.T) {
	tables, err := network.BuiltIn().With("f.json", []byte(table()))
	require.NoError(t, err)
	n, _ := tables.Named("local")
	rules, err := n.Rules(150)
	require.NoError(t, err)
	require.False(t, rules.Destinations.Known() || rules.Update.Known() || rules.NativeFee.Known() || rules.Proportion.Known())
}

// The specification's own rules contain nothing that verifies a fee.
func TestSpecificationRulesProveNothing(t *testing.T) {
	rules, err := vectors.Rules(t, "moonbeam", "specification")
	require.NoError(t, err)
	require.False(t, rules.Destinations.Known() || rules.Update.Known() || rules.NativeFee.Known())
}

func networkOf(table string) string {
	return strings.TrimSuffix(strings.TrimPrefix(table, `{"networks": [`), `]}`)
}
