package network_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

const localTable = `{"networks": [{"name": "local", "symbol": "LOC", "last_runtime": 10, "rows": [
	{"from_runtime": 1, "static_base_fee": "5", "source": "chosen"}]}]}`

func withLocal(t *testing.T) network.Tables {
	t.Helper()
	tables, err := network.BuiltIn().With("local.json", []byte(localTable))
	require.NoError(t, err)
	return tables
}

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		gateway network.Identity
		wanted  string
		want    string
		note    string
	}{
		"by specName":                       {network.Identity{SpecName: "moonbeam"}, "", "moonbeam", ""},
		"by clientImplName":                 {network.Identity{ClientImplName: "moonriver"}, "", "moonriver", ""},
		"by chain":                          {network.Identity{Chain: "Moonbase Alpha"}, "", "moonbase", ""},
		"specName in upper case":            {network.Identity{SpecName: "MOONBEAM"}, "", "moonbeam", ""},
		"clientImplName in mixed case":      {network.Identity{ClientImplName: "MoonRiver"}, "", "moonriver", ""},
		"chain in upper case":               {network.Identity{Chain: "MOONBASE ALPHA"}, "", "moonbase", ""},
		"chain that is a network's name":    {network.Identity{Chain: "moonbase"}, "", "moonbase", ""},
		"specName before clientImplName":    {network.Identity{SpecName: "moonbeam", ClientImplName: "moonriver", Chain: "Moonbase Alpha"}, "", "moonbeam", ""},
		"clientImplName before chain":       {network.Identity{ClientImplName: "moonriver", Chain: "Moonbase Alpha"}, "", "moonriver", ""},
		"unknown specName, known others":    {network.Identity{SpecName: "frontier", ClientImplName: "moonriver"}, "", "moonriver", ""},
		"unknown names, known chain":        {network.Identity{SpecName: "frontier", ClientImplName: "node", Chain: "Moonbeam"}, "", "moonbeam", ""},
		"the user agrees with the gateway":  {network.Identity{SpecName: "moonbeam"}, "moonbeam", "moonbeam", ""},
		"the user names it, gateway silent": {network.Identity{}, "moonriver", "moonriver", "the gateway does not report its network: priced as moonriver because of --network"},
		"the user names it, gateway's name is in no table": {network.Identity{SpecName: "frontier", Chain: "Dev"}, "moonbeam", "moonbeam",
			`the gateway reports the network "frontier": priced as moonbeam because of --network`},
		"the user names his own":            {network.Identity{Chain: "Development"}, "local", "local", `the gateway reports the network "Development": priced as local because of --network`},
		"the gateway serves the user's own": {network.Identity{SpecName: "local"}, "", "local", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, note, err := withLocal(t).Find(c.gateway, c.wanted)
			require.NoError(t, err)
			require.Equal(t, c.want, n.Name)
			require.Equal(t, c.note, note)
		})
	}
}

