package main

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// fees ledger trail shows the acts of the audit trail, and names the first line that was altered.
func TestLedgerTrail(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "fees.db")
	_, stderr, code := fees("sync", "24..27", "--gateway", "demo", "--ledger", place)
	require.Zero(t, code, stderr)
	out, stderr, code := fees("ledger", "trail", "--ledger", place)
	require.Zero(t, code, stderr)
	require.Equal(t, "Nothing was done in the browser: see fees serve --help, --close and --edit-labels.\n", out)

	book, err := ledger.OpenTrail(t.Context(), place)
	require.NoError(t, err)
	at, err := chain.TimeAt(uint64(time.Date(2026, 2, 3, 8, 30, 0, 0, time.UTC).UnixMilli()))
	require.NoError(t, err)
	for _, a := range []ledger.Act{
		{Time: at, User: "anna", Kind: ledger.Prepared, Period: "2026-01", Zone: "UTC"},
		{Time: at, User: "bob", Kind: ledger.Returned, Period: "2026-01", Zone: "UTC", Comment: "Prices, please"},
		{Time: at, User: "carol", Kind: ledger.Labelled, Account: alith, EntryBefore: `label "Hot"`},
	} {
		_, err := book.Record(t.Context(), a, nil)
		require.NoError(t, err)
	}
	require.NoError(t, book.Close())

	out, stderr, code = fees("ledger", "trail", "--ledger", place)
	require.Zero(t, code, stderr)
	require.Regexp(t, `(?m)^ *2  2026-02-03T08:30:00Z +bob +returned +2026-01 .*Prices, please$`, out)
	require.Regexp(t, `(?m)^ *3  2026-02-03T08:30:00Z +carol +labelled .*label "Hot" → none$`, out)
	out, stderr, code = fees("ledger", "trail", "--ledger", place, "--format", "csv")
	require.Zero(t, code, stderr)
	require.Regexp(t, `^number,time,user,act,period,timezone,manifest_sha256,comment,account,entry_before,entry_after,trail_digest\n1,2026-02-03T08:30:00Z,anna,prepared,2026-01,UTC,0{64},,,,,[0-9a-f]{64}\n2,.*,"Prices, please",,,,[0-9a-f]{64}\n3,.*,carol,labelled,,,0{64},,`+alith+`,"label ""Hot""",,[0-9a-f]{64}\n$`, out)
	out, stderr, code = fees("ledger", "trail", "--ledger", place, "--format", "json")
	require.Zero(t, code, stderr)
	require.Contains(t, out, `"user": "bob"`)
	require.Contains(t, out, `"entry_before": "label \"Hot\""`)

	db, err := sql.Open("sqlite", place)
	require.NoError(t, err)
	_, err = db.Exec("UPDATE trail SET comment = 'Fine' WHERE number = 2")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, stderr, code = fees("ledger", "trail", "--ledger", place)
	require.Equal(t, exitLedger, code)
	require.Contains(t, stderr, "table trail: line 2 was altered or moved")
	for _, form := range []string{"table", "json"} {
		out, stderr, code = fees("ledger", "status", "--ledger", place, "--format", form)
		require.Equal(t, exitLedger, code)
		require.Contains(t, stderr, "table trail: line 2 was altered or moved")
		require.Regexp(t, `(?m)^audit trail +altered$|^  "trail": null,$`, out)
	}
}
