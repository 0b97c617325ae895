package movement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/blocktest"
)

// What events did to an account's free balance, in any case of its hex digits.
func TestFreeChange(t *testing.T) {
	const mine, other = "0xABCDABCDABCDABCDABCDABCDABCDABCDABCDABCD", "0x2000000000000000000000000000000000000002"
	account, err := chain.ParseAddress(mine)
	require.NoError(t, err)
	event := func(name, data string) chain.Event {
		return blocktest.Event(t, "balances."+name, data)
	}
	deposit := event("Deposit", `["`+mine+`","100"]`)
	for what, c := range map[string]struct {
		events []chain.Event
		want   string
	}{
		"nothing":               {nil, "0"},
		"what is not its own":   {[]chain.Event{event("Deposit", `["`+other+`","5"]`), {Pallet: "treasury", Name: "Deposit"}}, "0"},
		"in lower case":         {[]chain.Event{event("Deposit", `["0xabcdabcdabcdabcdabcdabcdabcdabcdabcdabcd","5"]`)}, "5"},
		"in and out":            {[]chain.Event{deposit, event("Transfer", `["`+mine+`","`+other+`","130"]`), event("Reserved", `["`+mine+`","1"]`)}, "-31"},
		"to itself":             {[]chain.Event{event("Transfer", `["`+mine+`","`+mine+`","130"]`)}, "0"},
		"told once more":        {[]chain.Event{deposit, event("Endowed", `["`+mine+`","100"]`)}, "100"},
		"not told":              {[]chain.Event{deposit, event("Slashed", `["`+mine+`","1"]`), deposit}, ""},
		"another's, not told":   {[]chain.Event{deposit, event("Slashed", `["`+other+`","1"]`)}, "100"},
		"an unknown event":      {[]chain.Event{event("Odd", `["`+mine+`","1"]`)}, ""},
		"no amount":             {[]chain.Event{event("Deposit", `["`+mine+`","x"]`)}, ""},
		"more than any balance": {[]chain.Event{event("Deposit", `["`+mine+`","340282366920938463463374607431768211455"]`), deposit}, ""},
	} {
		have := ""
		if change, known := movement.FreeChange(account, c.events).Get(); known {
			have = change.String()
		}
		require.Equal(t, c.want, have, what)
	}
}

// An account of 32 bytes is found in SS58 with any prefix, and its events are read as those of 20 bytes.
func TestFreeChangeOf32Bytes(t *testing.T) {
	bob, err := chain.ParseAccount("5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty")
	require.NoError(t, err)
	alice, err := chain.ParseAccount("5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY")
	require.NoError(t, err)
	read := func(name, data string) chain.Event {
		return blocktest.Event(t, "balances."+name, data)
	}
	events := []chain.Event{
		read("Deposit", `["`+bob.SS58(0)+`","9"]`), read("Transfer", `["`+bob.String()+`","`+alice.String()+`","2"]`),
		read("Deposit", `["`+alice.String()+`","5"]`),
	}
	for account, want := range map[chain.Address]string{bob: "7", alice: "7"} {
		change, known := movement.FreeChange(account, events).Get()
		require.True(t, known)
		require.Equal(t, want, change.String())
	}
	_, known := movement.FreeChange(bob, append(events, read("Transfer", `["`+bob.String()+`","0x6d6f646c506f745374616b650000000000000000","2"]`))).Get()
	require.False(t, known, "an account of the other kind")
}
