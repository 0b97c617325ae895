package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

// Findings, notes and errors name accounts of 32 bytes with the chain's own prefix: those of relay chains, 0 and 2.
func TestFindingsInTheChainsOwnForm(t *testing.T) {
	t.Parallel()
	for _, prefix := range []uint16{0, 2} {
		t.Run(fmt.Sprint(prefix), func(t *testing.T) {
			t.Parallel()
			l, dir := livingChains[0], t.TempDir()
			text, err := os.ReadFile(repository.Path("network", "tables", l.table))
			require.NoError(t, err)
			table, altered, ledger := filepath.Join(dir, "table.json"), filepath.Join(dir, "gateway"), filepath.Join(dir, "fees.db")
			text = []byte(strings.Replace(string(text), `"account_mapping": "hashed",`, fmt.Sprintf(`"account_mapping": "hashed", "ss58_prefix": %d,`, prefix), 1))
			require.NoError(t, os.WriteFile(table, text, 0o600))
			form := func(name string) string {
				account, err := chain.ParseAccount(name)
				require.NoError(t, err)
				return account.SS58(prefix)
			}
			all, paid := l.accounts(t), form(stranger)+" paid, but "+form(signer)+" signed"
			paidByAnother(t, pairs.Path(t, l.name, "gateway"), altered)
			run := func(arguments ...string) string {
				out, stderr, code := fees(append(arguments, "--network-file", table)...)
				require.Contains(t, []int{0, exitFinding, 4}, code, "%v: %s%s", arguments, out, stderr)
				for _, name := range all {
					require.NotContains(t, out+stderr, name, "%v", arguments)
					require.NotContains(t, out+stderr, console.Ends(name, 4), "%v", arguments)
				}
				return out + stderr
			}
			says := func(text string, arguments ...string) {
				t.Helper()
				out := strings.Join(strings.Fields(run(arguments...)), " ")
				require.Contains(t, out, text, "%v", arguments)
			}
			const both = signer + "," + stranger
			run("sync", fmt.Sprintf("0..%d", l.last), "--gateway", altered, "--ledger", ledger)
			for _, as := range []string{"table", "json", "csv"} {
				run("block", "6", "--gateway", altered, "--format", as)
				run("report", "--ledger", ledger, "--by", "account", "--format", as)
				run("statement", "--ledger", ledger, "--gateway", altered, "--accounts", both, "--format", as)
				run("rollforward", "--ledger", ledger, "--gateway", altered, "--accounts", both, "--format", as)
			}
			for _, as := range []string{"table", "json"} {
				says(paid, "block", "6", "--gateway", altered, "--format", as)
				says(paid, "verify", "5..7", "--accounts", both, "--gateway", altered, "--format", as)
				says(form(stranger)+" has ", "verify", "5..7", "--accounts", stranger, "--gateway", altered, "--format", as)
				says(paid, "explain", "6-4", "--gateway", altered, "--format", strings.Replace(as, "table", "text", 1))
			}
			says(paid, "networks", "check", table, "5..7", "--gateway", altered)
			says(paid, "report", "--ledger", ledger)
			says(form(stranger)+", blocks", "rollforward", "--ledger", ledger, "--gateway", altered, "--accounts", both)
			says("the balance of "+form(stranger), "export", "--ledger", ledger, "--gateway", altered, "--as", "hledger", "--with", "movements", "--accounts", stranger)
			run("show", "6-4", "--ledger", ledger)
			run("tx", "6-4", "--ledger", ledger)
			run("account", stranger, "--ledger", ledger, "--balance", "--gateway", altered)
			run("ledger", "verify", "--ledger", ledger, "--gateway", altered)
			made := filepath.Join(dir, "january")
			run("close", "--month", "2026-01", "--partial", "--accounts", both, "--gateway", altered, "--ledger", ledger, "-o", made)
			list, err := os.ReadFile(filepath.Join(made, "findings.csv"))
			require.NoError(t, err)
			require.Contains(t, string(list), paid)
			require.NotContains(t, string(list), stranger)
		})
	}
}

// The signer of transaction 6-4, a remark, and another account.
const (
	signer   = "5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw"
	stranger = "5CiPPseXPECbkjWCa6MnjNokrgYjMqmKndv2rSnekmSK2DjL"
)

// paidByAnother copies the recording in which another account paid for transaction 6-4.
func paidByAnother(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	path := filepath.Join(to, "blocks", "6.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const data = `"12245164551325606"`
	require.Equal(t, 2, strings.Count(string(text), `["`+signer+`",`+data), "Withdraw and TransactionFeePaid")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), `["`+signer+`",`+data, `["`+stranger+`",`+data)), 0o600))
}