// A user's fork of a network's table has its own name and the network's specName.
// --network chooses it; a fork of another network is rejected. Without --network, neither table is left out silently.
func TestFindAForkOfAUsers(t *testing.T) {
	tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [
		{"name": "mine", "spec_name": "moonbeam", "symbol": "GLMR", "last_runtime": 10, "rows": [{"from_runtime": 1, "static_base_fee": "5", "source": "chosen"}]},
		{"name": "other", "spec_name": "moonriver", "symbol": "MOVR", "last_runtime": 10, "rows": [{"from_runtime": 1, "static_base_fee": "5", "source": "chosen"}]}]}`))
	require.NoError(t, err)
	gateway := network.Identity{SpecName: "moonbeam", ClientImplName: "moonbeam", Chain: "Moonbeam"}
	n, note, err := tables.Find(gateway, "mine")
	require.NoError(t, err)
	require.Equal(t, "mine", n.Name)
	require.Empty(t, note)
	n, _, err = tables.Find(gateway, "moonbeam")
	require.NoError(t, err)
	require.Equal(t, "moonbeam", n.Name)
	_, _, err = tables.Find(gateway, "")
	require.EqualError(t, err, "conflicting networks: the gateway serves moonbeam, which two tables describe: the table of moonbeam and the table of mine in mine.json. Choose one with --network moonbeam or --network mine.")
	n, _, err = tables.Find(network.Identity{SpecName: "moonbase"}, "")
	require.NoError(t, err, "no table of the user's has this name")
	require.Equal(t, "moonbase", n.Name)
	_, _, err = tables.Find(gateway, "other")
	require.ErrorIs(t, err, network.ErrConflict)
}

func TestFindRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		gateway network.Identity
		wanted  string
		is      error
		want    string
	}{
		"silence": {network.Identity{}, "", network.ErrUnknownNetwork,
			"unknown network: the gateway does not report its network (known: bittensor, creditcoin, datahaven, datahaven-stagenet, datahaven-testnet, kusama-hub, local, moonbase, moonbeam, moonriver, passet-hub, polkadot-hub, vflow-testnet)"},
		"a network in no table": {network.Identity{SpecName: "frontier", Chain: "Dev"}, "", network.ErrUnknownNetwork,
			`unknown network: the gateway serves "frontier" (known: bittensor, creditcoin, datahaven, datahaven-stagenet, datahaven-testnet, kusama-hub, local, moonbase, moonbeam, moonriver, passet-hub, polkadot-hub, vflow-testnet)`},
		"a user's network in no table": {network.Identity{SpecName: "moonbeam"}, "moonbeem", network.ErrUnknownNetwork,
			`unknown network "moonbeem": want one of bittensor, creditcoin, datahaven, datahaven-stagenet, datahaven-testnet, kusama-hub, local, moonbase, moonbeam, moonriver, passet-hub, polkadot-hub, vflow-testnet`},
		"a conflict by specName": {network.Identity{SpecName: "moonbeam"}, "moonriver", network.ErrConflict,
			"conflicting networks: --network is moonriver, but the gateway serves moonbeam. Omit --network, or use a different gateway."},
		"a conflict by chain": {network.Identity{SpecName: "frontier", Chain: "Moonbase Alpha"}, "moonbeam", network.ErrConflict,
			"conflicting networks: --network is moonbeam, but the gateway serves moonbase. Omit --network, or use a different gateway."},
		"a conflict with the user's own": {network.Identity{SpecName: "moonbeam"}, "local", network.ErrConflict,
			"conflicting networks: --network is local, but the gateway serves moonbeam. Omit --network, or use a different gateway."},
	} {
		t.Run(name, func(t *testing.T) {
			n, note, err := withLocal(t).Find(c.gateway, c.wanted)
			require.ErrorIs(t, err, c.is)
			require.EqualError(t, err, c.want)
			require.Nil(t, n)
			require.Empty(t, note)
		})
	}
}

// Two tables of the user's that describe the same gateway are as ambiguous as a built-in one and the user's.
func TestFindTwoOfAUsers(t *testing.T) {
	tables, err := network.BuiltIn().With("mine.json", []byte(`{"networks": [
		{"name": "a", "spec_name": "odd", "symbol": "A", "last_runtime": 10, "rows": [{"from_runtime": 1, "static_base_fee": "5", "source": "chosen"}]},
		{"name": "b", "spec_name": "odd", "symbol": "A", "last_runtime": 10, "rows": [{"from_runtime": 1, "static_base_fee": "5", "source": "chosen"}]}]}`))
	require.NoError(t, err)
	_, _, err = tables.Find(network.Identity{SpecName: "odd"}, "")
	require.ErrorContains(t, err, "Choose one with --network a or --network b.")
}

// A gateway's token is compared with the table's: other decimals are an error, even for a network that the user chose,
// and another symbol is a note.
func TestFindOtherToken(t *testing.T) {
	of := func(symbol string, decimals uint64) network.Identity {
		return network.Identity{SpecName: "moonbeam", Token: chain.Token{Symbol: symbol, Decimals: chain.Some(decimals)}}
	}
	_, note, err := network.BuiltIn().Find(of("GLMR", 18), "")
	require.NoError(t, err)
	require.Empty(t, note)
	_, note, err = network.BuiltIn().Find(of("MOVR", 18), "")
	require.NoError(t, err)
	require.Equal(t, `the gateway reports the token "MOVR", but the table of moonbeam has GLMR: check that the gateway serves the right chain`, note)
	for _, wanted := range []string{"", "moonbeam"} {
		_, _, err = network.BuiltIn().Find(of("GLMR", 12), wanted)
		require.ErrorIs(t, err, network.ErrConflict)
		require.EqualError(t, err, "conflicting networks: the gateway reports a token with 12 decimals, but GLMR in the table of moonbeam has 18. Use a gateway of the right chain, or correct the table.")
	}
	_, _, err = network.BuiltIn().Find(network.Identity{SpecName: "moonbeam", Token: chain.Token{Decimals: chain.Some[uint64](0)}}, "")
	require.ErrorIs(t, err, network.ErrConflict, "0 decimals are stated")
}

// One decision prices a runtime: its network is found, then its row; a runtime that is not known has the specification's.
func TestRulesOfARuntime(t *testing.T) {
	tables := withLocal(t)
	moonbeam := network.Identity{SpecName: "moonbeam"}
	rules, note, err := tables.Rules(moonbeam, "", chain.Some[uint32](2100))
	require.NoError(t, err)
	require.Equal(t, []string{"moonbeam/2100", ""}, []string{rules.Name, note})
	rules, _, err = tables.Rules(moonbeam, "", chain.Optional[uint32]{})
	require.NoError(t, err)
	require.Equal(t, "spec/mainnet", rules.Name)
	rules, note, err = tables.Rules(network.Identity{SpecName: "dev"}, "local", chain.Some[uint32](7))
	require.NoError(t, err)
	require.Equal(t, []string{"local/7", `the gateway reports the network "dev": priced as local because of --network`}, []string{rules.Name, note})
	for want, c := range map[error]struct {
		gateway network.Identity
		wanted  string
		runtime chain.Optional[uint32]
	}{
		network.ErrUnknownNetwork:  {network.Identity{SpecName: "dev"}, "", chain.Some[uint32](7)},
		network.ErrConflict:        {moonbeam, "local", chain.Some[uint32](7)},
		network.ErrUnknownRuntime:  {moonbeam, "", chain.Some[uint32](1)},
		network.ErrNoSpecification: {network.Identity{SpecName: "local"}, "", chain.Optional[uint32]{}},
	} {
		_, _, err := tables.Rules(c.gateway, c.wanted, c.runtime)
		require.ErrorIs(t, err, want)
	}
}
