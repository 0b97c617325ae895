package evm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/test/blocktest"
)

const (
	alice = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	bob   = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	long  = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY" // an account of 32 bytes
)

const evmHash = "0xc54fbc435666e3062a39095f50fb26036d8e2680ba828bbac7a7c245d77c3332"

// executed returns an extrinsic with events ethereum.Executed, and others around.
func executed(t *testing.T, data ...string) *chain.Extrinsic {
	t.Helper()
	x := &chain.Extrinsic{Events: []chain.Event{blocktest.Event(t, "evm.Executed", `["0x00"]`)}}
	for _, d := range data {
		x.Events = append(x.Events, blocktest.Event(t, "ethereum.Executed", d))
	}
	x.Events = append(x.Events, blocktest.Event(t, "ethereum.Other", `[]`))
	return x
}

func executedData(exit string) string {
	return `["` + strings.ToLower(alice) + `", "` + bob + `", "` + evmHash + `", ` + exit + `]`
}

func TestFindExecuted(t *testing.T) {
	for name, c := range map[string]struct {
		exit   string
		state  chain.ExitState
		reason string
	}{
		"stopped":                  {`{"succeed": "Stopped"}`, chain.ExitSucceed, "Stopped"},
		"returned":                 {`{"succeed": "Returned"}`, chain.ExitSucceed, "Returned"},
		"suicided":                 {`{"succeed": "Suicided"}`, chain.ExitSucceed, "Suicided"},
		"success as a variant":     {`{"succeed": {"stopped": null}}`, chain.ExitSucceed, "stopped"},
		"reverted":                 {`{"revert": "Reverted"}`, chain.ExitRevert, "Reverted"},
		"out of gas":               {`{"error": {"outOfGas": null}}`, chain.ExitError, "outOfGas"},
		"error as a word":          {`{"error": "OutOfGas"}`, chain.ExitError, "OutOfGas"},
		"invalid code":             {`{"error": {"invalidCode": "254"}}`, chain.ExitError, "invalidCode(254)"},
		"invalid code, a number":   {`{"error": {"invalidCode": 254}}`, chain.ExitError, "invalidCode(254)"},
		"error in words":           {`{"error": {"other": "no code"}}`, chain.ExitError, "other(no code)"},
		"error with an object":     {`{"error": {"other": {"a": 1}}}`, chain.ExitError, `other({"a": 1})`},
		"fatal as a word":          {`{"fatal": "NotSupported"}`, chain.ExitFatal, "NotSupported"},
		"fatal as a variant":       {`{"fatal": {"unhandledInterrupt": null}}`, chain.ExitFatal, "unhandledInterrupt"},
		"fatal with its own error": {`{"fatal": {"callErrorAsFatal": {"outOfGas": null}}}`, chain.ExitFatal, `callErrorAsFatal({"outOfGas": null})`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := evm.FindExecuted(executed(t, executedData(c.exit)))
			require.NoError(t, err)
			require.Equal(t, chain.Exit{State: c.state, Reason: c.reason}, e.Exit)
			require.Equal(t, alice, e.From.String())
			require.Equal(t, bob, e.To.String())
			require.Equal(t, evmHash, e.Hash.String())
			require.Equal(t, 1, e.Count)
		})
	}
}

// The gas was used up if the EVM states it, as a word or as a variant (evm's ExitError::OutOfGas), and not
// otherwise.
func TestOutOfGas(t *testing.T) {
	for status, want := range map[string]bool{
		`{"error": {"outOfGas": null}}`:                       true,
		`{"error": "OutOfGas"}`:                               true,
		`{"error": {"outOfFund": null}}`:                      false,
		`{"error": {"other": "outOfGas"}}`:                    false,
		`{"revert": "outOfGas"}`:                              false,
		`{"succeed": "outOfGas"}`:                             false,
		`{"fatal": {"callErrorAsFatal": {"outOfGas": null}}}`: false,
		`null`: false,
	} {
		e, err := evm.FindExecuted(executed(t, executedData(status)))
		require.NoError(t, err)
		require.Equal(t, want, e.Exit.OutOfGas(), status)
	}
}

func TestFindExecutedTakesTheLast(t *testing.T) {
	inner := strings.Replace(executedData(`{"revert": "Reverted"}`), alice[2:6], "1234", 1)
	e, err := evm.FindExecuted(executed(t, inner, `["not read"]`, executedData(`{"succeed": "Stopped"}`)))
	require.NoError(t, err)
	require.Equal(t, chain.Exit{State: chain.ExitSucceed, Reason: "Stopped"}, e.Exit)
	require.Equal(t, 3, e.Count)
}

// A runtime can add values after the known four.
func TestFindExecutedPassesOverMoreValues(t *testing.T) {
	data := strings.TrimSuffix(executedData(`{"succeed": "Stopped"}`), "]") + `, "0x", null]`
	e, err := evm.FindExecuted(executed(t, data))
	require.NoError(t, err)
	require.Equal(t, "Stopped", e.Exit.Reason)
}

func TestFindExecutedRefuses(t *testing.T) {
	const event = "event ethereum.Executed: "
	good := executedData(`{"succeed": "Stopped"}`)
	for name, c := range map[string]struct{ data, want string }{
		"no values":          {`[]`, event + "data[0]: missing"},
		"sender only":        {`["` + alice + `"]`, event + "data[1]: missing"},
		"no hash":            {`["` + alice + `", "` + bob + `"]`, event + "data[2]: missing"},
		"no status":          {`["` + alice + `", "` + bob + `", "` + evmHash + `"]`, event + "data[3]: missing"},
		"sender null":        {strings.Replace(good, `"`+strings.ToLower(alice)+`"`, "null", 1), event + "data[0]: missing"},
		"sender too short":   {strings.Replace(good, strings.ToLower(alice), "0x12", 1), event + `data[0]: "0x12" is not an address: want 0x and 40 hex digits`},
		"sender of 32 bytes": {strings.Replace(good, strings.ToLower(alice), long, 1), event + "data[0]: " + long + ": want an EVM address, 0x and 40 hex digits"},
		"recipient a number": {strings.Replace(good, `"`+bob+`"`, "5", 1), event + "data[1]: want an address, have a number"},
		"hash not hex":       {strings.Replace(good, evmHash, "0x"+strings.Repeat("g", 64), 1), event + `data[2]: "0x` + strings.Repeat("g", 64) + `" is not a hash: want 0x and 64 hex digits`},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := evm.FindExecuted(executed(t, c.data))
			require.EqualError(t, err, c.want)
			require.Zero(t, e)
		})
	}
	_, err := evm.FindExecuted(executed(t))
	require.EqualError(t, err, event+"missing")
	require.ErrorIs(t, err, chain.ErrMissing)
}

// No fee depends on the exit: a status that cannot be decoded is omitted.
func TestExitsThatCannotBeRead(t *testing.T) {
	for name, status := range map[string]string{
		"status a word":        `"Stopped"`,
		"status null":          `null`,
		"status empty":         `{}`,
		"status of two states": `{"succeed": "Stopped", "revert": "Reverted"}`,
		"status of no state":   `{"paused": "Stopped"}`,
		"no reason":            `{"succeed": null}`,
		"reason a number":      `{"error": 5}`,
		"two reasons":          `{"error": {"outOfGas": null, "other": null}}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, err := evm.FindExecuted(executed(t, executedData(status)))
			require.NoError(t, err)
			require.Equal(t, chain.Exit{}, e.Exit)
			require.NotZero(t, e.Hash)
		})
	}
}
