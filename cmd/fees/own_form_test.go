package main

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
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

// Accounts of 32 bytes have the chain's own prefix wherever they are shown: in every format of every command, and in
// every file of a package. A package still holds, and a difference that was accepted is found again.
func TestAccountsInTheChainsOwnForm(t *testing.T) {
	t.Parallel()
	const prefix = 5 // other than 42, which is that of all chains
	l, dir := livingChains[0], t.TempDir()
	text, err := os.ReadFile(repository.Path("network", "tables", l.table))
	require.NoError(t, err)
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(path(name), []byte(text), 0o600))
		return path(name)
	}
	table := write("table.json", strings.Replace(string(text), `"account_mapping": "hashed",`, `"account_mapping": "hashed", "ss58_prefix": 5,`, 1))
	recorded, made := pairs.Path(t, l.name, "gateway"), path("january")
	ours := []string{"--network-file", table, "--ledger", path("fees.db")}
	run := func(want int, arguments ...string) string {
		out, stderr, code := fees(append(arguments, ours...)...)
		require.Equal(t, want, code, "%v: %s%s", arguments, out, stderr)
		return out + stderr
	}
	priced := func(arguments ...string) string {
		out, stderr, code := fees(append(arguments, ours[:2]...)...)
		require.Zero(t, code, "%v: %s%s", arguments, out, stderr)
		return out
	}
	run(0, "sync", fmt.Sprintf("0..%d", l.last), "--gateway", recorded)

	var own, other []string // texts of the accounts
	for _, name := range l.accounts(t) {
		account, err := chain.ParseAccount(name)
		require.NoError(t, err)
		for _, shown := range []func(string) string{func(text string) string { return text }, func(text string) string { return console.Ends(text, 4) }} {
			own, other = append(own, shown(account.SS58(prefix))), append(other, shown(account.String()))
		}
	}
	shows := func(what, text string) bool {
		t.Helper()
		found := false
		for i := range own {
			require.NotContains(t, text, other[i], what)
			found = found || strings.Contains(text, own[i])
		}
		return found
	}
	check := func(what, text string) {
		t.Helper()
		require.True(t, shows(what, text), "%s:\n%s", what, text)
	}
	sent := l.sent(t)
	x := sent[0]
	native := sent[len(sent)-1]
	account, err := chain.ParseAccount(x.SS58)
	require.NoError(t, err)
	place := ""
	for height := range l.last + 1 {
		text := priced("block", fmt.Sprint(height), "--gateway", recorded, "--format", "csv")
		if strings.Contains(text, native.XtHash) {
			place = fmt.Sprintf("%d-", height)
			for _, form := range []string{"table", "json", "csv"} {
				check("block in "+form, priced("block", fmt.Sprint(height), "--gateway", recorded, "--format", form))
			}
		}
	}
	require.NotEmpty(t, place)

	record := write("record.csv", "hash,payer,fee_wei\n"+x.EthHash+","+account.SS58(0)+",1\n")
	accounts := write("own.csv", x.From+"\n"+native.SS58+"\n")
	for _, form := range []string{"table", "json", "csv"} {
		for _, arguments := range [][]string{
			{"report", "--by", "account"}, {"account", x.From}, {"tx", x.EthHash}, {"show", x.From}, {"show", native.XtHash},
			{"statement", "--accounts", accounts, "--gateway", recorded}, {"rollforward", "--accounts", accounts, "--gateway", recorded},
			{"rollforward", "--accounts", accounts, "--gateway", recorded, "--list", "all"}, {"sample", "--size", "3", "--seed", "s", "--accounts", accounts},
		} {
			form := form
			switch arguments[0] {
			case "account", "tx", "show":
				if form == "csv" {
					continue
				}
			case "sample":
				form = strings.Replace(form, "json", "jsonl", 1)
			}
			check(fmt.Sprint(arguments, form), run(0, append(arguments, "--format", form)...))
		}
		check("reconcile in "+form, run(exitFinding, "reconcile", record, "--accounts", accounts, "--format", form, "--all"))
	}
	check("html", run(0, "report", "--by", "account", "--format", "html"))
	for _, as := range []string{"csv", "jsonl", "hledger", "ledger", "beancount", "koinly"} {
		check("export as "+as, run(0, "export", "--accounts", accounts, "--as", as))
	}

	twins := write("twins.csv", "address,label\n"+x.From+",Twin\n"+native.SS58+",Twin\n")
	twice := run(0, "export", "--accounts", accounts, "--as", "hledger", "--labels", twins)
	check("a label that two accounts have", twice)
	require.Contains(t, twice, "Twin "+account.SS58(prefix))

	check("movements", run(0, "export", "--accounts", accounts, "--as", "hledger", "--with", "movements", "--gateway", recorded))
	chart := write("chart.csv", "# suspense: 9999\n# rounding: 6859\n# asset: 1500\n# xero tax rate: Tax Exempt\npayer,account\n"+account.SS58(0)+",6810\n")
	check("journal", run(0, "export", "--accounts", accounts, "--as", "xero", "--chart", chart, "--prices", write("prices.csv", "# source: Example\ndate,price\n2026-01-01,2000000\n"), "--fiat", "EUR", "--last-known", "--summarise", "transaction"))

	run(0, "close", "--month", "2026-01", "--partial", "--accounts", accounts, "--gateway", recorded, "-o", made)
	out, stderr, code := fees("close", "--check", made, "--gateway", recorded, "--ledger", path("fees.db"))
	require.Zero(t, code, out+stderr)
	files := 0
	require.NoError(t, filepath.WalkDir(made, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".pdf") || strings.Contains(path, "inputs") || strings.Contains(path, "networks") {
			return err // a PDF's text is compressed, and inputs are as they were given
		}
		if shows(path, unzipped(t, path)) {
			files++
		}
		return nil
	}))
	require.Greater(t, files, 8)

	list := path("differences.csv")
	run(exitFinding, "reconcile", record, "--accounts", accounts, "--differences", list)
	lines, err := os.ReadFile(list)
	require.NoError(t, err)
	require.False(t, shows(list, string(lines)))
}

// unzipped returns the text of a file, and of all parts of a workbook.
func unzipped(t *testing.T, path string) (text string) {
	t.Helper()
	if !strings.HasSuffix(path, ".xlsx") {
		read, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(read)
	}
	book, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer book.Close()
	for _, part := range book.File {
		in, err := part.Open()
		require.NoError(t, err)
		read, err := io.ReadAll(in)
		require.NoError(t, err)
		text += string(read)
	}
	return text
}
