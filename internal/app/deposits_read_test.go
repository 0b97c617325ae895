package app

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// The files of a package read the deposits once.
func TestDepositsAreReadOnce(t *testing.T) {
	const name = "stack-template-3"
	d := &Ledger{Book: ledgertest.Hub(t, filepath.Join(t.TempDir(), "fees.db"), name, chain.Heights{Last: 8}), Place: "fees.db"}
	n, known := pairs.HubTables(t).Named("stack-template")
	require.True(t, known)
	payer, err := chain.ParseAccount("5Ep5dBwRE7mhFsH69SLRTSHYJ7yugeTycZHeT8Ez4DPACvqz")
	require.NoError(t, err)
	accounts, span := []chain.Address{payer}, chain.Heights{First: 1, Last: 8}

	stopped, stop := context.WithCancel(t.Context())
	stop()
	var kept deposits.Book
	_, err = d.withDeposits(stopped, n, &kept, accounts, span)
	require.ErrorIs(t, err, context.Canceled)
	first, err := d.withDeposits(t.Context(), n, &kept, accounts, span)
	require.NoError(t, err)
	require.NotEmpty(t, first.Receivables)
	again, err := d.withDeposits(stopped, n, &kept, accounts, span)
	require.NoError(t, err)
	require.Same(t, first, again)
	_, err = d.withDeposits(stopped, n, nil, accounts, span)
	require.ErrorIs(t, err, context.Canceled, "without a package, each request reads them")
}
