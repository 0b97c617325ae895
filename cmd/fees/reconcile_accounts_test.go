package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
)

// explorerExport is an explorer's January export for the demo's company: every EVM transaction that its accounts
// sent or received, with the sender's fee. Two were received, in blocks 5 and 24.
const explorerExport = `"Transaction Hash","Blockno","DateTime (UTC)","From","TxnFee(GLMR)","TxnFee(USD)"
"0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5","1","2026-01-31 00:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.021797132753844","0.01"
"0x65deb72cb7baefb56b0016622fe23b27383b77e75127ce0fcfb164ce37eab446","2","2026-01-31 01:30:00","0x2f5bcc3a78cb7ff9aa2fabf6c94b4c98a7438c23","0.117997036061304825","0.03"
"0xe7bf32a53b196cb322a499df37d24c6ee54b5e5f7b900e275284209dde6ad453","5","2026-01-31 04:30:00","0xb92bc0d1d644481da04f5b98ddeecb4a9a6ed7cb","0.020917999899804","0.01"
"0x2fd3de587fdccb5307636e585d6e1c92d5b421c8e01fd2f291799d7b8bf66539","9","2026-01-31 08:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.115711184609677475","0.03"
"0x3f6c36898d698eb47dd84a6c39d1136d63f7744601ba9650cc63b57a2765d563","9","2026-01-31 08:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.048376323739990188","0.01"
"0xdd9aa958710abc3f6a09147c4df8639b9e623852850fc32415d468bcd67f6f20","10","2026-01-31 09:30:00","0x806e20c236a303be7695d1442757096b205a9ae1","0.020822615905161","0.01"
"0xfee6023aec5160f6b89224e83dbe5c3c74a9bcf52701cc7d46ab12cf7cad9008","10","2026-01-31 09:30:00","0x806e20c236a303be7695d1442757096b205a9ae1","0.060634299214855292","0.01"
"0x72b1610991b14928856058c75d4c0271ace933e309d4cc40ebfbd551a2a5cc82","16","2026-01-31 15:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.04139112401082645","0.01"
"0x67092bdb9a7a63135dfb4a05738ddf211b57a90fb6a3bf76bfb31be96eb5002a","16","2026-01-31 15:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.020995032992388","0.01"
"0x08e46f0cddacb1368c729dd70fea3262ddd3e98c2d51000652d91ddd1d3baeeb","16","2026-01-31 15:30:00","0x2f5bcc3a78cb7ff9aa2fabf6c94b4c98a7438c23","0.053969905785775648","0.01"
"0xc6015a225941cd78c3e9fa023ebd48405ddd8300cfb00468fb060404819a3a11","17","2026-01-31 16:30:00","0x2f5bcc3a78cb7ff9aa2fabf6c94b4c98a7438c23","0.020707992285603","0.01"
"0xfb6fd4f1dfd22824208690557414862dd06b86b212b85b96dd59f10b1e71c0eb","22","2026-01-31 21:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.056809906546160988","0.01"
"0x158b956357e63ab6a4d1d88bed7036892c6942b919b6a932be3604b1e008beb7","23","2026-01-31 22:30:00","0x065adec114ada927d1a42840405ca6668d0c0930","0.031433386434926706","0.01"
"0x5ff987bae6a4a6c91d09206463b1ce9563b95383c388a616b7fa55ffd0f595d4","23","2026-01-31 22:30:00","0x806e20c236a303be7695d1442757096b205a9ae1","0.269405662311286221","0.06"
"0xbd4acd39dfac25f4dfb7420e38ef3c8427348b34de919d3b22d907cfb4afa57e","24","2026-01-31 23:30:00","0x512a599d7c7f9873805537cf62865ecc0c87aceb","0.020556911897088","0.01"
`

// The fees of that month, computed independently: the 13 rows that the company sent plus its three native extrinsics
// total 0.9112 GLMR, the 15 rows 0.9215.
const (
	monthBooks = "921526514448691793"
	monthPaid  = "911216562876073180"
	monthApart = "10309951572618613"
)

// demoMonth returns the demo's directory with its January in a ledger.
func demoMonth(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, monthend.Write(dir))
	t.Chdir(dir)
	_, stderr, code := fees("sync", "--month", "2026-01", "--gateway", "gateway", "--quiet")
	require.Equal(t, exitOK, code, stderr)
	return dir
}

