//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// filledOnce returns the file of a ledger of the demo's 28 blocks.
var filledOnce []byte

// filled returns a new ledger of the demo's 28 blocks, a copy if it is a file.
func filled(t *testing.T, place string) string {
	t.Helper()
	t.Setenv("FEES_LEDGER", place)
	if filledOnce != nil && !ledger.Postgres(place) {
		require.NoError(t, os.WriteFile(place, filledOnce, 0o600))
		return place
	}
	_, stderr, code := fees("sync", "0..27", "--gateway", "demo")
	require.Equal(t, exitFinding, code, stderr)
	if !ledger.Postgres(place) {
		var err error
		filledOnce, err = os.ReadFile(place)
		require.NoError(t, err)
	}
	return place
}

// places returns a ledger in a file and one in PostgreSQL.
func places(t *testing.T, test func(t *testing.T, place func() string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, func() string { return newLedgerFile(t) }) })
	t.Run("postgres", func(t *testing.T) {
		server := postgrestest.Start(t)
		test(t, func() string { return server.Database(t) })
	})
}

// alter changes a ledger with SQL, using psql if installed.
func alter(t *testing.T, place, statement string) {
	t.Helper()
	if psql, err := exec.LookPath("psql"); err == nil && ledger.Postgres(place) {
		out, err := exec.Command(psql, "-v", "ON_ERROR_STOP=1", "-c", statement, place).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	db := opened(t, place)
	result, err := db.Exec(statement)
	require.NoError(t, err)
	n, err := result.RowsAffected()
	require.NoError(t, err)
	require.NotZero(t, n, statement)
}

func opened(t *testing.T, place string) *sql.DB {
	driver := "sqlite"
	if ledger.Postgres(place) {
		driver = "pgx"
	}
	db, err := sql.Open(driver, place)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// The ledger's totals equal the sums of fees block, and of the charges in the recording's own list.
func TestLedgerSums(t *testing.T) {
	type totals map[string]any
	sums := map[string]*big.Int{"charged": new(big.Int)}
	text, err := os.ReadFile(filepath.Join(recordings(t), "moonbeam-2100/sent.json"))
	require.NoError(t, err)
	var list struct {
		Sent []struct {
			Family  string
			Charged string `json:"charged_wei"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &list))
	families := map[string]float64{} // as JSON has the counts
	for _, x := range list.Sent {
		n, ok := new(big.Int).SetString(x.Charged, 10)
		require.True(t, ok, x.Charged)
		sums["charged"].Add(sums["charged"], n)
		families[x.Family]++
	}
	for height := range 28 {
		stdout, stderr, code := fees("block", strconv.Itoa(height), "--gateway", "demo", "--format", "json")
		want := exitOK
		if height == 2 { // whose time is before block 1's
			want = exitFinding
		}
		require.Equal(t, want, code, stderr)
		var block struct{ Totals totals }
		require.NoError(t, json.Unmarshal([]byte(stdout), &block))
		for name, value := range block.Totals {
			if text, ok := value.(string); ok && name != "charged" {
				n, ok := new(big.Int).SetString(text, 10)
				require.True(t, ok, "%s: %s", name, text)
				if sums[name] == nil {
					sums[name] = new(big.Int)
				}
				sums[name].Add(sums[name], n)
			}
		}
	}
	places(t, func(t *testing.T, place func() string) {
		filled(t, place())
		stdout, _, code := fees("ledger", "status", "--format", "json")
		require.Equal(t, exitOK, code)
		var status totals
		require.NoError(t, json.Unmarshal([]byte(stdout), &status))
		for _, name := range []string{"fee", "evm_fee", "native_fee", "charged"} {
			require.Contains(t, sums, name)
			require.Equal(t, sums[name].String(), status[name], name)
		}
		require.Equal(t, sums["charged"], sums["fee"])
		require.Equal(t, families, map[string]float64{"evm": status["evm"].(float64), "native": status["native"].(float64)})
	})
}

// Any alteration is found: verification names the block and ends with 4.
func TestLedgerDamaged(t *testing.T) {
	places(t, func(t *testing.T, place func() string) {
		for statement, named := range map[string]string{
			"UPDATE blocks SET sum = (SELECT sum FROM blocks WHERE height = 24) WHERE height = 25":       "block 25, table blocks: it was altered: its sum is ",
			"UPDATE blocks SET record = (SELECT record FROM blocks WHERE height = 12) WHERE height = 13": "block 13, table blocks: its record belongs to block 12",
			"UPDATE blocks SET flags = 4 WHERE height = 14":                                              "block 14, table blocks: it was altered: its sum is ",
			"UPDATE transactions SET fee = 1 WHERE id = 25 * 1048576 + 5":                                "block 25, table transactions: the rows of this block differ from its record",
			"DELETE FROM transactions WHERE id / 1048576 = 26":                                           "block 26, table transactions: the rows of this block differ from its record",
			"DELETE FROM blocks WHERE height = 20":                                                       "block 20, table blocks: missing, up to block 20",
			"UPDATE stretches SET seal = digest WHERE unit = 'month' AND number > 0":                     "table stretches: the month 2026-01",
			"UPDATE stretches SET fee = fee + 1 WHERE unit = 'day' AND number > 0":                       "table stretches: the day 2026-01-01 was altered",
			"UPDATE parts SET body = (SELECT sum FROM blocks WHERE height = 1) WHERE kind = 0":           "table parts: ",
		} {
			damaged := filled(t, place())
			requireVerified(t, damaged)
			alter(t, damaged, statement)
			stdout, stderr, code := fees("ledger", "verify")
			require.Equal(t, exitLedger, code, statement)
			require.Contains(t, stdout, named, statement)
			require.NotContains(t, stdout, "nothing was altered")
			require.Regexp(t, `^fees: ledger .*: the ledger is damaged in (1 place|\d+ places); restore a backup, or fill a new ledger\n$`, stderr)
			stdout, _, code = fees("ledger", "verify", "--format", "json")
			require.Equal(t, exitLedger, code)
			var report struct {
				Damage  []struct{ Table, Message string }
				Damages int
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &report))
			require.NotEmpty(t, report.Damage, statement)
			require.Len(t, report.Damage, report.Damages, statement)
		}
	})
}

// A block replaced together with its checksum is not the child of the one before.
func TestLedgerOfAnotherParent(t *testing.T) {
	places(t, func(t *testing.T, place func() string) {
		damaged := filled(t, place())
		rewrite(t, damaged, 9, true, func(r *ledgertest.Record) { copy(r.Head[41:], r.Head[9:41]) })
		stdout, _, code := fees("ledger", "verify")
		require.Equal(t, exitLedger, code, stdout)
		require.Contains(t, stdout, "block 9, table blocks: its parent is ")
	})
}

// The chain's data differs from when the ledger was filled.
func TestLedgerComparedWithAnotherRecord(t *testing.T) {
	places(t, func(t *testing.T, place func() string) {
		filled(t, place())
		altered := filepath.Join(t.TempDir(), "altered")
		require.NoError(t, os.CopyFS(altered, os.DirFS(filepath.Join(recordings(t), "moonbeam-2100"))))
		stdout, stderr, code := fees("ledger", "verify", "--gateway", altered)
		require.Equal(t, exitOK, code, stdout+stderr)
		require.Contains(t, stdout, "28 blocks read again, with the same results")

		file := filepath.Join(altered, "blocks/25.json")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), `"nonce":"8"`))
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), `"nonce":"8"`, `"nonce":"88"`, 1)), 0o600))
		stdout, stderr, code = fees("ledger", "verify", "--gateway", altered)
		require.Equal(t, exitLedger, code, stdout+stderr)
		require.Contains(t, stdout, "block 25, table transactions, extrinsic 6: nonce is 8 in the ledger, 88 now\n")
		require.Contains(t, stderr, "the ledger is damaged, or the gateway is wrong: ")
		requireVerified(t, os.Getenv("FEES_LEDGER"))
	})
}

// A program with other results: the old results stay, the new ones are stored beside them.
func TestLedgerRejudged(t *testing.T) {
	tables, _, code := fees("networks", "--format", "json")
	require.Equal(t, exitOK, code)
	file := filepath.Join(t.TempDir(), "cheap.json")
	cheap := strings.ReplaceAll(tables, `"static_base_fee": "100000000000"`, `"static_base_fee": "90000000000"`)
	require.NotEqual(t, tables, cheap)
	require.NoError(t, os.WriteFile(file, []byte(cheap), 0o600))
	places(t, func(t *testing.T, place func() string) {
		there := filled(t, place())
		before, _, _ := fees("ledger", "status", "--format", "json")
		const fee = "SELECT fee FROM book_transactions WHERE height = 25 AND extrinsic = 5"
		db := opened(t, there)
		var old string
		require.NoError(t, db.QueryRow(fee).Scan(&old))

		for range 2 { // the same note again is one
			stdout, stderr, code := fees("ledger", "verify", "--gateway", "demo", "--network-file", file)
			require.Equal(t, exitFinding, code, stdout+stderr)
			require.Contains(t, stdout, "block 25, table transactions, extrinsic 5: fee is "+old+" in the ledger, ")
			require.Empty(t, stderr)
		}
		var was, now, program string
		require.NoError(t, db.QueryRow("SELECT before, after, program FROM rejudgements WHERE height = 25 AND table_name = 'transactions' AND row_number = 5 AND column_name = 'fee'").
			Scan(&was, &now, &program))
		require.Equal(t, "2100000000000000", old) // 21000 gas of 100 Gwei
		require.Equal(t, old, was)
		require.Equal(t, "1890000000000000", now) // of 90 Gwei
		require.Equal(t, cli.Version(), program)
		var kept string
		require.NoError(t, db.QueryRow(fee).Scan(&kept))
		require.Equal(t, old, kept)
		after, _, _ := fees("ledger", "status", "--format", "json")
		require.Equal(t, before, after)
		requireVerified(t, there)
	})
}

// A copy is an independent ledger with the same seal.
func TestLedgerBackup(t *testing.T) {
	places(t, func(t *testing.T, place func() string) {
		filled(t, place())
		status, _, _ := fees("ledger", "status", "--format", "json")
		copied := newLedgerFile(t)
		stdout, stderr, code := fees("ledger", "backup", copied)
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, ": copied to "+copied)
		seal := statusOf(t, os.Getenv("FEES_LEDGER")).Seal
		requireSound(t, copied, 27, *seal)
		ofCopy, _, _ := fees("ledger", "status", "--format", "json", "--ledger", copied)
		if before, _, jobs := strings.Cut(status, ",\n  \"jobs_waiting\""); jobs {
			status = before + "\n}\n"
		}
		require.Equal(t, status, ofCopy)
	})
}

// Another program's database is not changed.
func TestLedgerOfSomebodyElse(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", place)
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE addresses (name TEXT)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	before, err := os.ReadFile(place)
	require.NoError(t, err)
	for _, command := range []string{"ledger status", "ledger verify", "sync 0..3 --gateway demo", "follow --gateway demo"} {
		_, stderr, code := fees(append(strings.Fields(command), "--ledger", place)...)
		require.Equal(t, exitLedger, code, command)
		require.Contains(t, stderr, "no ledger", command)
	}
	after, err := os.ReadFile(place)
	require.NoError(t, err)
	require.Equal(t, before, after)
	files, err := filepath.Glob(place + "*")
	require.NoError(t, err)
	require.Equal(t, []string{place}, files)
}
