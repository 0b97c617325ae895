package network_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/vectors"
	"github.com/feeledger/fees/network"
)

// Each property that the built-in networks have from some runtime on has a source.
func TestSince(t *testing.T) {
	firsts := map[string][]uint32{
		"moonbase":  {1200, 1800, 1200, 2000, 2000, 3703},
		"moonbeam":  {1201, 1801, 1201, 2000, 2000, 3703},
		"moonriver": {1201, 1801, 1201, 2000, 2000, 3703},
		// Pallet revive before 0.12 withdraws something else than gas × price.
		"kusama-hub": {0, 0, 0, 2000004, 0, 0},
		// All of DataHaven's runtimes are newer than these, except for the code of signers.
		"datahaven": {0, 0, 0, 0, 0, 1500}, "datahaven-testnet": {0, 0, 0, 0, 0, 1500}, "datahaven-stagenet": {0, 0, 0, 0, 0, 1500},
	}
	for _, n := range network.BuiltIn().All() {
		var have []uint32
		for _, s := range n.Since() {
			have = append(have, s.Runtime)
			require.Equal(t, s.Runtime > 0, s.Source != "", "%s: %s", n.Name, s.Field)
			require.NotEmpty(t, s.What)
		}
		if firsts[n.Name] == nil { // no older runtime was recorded or read
			firsts[n.Name] = make([]uint32, len(have))
		}
		require.Equal(t, firsts[n.Name], have, n.Name)
		require.Equal(t, n.Treasury != nil, n.Sources["treasury"] != "")
	}
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	for runtime, inexact := range map[uint32]bool{1200: true, 1201: false} {
		rules, err := moonbeam.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, inexact, rules.InexactDigest)
	}
}

// A network reports the runtimes for which a property holds.
func TestWhere(t *testing.T) {
	tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [{"name": "mine", "symbol": "MINE", "last_runtime": 50,
		"first_withdraw_event": 12, "first_set_code": 3, "rows": [{"from_runtime": 10, "static_base_fee": "1", "source": "mine"},
		{"from_runtime": 20, "static_base_fee": "2", "source": "mine"}],
		"native_fees": [{"from_runtime": 21, "weight_fee": "5", "base_weight": "85", "length_fee": {"linear": "7"}, "source": "mine"},
		{"from_runtime": 40, "unknown": true, "source": "mine"}]}]}`))
	require.NoError(t, err)
	n, _ := tables.Named("mine")
	static := func(price uint64) func(*network.Rules) bool {
		return func(r *network.Rules) bool { return r.BaseFee.Static == chain.Some(chain.NewGasPrice(price)) }
	}
	for want, holds := range map[string]func(*network.Rules) bool{
		"all":                    func(*network.Rules) bool { return true },
		"none":                   func(*network.Rules) bool { return false },
		"10 to 19":               static(1),
		"20 and later":           static(2),
		"12 and later":           func(r *network.Rules) bool { return !r.NoWithdrawEvent },
		"20":                     func(r *network.Rules) bool { return static(2)(r) && r.Runtime == chain.Some(uint32(20)) },
		"21 to 39":               func(r *network.Rules) bool { return r.NativeFee.Known() },
		"10 to 20, 40 and later": func(r *network.Rules) bool { return !r.NativeFee.Known() },
	} {
		require.Equal(t, want, n.Where(holds))
	}
}

// A fault of one runtime in a table is known to the rules of every network: also to a user's, and after a
// user's file replaced the network.
func TestFaults(t *testing.T) {
	tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [{"name": "moonbeam", "symbol": "MINE", "last_runtime": 9, "rows": [
		{"from_runtime": 1, "static_base_fee": "1", "weight_correction": "7", "source": "mine"},
		{"from_runtime": 2, "static_base_fee": "1", "source": "mine"}]}]}`))
	require.NoError(t, err)
	n, _ := tables.Named("moonbeam")
	ofMine, err := n.Rules(2)
	require.NoError(t, err)
	builtIn, err := vectors.Rules(t, "moonriver", "2100")
	require.NoError(t, err)
	known := []string{
		"uncapped 0 [moonbase 1200 to 1300 moonbeam 1201 to 1300 moonriver 1201 to 1300]",
		"corrected 250000000 [moonbase 1900 to 1901]", "corrected 86298000 [moonbeam 1900 to 1901 moonriver 1900 to 1901]",
	}
	require.Equal(t, known, faults(builtIn))
	require.Equal(t, append(known, "corrected 7 [moonbeam 1]"), faults(ofMine))

	for _, f := range ofMine.Faults {
		with, applied := f.Apply(ofMine)
		require.True(t, applied)
		require.Equal(t, f.PriceUncapped, !with.PriceCapped)
		require.Equal(t, f.WeightCorrection, with.WeightCorrection)
		_, again := f.Apply(with)
		require.False(t, again, "it has the fault")
	}
}

func faults(r network.Rules) (list []string) {
	for _, f := range r.Faults {
		what := "corrected"
		if f.PriceUncapped {
			what = "uncapped"
		}
		list = append(list, fmt.Sprintf("%s %v %v", what, f.WeightCorrection, f.Where))
	}
	return list
}

// A source must belong to a figure in the table.
func TestSources(t *testing.T) {
	const wrong = `network 1 "local": sources: %q: want the name of a figure of the network, such as treasury`
	for sources, want := range map[string]string{
		`"first_fee_event": "a page"`:    fmt.Sprintf(wrong, "first_fee_event"),
		`"first_set_code": ""`:           fmt.Sprintf(wrong, "first_set_code"),
		`"rows": "a page"`:               fmt.Sprintf(wrong, "rows"),
		`"first_set_code": "b", "a": ""`: fmt.Sprintf(wrong, "a"),
		`"treasury": "a page"`:           fmt.Sprintf(wrong, "treasury"),
		`"first_set_code": "a page"`:     "",
	} {
		_, err := network.BuiltIn().With("f.json", []byte(table(`"last_runtime": 200`, `"last_runtime": 200, "first_set_code": 200, "sources": {`+sources+`}`)))
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