// Fees paid by other accounts count only on the books' side, in every format.
func TestReconcileStrangersFees(t *testing.T) {
	demoMonth(t)
	require.NoError(t, os.WriteFile("export.csv", []byte(explorerExport), 0o600))
	asked := []string{"reconcile", "export.csv", "--month", "2026-01", "--accounts", "group:company", "--quiet", "--all"}
	run := func(more ...string) string {
		t.Helper()
		stdout, stderr, code := fees(append(asked, more...)...)
		require.Equal(t, exitFinding, code, stderr)
		return stdout
	}
	text := run()
	require.Contains(t, text, "5 of 18 do not match")
	require.Regexp(t, `(?m)^total +18 +0\.921526514448691793 +0\.911216562876073180 +0\.010309951572618613$`, text)
	require.Regexp(t, `(?m)^paid_by_another_account +2 +0\.041474911796892000 +0\.0+ +0\.041474911796892000$`, text)
	require.Contains(t, text, "paid by another account, 0x512a599d7c7f9873805537cF62865ecC0c87AcEB")

	var result struct {
		Reconciled bool
		Total      struct{ Books, Chain, Difference string }
		Details    []struct{ Outcome, Books, Chain, Difference string }
	}
	require.NoError(t, json.Unmarshal([]byte(run("--format", "json")), &result))
	require.False(t, result.Reconciled)
	require.Equal(t, [3]string{monthBooks, monthPaid, monthApart}, [3]string{result.Total.Books, result.Total.Chain, result.Total.Difference})
	var books, onChain, apart []string
	for _, d := range result.Details {
		books, onChain, apart = append(books, d.Books), append(onChain, d.Chain), append(apart, d.Difference)
	}
	require.Equal(t, [3]string{monthBooks, monthPaid, monthApart}, [3]string{sumOf(t, books...), sumOf(t, onChain...), sumOf(t, apart...)})

	records := recordsOf(t, []byte(run("--format", "csv")))
	require.Equal(t, []string{"books", "chain", "difference"}, []string{records[0][4], records[0][6], records[0][8]})
	require.Equal(t, [3]string{monthBooks, monthPaid, monthApart}, [3]string{columnSum(t, records, 4), columnSum(t, records, 6), columnSum(t, records, 8)})

	// The --fix file has a row for each of the company's fees, so its sums are those of the month.
	run("--fix", "fixed.csv", "--format", "xlsx", "-o", "result.xlsx")
	fixed, err := os.ReadFile("fixed.csv")
	require.NoError(t, err)
	records = recordsOf(t, fixed)
	require.Equal(t, []string{"chain_wei", "difference_wei"}, []string{records[0][7], records[0][9]})
	require.Equal(t, monthPaid, columnSum(t, records, 7))
	require.Equal(t, monthApart, columnSum(t, records, 9))
	workbook, err := excelize.OpenFile("result.xlsx")
	require.NoError(t, err)
	defer workbook.Close()
	rows, err := workbook.GetRows("summary", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	total := rows[len(rows)-1]
	require.Equal(t, "total", total[0])
	require.Contains(t, strings.Join(total, " "), monthBooks)
	require.Contains(t, strings.Join(total, " "), monthPaid)
	require.Contains(t, strings.Join(total, " "), monthApart)
}

func recordsOf(t *testing.T, text []byte) [][]string {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return records
}

func columnSum(t *testing.T, records [][]string, column int) string {
	t.Helper()
	var list []string
	for _, r := range records[1:] {
		list = append(list, r[column])
	}
	return sumOf(t, list...)
}

// Without accounts, the result is not called complete: the rows are shown, no file is written, and the suggested
// commands with groups work.
func TestReconcileWithoutAccounts(t *testing.T) {
	dir := demoMonth(t)
	require.NoError(t, os.WriteFile("export.csv", []byte(explorerExport), 0o600))
	for _, form := range []string{"table", "json", "csv"} {
		stdout, stderr, code := fees("reconcile", "export.csv", "--month", "2026-01", "--format", form)
		require.Equal(t, exitUsage, code, stderr)
		require.Contains(t, stdout+stderr, "15 rows match; completeness not checked", form)
		require.NotContains(t, strings.ToLower(stdout+stderr), "all 15 match", form)
		require.Contains(t, stderr, "fees: no accounts are named, so fees missing from the books were not looked for; run one of the commands above\n")
	}
	_, stderr, code := fees("reconcile", "export.csv", "--month", "2026-01", "--fix", "fixed.csv", "--format", "csv", "-o", "result.csv", "--quiet")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no file was written")
	for _, name := range []string{"fixed.csv", "result.csv"} {
		require.NoFileExists(t, filepath.Join(dir, name))
	}
	_, stderr, _ = fees("reconcile", "export.csv", "--month", "2026-01", "--quiet")
	var offered []string
	for line := range strings.Lines(stderr) {
		if _, command, found := strings.Cut(strings.TrimSpace(line), ": fees "); found {
			offered = append(offered, command)
		}
	}
	require.Equal(t, []string{
		"reconcile export.csv --month 2026-01 --quiet --accounts group:company",
		"reconcile export.csv --month 2026-01 --quiet --accounts group:counterparty",
		"reconcile export.csv --month 2026-01 --quiet --accounts group:network",
		"reconcile export.csv --month 2026-01 --quiet --accounts group:payroll",
		"reconcile export.csv --month 2026-01 --quiet --rows-only",
	}, offered)
	for i, want := range []int{exitFinding, exitFinding, exitFinding, exitFinding, exitOK} {
		_, stderr, code := fees(words(offered[i])...)
		require.Equal(t, want, code, "%s\n%s", offered[i], stderr)
	}

	// Without an address book, and with rows that do not match.
	stdout, stderr, code := fees("reconcile", "company.csv", "--month", "2026-01", "--labels", "none", "--quiet")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stdout, "3 of 17 do not match; completeness not checked")
	require.Contains(t, stderr, "add --accounts with addresses or a CSV file of them, or run the command above")
	_, stderr, code = fees("reconcile", "company.csv", "--month", "2026-01", "--rows-only", "--format", "json")
	require.Equal(t, exitFinding, code)
	require.Contains(t, stderr, "3 of 17 do not match; completeness not checked")
	require.NoError(t, os.WriteFile("empty.csv", []byte("hash,fee_wei\n"), 0o600))
	_, stderr, code = fees("reconcile", "empty.csv", "--month", "2026-01", "--rows-only", "--quiet")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "empty.csv contains no fee to compare")
}
