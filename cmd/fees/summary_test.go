package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
)

// bookedMonth is the directory of fees demo with a filled ledger and a chart of accounts.
func bookedMonth(t *testing.T) string {
	directory := t.TempDir()
	require.NoError(t, monthend.Write(directory))
	t.Chdir(directory)
	_, stderr, code := fees("sync", "0..48", "--gateway", "gateway", "--quiet")
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	require.NoError(t, os.WriteFile("chart.csv", []byte(`# suspense: 9999
# rounding: 6859
# asset: 1500
# xero tax rate: Tax Exempt
# datev consultant: 29098
# datev client: 55003
# datev account length: 4
label,layer,call,tag,account,asset,cost_centre
Payroll,evm,,,6810,1520,100
,native,balances.*,,6811,1521,
Operations,,,,6812,1522,200
,,,cold,6813,1523,
Savings,,,,,1524,
# quickbooks account 1500: Account 1500
# quickbooks account 1520: Account 1520
# quickbooks account 1521: Account 1521
# quickbooks account 1522: Account 1522
# quickbooks account 1523: Account 1523
# quickbooks account 1524: Account 1524
# quickbooks account 6810: Account 6810
# quickbooks account 6811: Account 6811
# quickbooks account 6812: Account 6812
# quickbooks account 6813: Account 6813
# quickbooks account 6859: Account 6859
# quickbooks account 9999: Account 9999
`), 0o600))
	return directory
}

// booking are the flags of a journal of the demo's month.
func booking(form string, more ...string) []string {
	return append([]string{"export", "--as", form, "--month", "2026-01", "--accounts", "group:company,group:payroll", "--chart", "chart.csv"}, more...)
}

var priced = []string{"--prices", "prices.csv", "--fiat", "EUR"}

