//go:build unix

package main

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A fee that was raised by one wei with all that belongs to it, its parts, the block's sums and
// the movement that paid it, is shown by no command: each refuses the ledger, and names the
// block.
func TestAFeeThatWasAlteredConsistently(t *testing.T) {
	places(t, func(t *testing.T, newPlace func() string) {
		place := filled(t, newPlace())
		dir := filepath.Join(t.TempDir(), "january")
		closed(t, dir)
		hash := raise(t, place, alith, 25)
		books := filepath.Join(t.TempDir(), "books.csv")
		require.NoError(t, os.WriteFile(books, []byte("hash,fee_wei\n"+hash+",1000\n"), 0o600))
		demo := filepath.Join(recordings(t), "moonbeam-2100")
		for _, arguments := range [][]string{
			{"report", "0..27"},
			{"report", "--month", "2026-01", "--partial"},
			{"report", "3..27", "--accounts", alith},
			{"close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", filepath.Join(t.TempDir(), "new"), "--gateway", demo},
			{"close", "--month", "2026-01", "--partial", "--accounts", alith, "--no-balances", "-o", filepath.Join(t.TempDir(), "new")},
			{"close", "--check", dir, "--gateway", "http://127.0.0.1:1", "--timeout", "1s"},
			{"close", "--check", dir, "--gateway", demo},
			{"ledger", "verify"},
			{"ledger", "verify", "--gateway", "demo"},
			{"ledger", "status"},
			{"export", "3..27", "--accounts", alith, "--as", "hledger"},
			{"statement", alith, "3..27", "--no-balances"},
			{"reconcile", books, "0..27", "--accounts", alith},
			{"reconcile", books, "0..27"},
		} {
			stdout, stderr, code := fees(t, arguments...)
			what := strings.Join(arguments, " ")
			require.Equal(t, exitLedger, code, "%s: %s%s", what, stdout, stderr)
			require.Contains(t, stdout+stderr, "block 25, table ", what)
		}
	})
}

// Who closes a month is told at once that nobody tells the balances, before a block of the month
// is read: not even one that was altered is seen by then.
func TestCloseAsksForBalancesFirst(t *testing.T) {
	place := filled(t, filepath.Join(t.TempDir(), "fees.db"))
	raise(t, place, alith, 25)
	stdout, stderr, code := fees(t, "close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", filepath.Join(t.TempDir(), "new"), "--gateway", "http://127.0.0.1:1", "--timeout", "1s")
	require.Equal(t, exitGateway, code, stdout+stderr)
	require.Contains(t, stderr, "block 27: no answer from the gateway")
	require.NotContains(t, stderr, "block 25")
}

// raise raises a fee of a block by one wei, that of a transaction that an account paid for, and
// gives the transaction's hash.
func raise(t *testing.T, place, account string, height int) (hash string) {
	t.Helper()
	db := opened(t, place)
	payer := fmt.Sprintf("x'%s'", account[2:])
	if !strings.HasSuffix(place, ".db") {
		payer = fmt.Sprintf(`'\x%s'`, account[2:])
	}
	more := func(table, column, where string, by int64) {
		t.Helper()
		var text string
		require.NoError(t, db.QueryRow("SELECT "+column+" FROM "+table+" WHERE "+where).Scan(&text), where)
		n, ok := new(big.Int).SetString(text, 10)
		require.True(t, ok, text)
		alter(t, place, fmt.Sprintf("UPDATE %s SET %s = '%v' WHERE %s", table, column, n.Add(n, big.NewInt(by)), where))
	}
	var extrinsic int
	var bytes []byte
	require.NoError(t, db.QueryRow(fmt.Sprintf("SELECT extrinsic, coalesce(evm_hash, hash) FROM transactions WHERE height = %d AND payer = %s AND evm_hash IS NOT NULL ORDER BY 1 LIMIT 1",
		height, payer)).Scan(&extrinsic, &bytes))
	block, transaction := fmt.Sprint("height = ", height), fmt.Sprintf("height = %d AND extrinsic = %d", height, extrinsic)
	for _, column := range []string{"fee", "charged", "burned"} {
		more("transactions", column, transaction, 1)
		more("blocks", column, block, 1)
	}
	more("blocks", "evm_fee", block, 1)
	var position int
	require.NoError(t, db.QueryRow(fmt.Sprintf("SELECT position FROM movements WHERE height = %d AND place = %d AND account = %s ORDER BY 1 LIMIT 1",
		height, extrinsic, payer)).Scan(&position))
	movement := fmt.Sprintf("height = %d AND position = %d", height, position)
	more("movements", "amount", movement, 1)
	more("movements", "free", movement, -1)
	return fmt.Sprintf("%#x", bytes)
}
