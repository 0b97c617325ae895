package app_test

import (
	"fmt"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
)

// analytics is the document, cut at its headings.
func analytics(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/analytics.md")
	require.NoError(t, err)
	sections := map[string]string{}
	for _, part := range regexp.MustCompile(`(?m)^##+ `).Split(string(text), -1) {
		name, rest, _ := strings.Cut(part, "\n")
		sections[name] = rest
	}
	return sections
}

// statements are those of a section, about the files in a directory.
func statements(t testing.TB, section, dir string) (list []string) {
	t.Helper()
	for _, block := range strings.Split(section, "```sql\n")[1:] {
		code, _, ok := strings.Cut(block, "```")
		require.True(t, ok)
		for one := range strings.SplitSeq(strings.ReplaceAll(code, "'lake/", "'"+dir+"/"), ";") {
			if one = strings.TrimSpace(one); one != "" {
				list = append(list, one)
			}
		}
	}
	require.NotEmpty(t, list)
	return list
}

var datasetTables = []string{"blocks", "transactions", "movements", "transfers", "unclassified"}

// views returns the statement of a section, which creates the view of blocks, for every table.
func views(t testing.TB, section, dir string) (list []string) {
	t.Helper()
	create := statements(t, section, dir)
	require.Len(t, create, 1)
	for _, table := range datasetTables {
		list = append(list, strings.NewReplacer("VIEW blocks", "VIEW "+table, "/blocks/", "/"+table+"/").Replace(create[0]))
	}
	return list
}

// documentedColumns returns the columns that a section lists, each with its type (VARCHAR where none is stated).
func documentedColumns(t testing.TB, section string) []string {
	t.Helper()
	_, text, ok := strings.Cut(section, "```text\n")
	require.True(t, ok)
	text, _, ok = strings.Cut(text, "\n```")
	require.True(t, ok)
	columns := strings.Split(strings.ReplaceAll(text, ",\n", ", "), ", ")
	for i, column := range columns {
		if !strings.Contains(column, " ") {
			columns[i] = column + " VARCHAR"
		}
	}
	return columns
}

// The queries of docs/analytics.md give what the recorded blocks have: what was charged, and
// the balances before and after, were found when they were recorded. Its columns are those of
// the files.
func TestAnalyticsDocument(t *testing.T) {
	dir := t.TempDir()
	place := copied(t)
	_, err := datasetOf(t, place, dir, func(q *app.DatasetRequest) { q.Period.Partial = true })
	require.NoError(t, err)
	document := analytics(t)
	queries := statements(t, document["Queries"], dir)
	require.Len(t, queries, 10)
	whole, err := opened(t, place).Report(t.Context(), app.Request{Period: app.Heights(3, 27)}, report.Choice{By: report.Account})
	require.NoError(t, err)
	everybody := func(sent) bool { return true }
	evm := func(s sent) bool { return s.Family == "evm" }

	for _, e := range []*engine{&duckDB, &clickHouse} {
		t.Run(e.name, func(t *testing.T) {
			setup := views(t, document[e.name], dir)
			answers := e.ask(t, append(setup, queries...)...)[len(setup):]

			sum, n := charges(t, everybody)
			require.Len(t, answers[0], 1)
			month := answers[0][0]
			require.Equal(t, "moonbeam", month.text(t, "network"))
			require.Equal(t, "2026", month.text(t, "year"))
			require.Equal(t, "1", month.text(t, "month"))
			require.Equal(t, fmt.Sprint(n), month.text(t, "transactions"))
			require.Equal(t, sum, month.text(t, "charges"))
			require.Equal(t, sum, month.text(t, "fees"), "none drifts")
			require.Equal(t, "0", month.text(t, "fees_not_known"))
			went := new(big.Int)
			for _, column := range []string{"burnt", "to_treasury", "to_author"} {
				went.Add(went, bigNumber(t, month.text(t, column)))
			}
			require.Equal(t, sum, went.String())

			ofEVM := new(big.Int)
			before := bigNumber(t, answers[1][0].text(t, "charges"))
			for _, r := range answers[1] {
				require.NotNil(t, r["contract"])
				charged := bigNumber(t, r.text(t, "charges"))
				require.LessOrEqual(t, charged.Cmp(before), 0, "the greatest first")
				before = charged
				ofEVM.Add(ofEVM, charged)
			}
			sum, _ = charges(t, evm)
			require.Equal(t, sum, ofEVM.String())

			sum, n = charges(t, of(alith))
			require.Len(t, answers[2], 1)
			require.Equal(t, sum, answers[2][0].text(t, "charges"))
			require.Equal(t, fmt.Sprint(n), answers[2][0].text(t, "transactions"))

			balances := recordedBalances()[address(t, alith)]
			change := new(big.Int).Sub(balances[27].Free.Big(), balances[1].Free.Big())
			require.Len(t, answers[3], 1)
			require.Equal(t, change.String(), answers[3][0].text(t, "free_change"))
			require.Equal(t, "0", answers[3][0].text(t, "changes_not_known"))

			require.Len(t, answers[4], 1)
			require.Equal(t, "0", answers[4][0].text(t, "undetermined"))

			added := func(rows []row, column string) string {
				total := new(big.Int)
				for _, r := range rows {
					total.Add(total, bigNumber(t, r.text(t, column)))
				}
				return total.String()
			}
			require.Equal(t, fmt.Sprint(whole.Totals.EVMFailed+whole.Totals.NativeFailed), added(answers[5], "failed"))

			var largest []*big.Int
			for _, s := range allSent(t) {
				largest = append(largest, bigNumber(t, s.Charged))
			}
			slices.SortFunc(largest, func(a, b *big.Int) int { return b.Cmp(a) })
			require.Len(t, answers[6], 10)
			for i, r := range answers[6] {
				require.Equal(t, largest[i].String(), r.text(t, "charged"))
			}

			sum, n = charges(t, everybody)
			require.Equal(t, sum, added(answers[7], "charges"))
			require.Equal(t, fmt.Sprint(n), added(answers[7], "transactions"))

			sum, n = charges(t, func(s sent) bool { return of(alith)(s) || of(baltathar)(s) })
			require.Equal(t, sum, added(answers[8], "charges"))
			require.Equal(t, fmt.Sprint(n), added(answers[8], "transactions"))

			require.Equal(t, change.String(), added(answers[9], "free_change"))
			require.Equal(t, "0", added(answers[9], "changes_not_known"))
		})
	}
	t.Run("columns", func(t *testing.T) {
		for _, table := range datasetTables {
			var have []string
			for _, r := range duckDB.ask(t, "DESCRIBE SELECT * FROM read_parquet('"+dir+"/"+table+"/**/*.parquet', hive_partitioning = false)")[0] {
				kind := strings.TrimSuffix(r.text(t, "column_type"), " WITH TIME ZONE")
				have = append(have, r.text(t, "column_name")+" "+kind)
			}
			require.Equal(t, documentedColumns(t, document[table]), have, table)
		}
	})
}

func bigNumber(t testing.TB, text string) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return n
}
