package console_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

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
