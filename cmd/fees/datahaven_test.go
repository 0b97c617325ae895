package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// parameterGateway serves a recording like the real gateway. It rejects a parameter's key as JSON, and records
// the requested keys.
type parameterGateway struct {
	recorded http.Handler
	mu       sync.Mutex
	keys     map[string]int
}

func (g *parameterGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/pallets/parameters/storage/parameters" {
		key := r.URL.Query().Get("keys[]")
		g.mu.Lock()
		g.keys[key]++
		g.mu.Unlock()
		if !strings.HasPrefix(key, "0x") {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"code":500,"message":"Cannot map Enum JSON","stack":"Error: Cannot map Enum JSON\n    at gateway.js:1:1","level":"error"}`)
			return
		}
	}
	g.recorded.ServeHTTP(w, r)
}

// Fee 39-1 of a test DataHaven was divided by 1/3, as set in block 38, which the explanation shows above the
// treasury's amount. If the recordings lack the share, it is unknown, not 0 or the default.
func TestDataHavenProportion(t *testing.T) {
	directory := pairs.Path(t, "datahaven-100", "gateway")
	t.Setenv("COLUMNS", "100")
	stdout, stderr, code := fees("explain", "39-1", "--gateway", directory, "--quiet")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, `
  FeesTreasuryProportion  333333333 parts per billion = 33.3333333 %
                          state after block 38, in force for the next block
  treasury                2187499997813 wei = 0.000002187499997813 MOCK
`)

	lacking := t.TempDir()
	require.NoError(t, os.CopyFS(lacking, os.DirFS(directory)))
	require.NoError(t, os.RemoveAll(filepath.Join(lacking, "parameters")))
	stdout, _, _ = fees("explain", "39-1", "--gateway", lacking, "--quiet")
	require.Contains(t, stdout, `
  FeesTreasuryProportion  not known
                          state after block 38, in force for the next block
  treasury                2187499997813 wei = 0.000002187499997813 MOCK
`)
}

// A DataHaven ledger is filled from its gateway, verified and closed; its totals match the charges.
func TestDataHavenBooks(t *testing.T) {
	if testing.Short() {
		t.Skip("two chains, and all that is asked of their ledgers")
	}
	for name, c := range map[string]struct {
		last   int
		found  string // the time of block 2, and the multipliers that were set by hand
		checks int    // findings
	}{
		"datahaven-100":  {40, "failed checks in blocks 0..40: 1 block.time (", 1},
		"datahaven-100m": {32, "failed checks in blocks 0..32: 4 block.multiplier, 1 block.time (", 5},
	} {
		t.Run(name, func(t *testing.T) {
			directory := pairs.Path(t, name, "gateway")
			sums, count, payers := chargedSums(t, filepath.Join(directory, "charged.csv"))
			gateway := &parameterGateway{recorded: gatewaytest.Handler(directory), keys: map[string]int{}}
			server := httptest.NewServer(gateway)
			defer server.Close()
			t.Setenv("FEES_LEDGER", newLedgerFile(t))
			t.Setenv("FEES_GATEWAY", server.URL)

			stdout, stderr, code := fees("sync", fmt.Sprint("0..", c.last), "--quiet")
			require.Equal(t, exitFinding, code, stderr)
			require.Contains(t, stdout, fmt.Sprintf("%d stored, 0 already there; sealed up to block %d", c.last+1, c.last))
			require.Contains(t, stdout, c.found)
			require.Empty(t, stderr)
			require.Equal(t, []string{"0x0004"}, slices.Sorted(maps.Keys(gateway.keys)), "a key is SCALE in hex")
			stdout, stderr, code = fees("ledger", "verify", "--gateway", server.URL, "--quiet")
			require.Equal(t, exitOK, code, stdout+stderr)
			require.Contains(t, stdout, "nothing was altered")
			require.Equal(t, []string{"0x0004"}, slices.Sorted(maps.Keys(gateway.keys)))

			stdout, stderr, code = fees("report", "--format", "json")
			require.Equal(t, exitFinding, code, stderr)
			var report struct {
				Symbol string
				Totals totals
			}
			require.NoError(t, json.Unmarshal([]byte(stdout), &report))
			require.Equal(t, "MOCK", report.Symbol)
			require.Equal(t, sums, report.Totals.sums())
			require.Equal(t, count, report.Totals.EVM+report.Totals.Native)

			accounts := filepath.Join(t.TempDir(), "mine.csv")
			require.NoError(t, os.WriteFile(accounts, []byte(strings.Join(payers, "\n")), 0o600))
			dir := filepath.Join(t.TempDir(), "january")
			stdout, stderr, code = fees("close", "--month", "2026-01", "--partial", "--accounts", accounts, "-o", dir, "--with", "movements")
			require.Equal(t, exitFinding, code, stderr) // those of the sync
			require.Contains(t, stdout, fmt.Sprintf("blocks        2..%d, %d, final and sealed\n", c.last, c.last-1), "block 1 says that it is of November")
			text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
			require.NoError(t, err)
			var manifest struct {
				Totals   totals
				Findings map[string]int
			}
			require.NoError(t, json.Unmarshal(text, &manifest))
			require.Equal(t, sums, manifest.Totals.sums(), "these are all who paid")
			require.Equal(t, map[string]int{"checks": c.checks, "undetermined": 0, "drifts": 0, "unclassified": 0, "statements": 0, "journal": 0, "differences": 0}, manifest.Findings)
			stdout, stderr, code = fees("close", "--check", dir)
			require.Equal(t, exitOK, code, stdout+stderr)
			require.Contains(t, stdout, "\nverified: every file is unchanged and the same as from today's ledger\n")
			require.NotContains(t, stdout, "note:")
		})
	}
}

// totals are the totals of a report or package.
type totals struct {
	EVM      int
	Native   int
	Fee      string
	Charged  string
	Burned   string
	Treasury string
	Author   string
}

func (t *totals) sums() map[string]string {
	return map[string]string{"fee": t.Fee, "charged": t.Charged, "burned": t.Burned, "treasury": t.Treasury, "author": t.Author}
}

// chargedSums returns the charges by events: sums, number of transactions, and payers.
func chargedSums(t *testing.T, path string) (sums map[string]string, count int, payers []string) {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	column := func(name string) int {
		i := slices.Index(rows[0], name)
		require.GreaterOrEqual(t, i, 0, name)
		return i
	}
	sums = map[string]string{}
	for name, from := range map[string]string{"fee": "charged", "charged": "charged", "burned": "burned", "treasury": "treasury", "author": "author_credit"} {
		total := new(big.Int)
		for _, row := range rows[1:] {
			n, ok := new(big.Int).SetString(row[column(from)], 10)
			require.True(t, ok)
			total.Add(total, n)
		}
		sums[name] = total.String()
	}
	for _, row := range rows[1:] {
		payers = append(payers, row[column("payer")])
	}
	slices.Sort(payers)
	return sums, len(rows) - 1, slices.Compact(payers)
}
