//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// closed creates the package of the recordings' month.
func closed(t *testing.T, dir string, more ...string) (stdout string, code int) {
	t.Helper()
	arguments := append([]string{"close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", dir,
		"--gateway", filepath.Join(recordings(t), "moonbeam-2100")}, more...)
	stdout, stderr, code := fees(arguments...)
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	return stdout, code
}

func checked(t *testing.T, dir string) (stdout, stderr string, code int) {
	t.Helper()
	return fees("close", "--check", dir, "--gateway", filepath.Join(recordings(t), "moonbeam-2100"))
}

// filesUnder returns the files of a directory with their contents.
func filesUnder(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(text)
		return err
	}))
	return all
}

func manifestOf(t *testing.T, dir string) *closing.Manifest {
	p, err := closing.Open(dir)
	require.NoError(t, err)
	return p.Manifest
}

// Closing twice gives the same bytes; the totals match plain SQL.
func TestCloseTwice(t *testing.T) {
	place := filled(t, newLedgerFile(t))
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	for _, dir := range []string{one, two, one} {
		_, code := closed(t, dir, "--with", "movements", "--as", "beancount")
		require.Equal(t, exitFinding, code) // the time of block 2
	}
	require.Equal(t, filesUnder(t, one), filesUnder(t, two))
	stdout, stderr, code := checked(t, one)
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Contains(t, stdout, "verified: ")

	m := manifestOf(t, one)
	rows, err := opened(t, place).Query("SELECT fee, charged FROM book_transactions WHERE height BETWEEN 2 AND 27 AND payer = ?", strings.ToLower(alith))
	require.NoError(t, err)
	defer rows.Close()
	sums := [2]big.Int{}
	count := uint64(0)
	for ; rows.Next(); count++ {
		var texts [2]string
		require.NoError(t, rows.Scan(&texts[0], &texts[1]))
		for i, text := range texts {
			n, ok := new(big.Int).SetString(text, 10)
			require.True(t, ok)
			sums[i].Add(&sums[i], n)
		}
	}
	require.NoError(t, rows.Err())
	require.NotZero(t, count)
	charged, known := m.Totals.Charged.Get()
	require.True(t, known)
	require.Equal(t, []string{sums[0].String(), sums[1].String()}, []string{m.Totals.Fee.String(), charged.String()})
	require.Equal(t, count, m.Totals.EVM+m.Totals.Native)
	require.False(t, m.Period.Complete)
	require.Contains(t, filesUnder(t, one)["report.json"], "Known part: January 2026 is incomplete")

	// Without a gateway, files that need balances are not compared, and a note says so.
	stdout, stderr, code = fees("close", "--check", one, "--gateway", "http://127.0.0.1:1", "--timeout", "1s")
	require.Equal(t, exitLedger, code, stderr)
	for _, name := range []string{"statements.json", "statements.xlsx", "journal.beancount"} {
		require.Contains(t, stdout, "\nnot compared: "+name+"\n")
	}
	require.NotContains(t, stdout, "cover.pdf\nnot")
	require.NotContains(t, stdout, "\nverified")
	require.NotContains(t, stdout, "every file is unchanged")
}

