package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// An account of 32 bytes is none of a ledger whose accounts have 20. Without a table, the ledger's transactions tell.
func TestAccountsOfAnotherSize(t *testing.T) {
	place := copied(t)
	asked := app.AccountRequest{Account: chain.Address32([32]byte{1})}
	_, err := opened(t, place).Account(t.Context(), asked)
	require.ErrorContains(t, err, "has 32 bytes, and accounts of moonbeam have 20")

	d, err := app.Open(t.Context(), place, network.Tables{})
	require.NoError(t, err)
	defer d.Close()
	_, err = d.Account(t.Context(), asked)
	require.ErrorContains(t, err, "has 32 bytes, and accounts of moonbeam have 20. Name the network's table with network-file")
}

// The audit trail of a ledger can be extended while its writer has it open; there is none without a ledger.
func TestOpenTrail(t *testing.T) {
	writer, err := app.OpenWriter(t.Context(), copied(t), network.BuiltIn())
	require.NoError(t, err)
	defer writer.Close()
	d, err := app.OpenTrail(t.Context(), writer.Place, network.BuiltIn())
	require.NoError(t, err)
	acts, err := d.Book.Trail(t.Context())
	require.NoError(t, err)
	require.Empty(t, acts)
	require.NoError(t, d.Close())

	missing := file(t)
	_, err = app.OpenTrail(t.Context(), missing, network.BuiltIn())
	require.ErrorIs(t, err, ledger.ErrNone)
	_, err = app.Upgrade(t.Context(), missing)
	require.ErrorIs(t, err, ledger.ErrNone)
	require.NoFileExists(t, missing)
}
