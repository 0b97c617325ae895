package movement_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// An event is read if its accounts have the chain's size. The accounts are Alice's and Bob's of all Substrate chains for
// developers.
func TestAccountsOf32Bytes(t *testing.T) {
	const alice, bob = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
	b := &chain.Block{OnFinalize: []chain.Event{balancesEvent(t, "Transfer", `["`+alice+`","`+bob+`","7"]`)}}
	movements, unclassified := movement.Of(b, chain.LongAddressSize)
	require.Empty(t, unclassified)
	require.Len(t, movements, 2)
	require.Equal(t, alice, movements[0].Account.String())
	require.Equal(t, bob, movements[1].Account.String())
	require.Equal(t, chain.Some(movements[0].Account), movements[1].Counterparty)
	after, err := movement.After(chain.Balance{Free: chain.NewWei(10)}, movements[0].Account, movements)
	require.NoError(t, err)
	require.Equal(t, "3", after.Free.String())
	require.Equal(t, chain.Some(chain.NewWei(7).Signed()), movement.FreeChange(movements[1].Account, b.OnFinalize))

	_, unclassified = movement.Of(b, chain.AddressSize)
	require.Len(t, unclassified, 1)
	require.ErrorContains(t, unclassified[0].Err, "data[0]: from: "+alice+" has 32 bytes, want 20")
	b.OnFinalize = []chain.Event{balancesEvent(t, "Deposit", `["0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac","7"]`)}
	_, unclassified = movement.Of(b, chain.LongAddressSize)
	require.Len(t, unclassified, 1)
}
