package app

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/journal"
)

// A ledger that is changed while it is read is an error of the ledger, not of the caller;
// any other error stays what it is.
func TestExportChangedMeanwhile(t *testing.T) {
	x := Export{ledger: &Ledger{Place: "fees.db"}}
	err := x.Explain(&journal.LedgerError{Err: journal.ErrChanged})
	require.Equal(t, failure.Busy, KindOf(err))
	require.EqualError(t, err, "ledger fees.db: the ledger was changed while it was read; try again")
	require.Equal(t, os.ErrClosed, x.Explain(os.ErrClosed))
	require.NoError(t, x.Explain(nil))
}
