package movement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/movement"
)

// What events did to an account's free balance, in any case of its hex digits.
func TestFreeChange(t *testing.T) {
	const mine, other = "0xABCDABCDABCDABCDABCDABCDABCDABCDABCDABCD", "0x2000000000000000000000000000000000000002"
	account, err := chain.ParseAddress(mine)
	require.NoError(t, err)
	event := func(name, data string) chain.Event {
		v, err := jsonscan.Parse(data)
		require.NoError(t, err)
		return chain.Event{Pallet: "balances", Name: name, Data: v}
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
