//go:build unix

package main

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/ledgertest"
)

// A fee is raised by one wei, consistently with its parts, SQL rows and movement. No command shows it: each
// refuses the ledger and names the block, or still reports the original totals of whole days.
func TestAFeeThatWasAlteredConsistently(t *testing.T) {
	places(t, func(t *testing.T, newPlace func() string) {
		place := filled(t, newPlace())
		dir := filepath.Join(t.TempDir(), "january")
		closed(t, dir)
		ofDays := [][]string{{"report", "0..27"}, {"report", "--month", "2026-01", "--partial"}, {"ledger", "status"}}
		var before []string
		for _, arguments := range ofDays {
			stdout, stderr, code := fees(arguments...)
			before = append(before, fmt.Sprint(stdout, stderr, code))
		}
		hash := raise(t, place, alith, 25)
		for i, arguments := range ofDays {
			stdout, stderr, code := fees(arguments...)
			require.Equal(t, before[i], fmt.Sprint(stdout, stderr, code), arguments)
		}
		books := filepath.Join(t.TempDir(), "books.csv")
		require.NoError(t, os.WriteFile(books, []byte("hash,fee_wei\n"+hash+",1000\n"), 0o600))
		demo := filepath.Join(recordings(t), "moonbeam-2100")
		for _, arguments := range [][]string{
			{"report", "3..27", "--accounts", alith},
			{"close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", filepath.Join(t.TempDir(), "new"), "--gateway", demo},
			{"close", "--month", "2026-01", "--partial", "--accounts", alith, "--no-balances", "-o", filepath.Join(t.TempDir(), "new")},
			{"close", "--check", dir, "--gateway", "http://127.0.0.1:1", "--timeout", "1s"},
			{"close", "--check", dir, "--gateway", demo},
			{"ledger", "verify"},
			{"ledger", "verify", "--gateway", "demo"},
			{"export", "3..27", "--accounts", alith, "--as", "hledger"},
			{"statement", alith, "3..27", "--no-balances"},
			{"reconcile", books, "0..27", "--accounts", alith},
			{"reconcile", books, "0..27"},
		} {
			stdout, stderr, code := fees(arguments...)
			what := strings.Join(arguments, " ")
			require.Equal(t, exitLedger, code, "%s: %s%s", what, stdout, stderr)
			require.Contains(t, stdout+stderr, "block 25, table ", what)
		}
	})
}

// Closing a month fails at once if there is no source of balances, before any block is read, even an
// altered one.
func TestCloseAsksForBalancesFirst(t *testing.T) {
	place := filled(t, filepath.Join(t.TempDir(), "fees.db"))
	raise(t, place, alith, 25)
	stdout, stderr, code := fees("close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", filepath.Join(t.TempDir(), "new"), "--gateway", "http://127.0.0.1:1", "--timeout", "1s")
	require.Equal(t, exitGateway, code, stdout+stderr)
	require.Contains(t, stderr, "block 27: no answer from the gateway")
	require.NotContains(t, stderr, "block 25")
}

// raise raises the fee of a transaction paid by an account by one wei, and returns its hash.
func raise(t *testing.T, place, account string, height int) (hash string) {
	t.Helper()
	more := func(cell *any, by int64) {
		t.Helper()
		n, ok := new(big.Int).SetString((*cell).(string), 10)
		require.True(t, ok, *cell)
		*cell = n.Add(n, big.NewInt(by)).String()
	}
	rewrite(t, place, height, false, func(r *ledgertest.Record) {
		isPayer := func(cell *any) bool { return strings.EqualFold(fmt.Sprintf("0x%x", *cell), account) }
		paid := slices.IndexFunc(r.Tables["transactions"], func(row []any) bool {
			return isPayer(ledgertest.Cell("transactions", row, "payer")) && *ledgertest.Cell("transactions", row, "evm_hash") != nil
		})
		transaction := r.Tables["transactions"][paid]
		extrinsic := *ledgertest.Cell("transactions", transaction, "extrinsic")
		moved := slices.IndexFunc(r.Tables["movements"], func(row []any) bool {
			return isPayer(ledgertest.Cell("movements", row, "account")) && *ledgertest.Cell("movements", row, "place") == extrinsic
		})
		movement := r.Tables["movements"][moved]
		for _, column := range []string{"fee", "charged", "burned"} {
			more(ledgertest.Cell("transactions", transaction, column), 1)
		}
		more(ledgertest.Cell("movements", movement, "amount"), 1)
		more(ledgertest.Cell("movements", movement, "free"), -1)
		hash = fmt.Sprintf("%#x", *ledgertest.Cell("transactions", transaction, "evm_hash"))
		alter(t, place, fmt.Sprintf("UPDATE transactions SET fee = fee + 1, charged = charged + 1 WHERE id = %d", int64(height)<<20|extrinsic.(int64)))
	})
	return hash
}

// rewrite changes a block's record in a ledger, and optionally its checksum.
func rewrite(t *testing.T, place string, height int, summed bool, change func(*ledgertest.Record)) {
	t.Helper()
	var record, sum []byte
	var known string
	var flags int64
	require.NoError(t, opened(t, place).QueryRow(fmt.Sprintf("SELECT record, sum, flags, coalesce(known, '') FROM blocks WHERE height = %d", height)).Scan(&record, &sum, &flags, &known))
	r := ledgertest.ReadRecord(t, record)
	require.Equal(t, record, r.Bytes(t))
	ms, timed := r.Tables["blocks"][0][0].(int64)
	require.Equal(t, sum, ledgertest.Sum(record, ms, flags, timed, known))
	change(&r)
	record = r.Bytes(t)
	if summed {
		sum = ledgertest.Sum(record, ms, flags, timed, known)
	}
	literal := func(b []byte) string {
		if strings.HasSuffix(place, ".db") {
			return fmt.Sprintf("x'%x'", b)
		}
		return fmt.Sprintf(`'\x%x'`, b)
	}
	alter(t, place, fmt.Sprintf("UPDATE blocks SET record = %s, sum = %s WHERE height = %d", literal(record), literal(sum), height))
}