// A changed byte is found in every file.
func TestCloseFlippedByte(t *testing.T) {
	filled(t, newLedgerFile(t))
	dir := filepath.Join(t.TempDir(), "january")
	closed(t, dir)
	all := filesUnder(t, dir)
	require.Len(t, all, 20)
	for name, text := range all {
		if name == closing.ManifestFile {
			text = strings.Replace(text, `"fee": "8`, `"fee": "9`, 1)
			require.NotEqual(t, all[name], text)
		} else {
			flipped := []byte(text)
			flipped[len(text)/2] ^= 1
			text = string(flipped)
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		stdout, _, code := checked(t, dir)
		if name == closing.ManifestFile {
			require.Equal(t, exitFinding, code)
			require.Contains(t, stdout, "total fee: ")
		} else {
			require.Equal(t, exitLedger, code, name)
			require.Equal(t, "not signed: the package contains no manifest.json.sig\n"+name+" has changed\n", stdout)
		}
		require.NoError(t, os.WriteFile(path, []byte(all[name]), 0o600))
	}
}

// A ledger changed since is refused, and the block is named.
func TestCloseChangedLedger(t *testing.T) {
	for statement, found := range map[string]string{
		"UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 25":   "block 25, table blocks: it was altered",
		"UPDATE blocks SET sum = zeroblob(32) WHERE height = 27":                       "block 27, table blocks: it was altered",
		"UPDATE blocks SET time_ms = time_ms + 1 WHERE height = 2":                     "block 2, table blocks: it was altered",
		"UPDATE blocks SET known = replace(known, 'after', 'before') WHERE height = 2": "block 2, table blocks: it was altered",
		"UPDATE stretches SET last = last + 1 WHERE unit = 'day' AND number > 0":       "table stretches: the day 2026-",
	} {
		place := filled(t, newLedgerFile(t))
		dir := filepath.Join(t.TempDir(), "january")
		closed(t, dir)
		alter(t, place, statement)
		stdout, stderr, code := checked(t, dir)
		require.Equal(t, exitLedger, code, stdout+stderr)
		require.Contains(t, stderr, found)
	}
}

// A correction is the next version, with a list of changes.
func TestCloseCorrection(t *testing.T) {
	filled(t, newLedgerFile(t))
	dir := filepath.Join(t.TempDir(), "january")
	closed(t, dir, "--no-balances")
	before := filesUnder(t, dir)
	stdout, _ := closed(t, dir, "--no-balances", "--accounts", alith+",0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0")
	require.Contains(t, stdout, "created version 2: ")
	after := filesUnder(t, dir)
	for name, text := range before {
		require.Equal(t, text, after["versions/1/"+name])
	}
	var changes closing.Changes
	require.NoError(t, json.Unmarshal([]byte(after["changes.json"]), &changes))
	var names []string
	for _, c := range changes.Files {
		names = append(names, c.Name)
	}
	require.Contains(t, names, "inputs/accounts.csv")
	require.NotContains(t, names, "findings.csv")
	require.Equal(t, "accounts", changes.Manifest[0].Name)
	stdout, _ = closed(t, dir, "--no-balances", "--accounts", alith+",0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0")
	require.Contains(t, stdout, "unchanged: every byte is the same")
	stdout, stderr, code := checked(t, dir)
	require.Equal(t, exitOK, code, stdout+stderr)
}

// A stopped close leaves no files.
func TestCloseInterrupted(t *testing.T) {
	filled(t, newLedgerFile(t))
	top := t.TempDir()
	dir := filepath.Join(top, "january")
	ctx, stop := context.WithCancel(t.Context())
	recorded := gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100"))
	begun := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "balance-info") {
			_, err := os.Stat(dir + ".closing")
			begun = err == nil
			stop()
		}
		recorded.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	var out bytes.Buffer
	code := run(ctx, []string{"close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", dir, "--gateway", server.URL, "--concurrency", "1"}, &out, &out)
	require.Equal(t, exitInterrupted, code)
	require.True(t, begun)
	left, err := os.ReadDir(top)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A journal that does not balance is left out, and a note says so.
func TestCloseDifference(t *testing.T) {
	t.Parallel()
	recording, place := altered(t, "balance-info/"+strings.ToLower(alith)+"/4.json", func(text string) string {
		return strings.Replace(text, `"free":"9`, `"free":"8`, 1)
	})
	dir := filepath.Join(t.TempDir(), "january")
	stdout, stderr, code := fees("close", "--month", "2026-01", "--partial", "--accounts", alith, "-o", dir, "--ledger", place,
		"--gateway", recording, "--with", "movements")
	require.Equal(t, exitFinding, code, stderr)
	require.Contains(t, stdout, "left out      the journal: ")
	require.Equal(t, closing.Findings{Statements: 1, Journal: 1, Rollforward: 1}, manifestOf(t, dir).Findings)
	require.NoFileExists(t, filepath.Join(dir, "journal.hledger"))
}

// wholeMonth writes generated blocks, one every half day, into a ledger.
func wholeMonth(t *testing.T, place string, first time.Time, from, count uint64) {
	book, err := ledger.OpenWriter(t.Context(), place)
	require.NoError(t, err)
	defer book.Close()
	hash := func(h uint64) chain.Hash { return chain.Hash{0: 1, 31: byte(h)} }
	require.NoError(t, book.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, 100))
	payer, err := chain.ParseAddress(alith)
	require.NoError(t, err)
	for h := from; h < from+count; h++ {
		at := first.Add(time.Duration(h-100) * 12 * time.Hour)
		b := &chain.Block{Number: h, Hash: hash(h), ParentHash: hash(h - 1), Finalized: chain.Some(true),
			Extrinsics: []chain.Extrinsic{{Pallet: "timestamp", Call: "set", Args: chain.Values{chain.Uint64Value(uint64(at.UnixMilli()))}}}}
		r := &evidence.Report{Report: &fee.Report{Network: "moonbeam", Rules: "generated", Number: h, Hash: b.Hash, ParentHash: b.ParentHash, Finalized: b.Finalized}}
		wei := chain.NewWei(h)
		r.Transactions = []evidence.Transaction{{Transaction: &fee.Transaction{
			Index: 1, Layer: fee.Native, Call: "system.remark", Hash: hash(h), From: chain.Some(payer), Payer: chain.Some(payer), Fee: chain.Some(wei), Success: chain.Some(true),
		}}}
		r.Totals.Native, r.Totals.Fee, r.Totals.NativeFee = 1, wei, wei
		r.Time, err = b.Time()
		require.NoError(t, err)
		entry, err := ledger.NewEntry(b, r)
		require.NoError(t, err)
		require.NoError(t, book.Write(t.Context(), []*ledger.Entry{entry}))
	}
	_, err = book.Seal(t.Context())
	require.NoError(t, err)
}

