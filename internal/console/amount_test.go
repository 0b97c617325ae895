package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// Accounts in texts get the network's form: findings and errors have the prefix of all chains.
func TestOwn(t *testing.T) {
	const every, polkadot = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"
	own := console.Token{SS58Prefix: chain.Some(uint16(0))}
	for text, want := range map[string]string{
		every:                               polkadot,
		`{"payer":"` + every + `"}`:         `{"payer":"` + polkadot + `"}`,
		every + " paid, but " + every + ".": polkadot + " paid, but " + polkadot + ".",
		"5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQZ": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQZ", // the checksum
		every + "1":    every + "1",
		"x" + every:    "x" + every,
		polkadot + " ": polkadot + " ",
		"":             "",
	} {
		require.Equal(t, want, own.Own(text))
		require.Equal(t, text, console.Token{}.Own(text))
		require.Equal(t, text, console.Token{SS58Prefix: chain.Some(uint16(42))}.Own(text))
	}
}

// The texts are the vectors of docs.substrate.io's Alice, with the prefixes 0 (Polkadot) and 42.
func TestAccount(t *testing.T) {
	const every = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
	alice, err := chain.ParseAccount(every)
	require.NoError(t, err)
	for want, prefix := range map[string]chain.Optional[uint16]{
		"15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5": chain.Some(uint16(0)),
		every: {},
	} {
		token := console.Token{SS58Prefix: prefix}
		require.Equal(t, want, token.Account(alice))
		require.Equal(t, chain.Some(want), token.AccountOf(chain.Some(alice)))
		require.False(t, token.AccountOf(chain.Optional[chain.Address]{}).Known())
		require.Equal(t, "0x0100000000000000000000000000000000000000", token.Account(chain.Address20([20]byte{1})))
	}
}

// Amounts in wei get the name of the smallest unit on chains with another one. Prices of gas are in wei on all of them.
func TestUnitOfTexts(t *testing.T) {
	const text = "the chain charged 7 wei, but the fee is 8 (difference -1 wei): the gas price of 50 wei is below 60; 70 wei per gas; 9 weiss"
	const planck = "the chain charged 7 planck, but the fee is 8 (difference -1 planck): the gas price of 50 wei is below 60; 70 wei per gas; 9 weiss"
	require.Equal(t, planck, console.Token{Symbol: "DOT", Decimals: 10}.Own(text))
	require.Equal(t, planck, console.Token{Symbol: "DOT", Decimals: 10, SS58Prefix: chain.Some(uint16(0))}.Own(text))
	require.Equal(t, text, console.Token{Symbol: "GLMR", Decimals: 18}.Own(text))
	require.Equal(t, text, console.Token{}.Own(text))
}