// chargedBy is what the report has charged for the same accounts, in wei and in cents.
func chargedBy(t *testing.T) (wei string, cents *big.Rat) {
	stdout, stderr, code := fees(append([]string{"report", "--month", "2026-01", "--accounts", "group:company,group:payroll", "--format", "json"}, priced...)...)
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	var r struct {
		Totals struct {
			Charged string `json:"charged"`
			EUR     string `json:"charged_eur"`
		} `json:"totals"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.NotEmpty(t, r.Totals.EUR, stdout)
	return r.Totals.Charged, amountOf(t, r.Totals.EUR)
}

func amountOf(t *testing.T, text string) *big.Rat {
	if text == "" {
		return new(big.Rat)
	}
	amount, ok := new(big.Rat).SetString(strings.Replace(text, ",", ".", 1))
	require.True(t, ok, text)
	return amount
}

// The demo's month in each form: debits and credits are the report's total to the cent, for every
// way of making entries.
func TestSummaries(t *testing.T) {
	bookedMonth(t)
	wei, total := chargedBy(t)
	columns := map[string][2]int{"quickbooks": {3, 4}, "netsuite": {6, 7}, "journal-csv": {4, 5}}
	for _, form := range []string{"quickbooks", "xero", "netsuite", "datev", "journal-csv"} {
		for _, by := range []string{"transaction", "day", "month"} {
			stdout, stderr, code := fees(booking(form, append([]string{"--summarise", by}, priced...)...)...)
			require.Equal(t, exitOK, code, stderr)
			require.Contains(t, stderr, "agrees: ")
			require.Contains(t, stderr, "Suspense: no rule of the chart places ")
			require.Contains(t, stderr, "suspense: 2-4 of Customer refunds, ethereum.transact: 0.117997036061304825 GLMR")
			in := csv.NewReader(strings.NewReader(stdout))
			if form == "datev" {
				in.Comma, in.FieldsPerRecord, in.LazyQuotes = ';', -1, true
			}
			rows, err := in.ReadAll()
			require.NoError(t, err)
			debit, credit, tokens := new(big.Rat), new(big.Rat), new(big.Rat)
			for _, row := range rows[1:] {
				switch {
				case form == "datev" && len(row) == 125 && row[1] == "S":
					debit.Add(debit, amountOf(t, row[0]))
					credit = debit
				case form == "xero" && !strings.HasPrefix(row[5], "-"):
					debit.Add(debit, amountOf(t, row[5]))
				case form == "xero":
					credit.Sub(credit, amountOf(t, row[5]))
				case form != "datev":
					debit.Add(debit, amountOf(t, row[columns[form][0]]))
					credit.Add(credit, amountOf(t, row[columns[form][1]]))
				}
				if form == "journal-csv" && row[4] != "" {
					tokens.Add(tokens, amountOf(t, row[14]))
				}
			}
			require.Zero(t, debit.Cmp(credit), "%s by %s: %v %v", form, by, debit, credit)
			// the rounding entry may correct asset accounts against each other: then the sums of both
			// sides are larger than the total, by what the rounding account has on both.
			require.GreaterOrEqual(t, debit.Cmp(total), 0)
			require.LessOrEqual(t, new(big.Rat).Sub(debit, total).Cmp(big.NewRat(5, 100)), 0)
			if form == "journal-csv" {
				want := new(big.Rat).SetFrac(amountOf(t, wei).Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
				require.Zero(t, tokens.Cmp(want), "%v %v", tokens, want)
			}
		}
	}
	stdout, stderr, code := fees(booking("xero", append([]string{"--dry-run"}, priced...)...)...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "Journal of fees of moonbeam, 2026-01, by day")
	require.Contains(t, stdout, "report           agrees: 0.953115035178067180 GLMR, 0.22 EUR")
	require.NotContains(t, stdout, "*Narration")
}

// Files that a product limits have a manifest; a name that DATEV does not import, a missing chart,
// a missing price and flags for other forms are refused, and leave no file.
func TestSummaryFiles(t *testing.T) {
	directory := bookedMonth(t)
	chart, err := os.ReadFile("chart.csv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("small.csv", append([]byte("# rows per file: 4\n"), chart...), 0o600))
	args := append(booking("journal-csv", "--summarise", "transaction", "-o", "january.csv"), priced...)
	for i, arg := range args {
		if arg == "chart.csv" {
			args[i] = "small.csv"
		}
	}
	_, stderr, code := fees(args...)
	require.Equal(t, exitOK, code, stderr)
	text, err := os.ReadFile("january-manifest.json")
	require.NoError(t, err)
	var manifest struct {
		Files []struct {
			Name string
			Rows int
		}
	}
	require.NoError(t, json.Unmarshal(text, &manifest))
	require.Greater(t, len(manifest.Files), 8)
	rows := 0
	for i, file := range manifest.Files {
		require.Equal(t, fmt.Sprintf("january-%03d.csv", i+1), file.Name)
		content, err := os.ReadFile(file.Name)
		require.NoError(t, err)
		require.Equal(t, 1+file.Rows, strings.Count(string(content), "\n"))
		require.LessOrEqual(t, file.Rows, 4)
		rows += file.Rows
	}
	require.GreaterOrEqual(t, rows, 2*18)
	_, stderr, code = fees(append(booking("datev", "-o", "EXTF_january.csv"), priced...)...)
	require.Equal(t, exitOK, code, stderr)
	require.FileExists(t, filepath.Join(directory, "EXTF_january.csv"))

	require.NoError(t, os.WriteFile("half.csv", []byte("# source: test\n2026-02-01,1\n"), 0o600))
	for want, args := range map[string][]string{
		"DATEV imports only files whose names begin with EXTF_":         append(booking("datev", "-o", "no.csv"), priced...),
		"no price in EUR for 1 day: 2026-01-31. Add the missing prices": booking("xero", "-o", "no.csv", "--prices", "half.csv", "--fiat", "EUR"),
		"a journal is in the currency of the books":                     booking("xero", "-o", "no.csv"),
		"needs a chart of accounts":                                     append([]string{"export", "--as", "xero", "--month", "2026-01", "--accounts", "Payroll"}, priced...),
		"--dry-run and --summarise are for quickbooks":                  {"export", "--as", "hledger", "--dry-run", "--accounts", "Payroll"},
		"--as csv is a list of fees, and --chart is for journals":       booking("csv"),
		`--summarise "year"`:                                            booking("xero", "--summarise", "year"),
		"name the first part of their names with -o":                    args[:len(args)-4],
		"--names is for hledger, beancount and ledger":                  booking("xero", "--names", "accounts.csv"),
		"is for rules of a chart":                                       {"export", "--as", "hledger", "--tags", "x.csv", "--accounts", "Payroll"},
	} {
		if want == "name the first part of their names with -o" {
			args = append(booking("journal-csv", "--summarise", "transaction"), priced...)
			for i, arg := range args {
				if arg == "chart.csv" {
					args[i] = "small.csv"
				}
			}
		}
		_, stderr, code := fees(args...)
		require.Equal(t, exitUsage, code, "%s: %s", want, stderr)
		require.Contains(t, stderr, want)
	}
	require.NoFileExists(t, "no.csv")
}

// A fee that is not known is in no journal: it is listed, and the exit code says so.
func TestSummaryUndetermined(t *testing.T) {
	t.Parallel()
	recording, place := altered(t, "blocks/3.json", func(text string) string {
		return strings.NewReplacer(`"Executed"`, `"Forgotten"`, `"Withdraw"`, `"Frozen"`).Replace(text)
	})
	prices, chart := filepath.Join(recording, "prices.csv"), filepath.Join(recording, "chart.csv")
	require.NoError(t, os.WriteFile(prices, []byte("# source: test\n2026-01-01,1000\n"), 0o600))
	require.NoError(t, os.WriteFile(chart, []byte("# asset: 1500\n# rounding: 6859\naccount\n6810\n"), 0o600))
	stdout, stderr, code := fees("export", "--as", "netsuite", "--accounts", alith, "--ledger", place, "--chart", chart, "--prices", prices, "--fiat", "EUR", "--summarise", "transaction")
	require.Equal(t, exitFinding, code, stderr)
	require.Contains(t, stderr, "4 fees are undetermined and not in any total:\n  3-4, unknown payer: ")
	require.NotContains(t, stdout, "fee 3-4")
	require.Contains(t, stdout, "fee 4-4")
	require.Contains(t, stderr, "agrees: 0.002100000000000000 GLMR, 2.10 EUR")
}

// fees accounts check names the rule of each fee, the rules that placed none, and the suspense.
func TestAccountsCheck(t *testing.T) {
	bookedMonth(t)
	require.NoError(t, os.WriteFile("tags.csv", []byte("hash,tag\n2-4,cold\n"), 0o600))
	check := []string{"accounts", "check", "--chart", "chart.csv", "--month", "2026-01", "--accounts", "group:company,group:payroll"}
	stdout, stderr, code := fees(append(check, "--tags", "tags.csv")...)
	require.Equal(t, exitFinding, code, stderr)
	for _, want := range []string{
		"1-5   Operations        balances.transferKeepAlive", "6811     line 10   1521   line 10  200          11", "2-4   Customer refunds", "6813     line 12   1523   line 12",
		"9999     suspense  1500   line 3", "line 12     1\n", "fees                      18\n",
	} {
		require.Contains(t, stdout, want)
	}
	stdout, _, code = fees(append(check, "--format", "csv")...)
	require.Equal(t, exitFinding, code)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+18)
	require.NoError(t, os.WriteFile("chart.csv", []byte("account,asset\n6810,1510\n"), 0o600))
	_, stderr, code = fees(check...)
	require.Equal(t, exitOK, code, stderr)
	_, stderr, code = fees(check[:2]...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--chart")
}

// The text journals use the chart too.
func TestTextJournalsWithChart(t *testing.T) {
	bookedMonth(t)
	for _, form := range []string{"hledger", "ledger"} {
		stdout, stderr, code := fees(booking(form)...)
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, "    ; cost_centre: 200\n    6812  0.021797132753844000 GLMR\n    1522  -0.021797132753844000 GLMR\n")
	}
	_, stderr, code := fees(booking("beancount")...)
	require.NotEqual(t, exitOK, code)
	require.Contains(t, stderr, "is not below one of Assets")
}

// A package holds the journals that fees export writes, byte for byte, by day or by month, and keeps them if it is closed
// again without --as. What a journal needs is named.
func TestClosePosted(t *testing.T) {
	dir := filepath.Join(bookedMonth(t), "posted-january")
	closed := func(more ...string) []string {
		return append([]string{"close", "--month", "2026-01", "--accounts", "group:company,group:payroll", "--gateway", "gateway", "-o", dir}, more...)
	}
	chart := append([]string{"--chart", "chart.csv"}, priced...)
	for _, by := range []string{"day", "month"} {
		stdout, stderr, code := fees(closed(append([]string{"--as", "xero,datev,journal-csv,ledger", "--company", "Example GmbH", "--summarise", by}, chart...)...)...)
		require.Equal(t, exitOK, code, stdout+stderr)
		for form, name := range map[string]string{"xero": "xero.csv", "datev": "EXTF_datev.csv", "journal-csv": "journal-csv.csv"} {
			want, stderr, code := fees(booking(form, append([]string{"--summarise", by}, priced...)...)...)
			require.Equal(t, exitOK, code, stderr)
			have, err := os.ReadFile(filepath.Join(dir, "posted", name))
			require.NoError(t, err)
			require.Equal(t, want, string(have), "%s by %s", form, by)
		}
		_, stderr, code = fees("close", "--check", dir, "--gateway", "gateway")
		require.Equal(t, exitOK, code, stderr)
	}
	stdout, stderr, code := fees(closed()...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "journals: ledger, xero, datev, journal-csv, kept from the version before; name others with --as")
	require.Contains(t, stdout, "unchanged: every byte is the same")
	stdout, stderr, code = fees(closed("--as", "hledger")...)
	require.Equal(t, exitOK, code, stderr)
	require.NotContains(t, stdout, "posted/")

	for want, args := range map[string][]string{
		"--summarise is for quickbooks, xero, netsuite, datev, journal-csv; name them with --as": closed("--summarise", "month"),
		"a package has one journal in tokens; choose hledger or ledger":                          closed("--as", "hledger,ledger"),
		"needs a chart of accounts: name the file with --chart":                                  closed(append([]string{"--as", "xero"}, priced...)...),
		"name --prices and --fiat":                   closed("--as", "xero", "--chart", "chart.csv"),
		"--with movements needs a journal in tokens": closed(append([]string{"--as", "xero", "--with", "movements"}, chart...)...),
	} {
		_, stderr, code := fees(args...)
		require.Equal(t, exitUsage, code, stderr)
		require.Contains(t, stderr, want)
	}
}