// A complete month gives the same package while the ledger grows.
func TestCloseWholeMonth(t *testing.T) {
	t.Parallel()
	place := newLedgerFile(t)
	// Blocks 100 and 101 are of 31 December, 102 to 163 of January, 164 of 1 February.
	start := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
	wholeMonth(t, place, start, 100, 64)
	dir := filepath.Join(t.TempDir(), "january")
	books := filepath.Join(t.TempDir(), "books.csv")
	lines := "extrinsic,fee_wei\n150-1,150\n"
	require.NoError(t, os.WriteFile(books, []byte(lines), 0o600))
	arguments := []string{"close", "--month", "2026-01", "--accounts", alith, "-o", dir, "--ledger", place, "--no-balances", "--reconcile", books}
	_, stderr, code := fees(arguments...)
	require.Equal(t, exitLedger, code)
	require.Contains(t, stderr, "its end")
	require.NoDirExists(t, dir)

	wholeMonth(t, place, start, 164, 1)
	stdout, stderr, code := fees(arguments...)
	require.Equal(t, exitFinding, code, stderr)
	require.Contains(t, stdout, "reconciliation differences: 61\n") // 62 transactions, and one is recorded
	m := manifestOf(t, dir)
	require.True(t, m.Period.Complete)
	require.Equal(t, [2]uint64{102, 163}, [2]uint64{m.Blocks.First, m.Blocks.Last})
	require.Equal(t, chain.NewWei((102+163)*62/2), m.Totals.Fee)
	before := filesUnder(t, dir)
	require.Equal(t, lines, before["inputs/books.csv"])

	wholeMonth(t, place, start, 165, 5)
	stdout, stderr, code = fees(arguments...)
	require.Equal(t, exitFinding, code, stderr)
	require.Contains(t, stdout, "unchanged: every byte is the same")
	require.Equal(t, before, filesUnder(t, dir))
	stdout, stderr, code = fees("close", "--check", dir, "--ledger", place)
	require.Equal(t, exitOK, code, stdout+stderr)

	require.NoError(t, os.Remove(books))
	_, stderr, code = fees(arguments...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "books.csv does not exist")
	require.NoDirExists(t, dir+".closing")
	require.Equal(t, before, filesUnder(t, dir))
}

// A package can be checked in any directory, and flags without effect are refused.
func TestCloseCheckTakesEverythingFromThePackage(t *testing.T) {
	filled(t, newLedgerFile(t))
	dir := filepath.Join(t.TempDir(), "january, the first")
	closed(t, dir, "--no-balances")
	stdout, stderr, code := checked(t, dir)
	require.Equal(t, exitOK, code, stdout+stderr)
	for _, flags := range [][]string{
		{"--unit", "token"}, {"--map", "fee=Kosten"}, {"--decimal", ","}, {"--thousands", "."}, {"--separator", "tab"}, {"--sheet", "x"},
		{"--date-format", "dd.mm.yyyy"}, {"--tolerance", "1"}, {"--reconcile", "x"}, {"--month", "2026-01"}, {"-o", "x"},
	} {
		_, stderr, code := fees(append([]string{"close", "--check", dir}, flags...)...)
		require.Equal(t, exitUsage, code, "%v: %s", flags, stderr)
		require.Contains(t, stderr, "--check takes everything from the package's manifest; leave out --")
	}
}

// Labels come from all of the files.
func TestCloseLabelsOfSeveralFiles(t *testing.T) {
	filled(t, newLedgerFile(t))
	top := t.TempDir()
	dir, one, two := filepath.Join(top, "january"), filepath.Join(top, "one.csv"), filepath.Join(top, "two.csv")
	require.NoError(t, os.WriteFile(one, []byte(alith+",Alith\n"), 0o600))
	require.NoError(t, os.WriteFile(two, []byte("0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0,Baltathar\n"), 0o600))
	closed(t, dir, "--no-balances", "--accounts", one+", "+two)
	require.Equal(t, []string{"Alith", "Baltathar"}, []string{manifestOf(t, dir).Accounts[0].Label, manifestOf(t, dir).Accounts[1].Label})
}
