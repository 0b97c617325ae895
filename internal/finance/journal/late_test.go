package journal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/money"
)

// A line says that it contains a fee at the last known price, and the remarks name the day.
func TestLastKnownPrice(t *testing.T) {
	list, err := money.ReadFiles([]money.File{{Name: "a.csv", Text: []byte("# source: test\n2026-01-01,0.20\n")}}, money.Options{Fiat: "EUR", LastKnown: true})
	require.NoError(t, err)
	fees := fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000"), payment(t, 2, "2026-01-02T12:00:00Z", 1, "1000000000000000000")}
	for by, want := range map[journal.By][]string{
		journal.ByDay:   {"fees 2026-01-01", "fees 2026-01-02, last known price"},
		journal.ByMonth: {"fees 2026-01, last known price"},
	} {
		q := journal.Request{By: by, Prices: list}
		q.Chart = readChart(t, settings+"account\n6810\n")
		j := summarise(t, fees, q)
		var memos []string
		for _, e := range entries(t, j) {
			memos = append(memos, e.Postings[0].Memo)
		}
		require.Equal(t, want, memos)
		require.Equal(t, "0.40", j.Money(j.Total))
		require.Equal(t, "LAST KNOWN PRICE: 1 day without a price: 2026-01-02 (price of 2026-01-01)", j.Remarks()[1])
	}
	q := journal.Request{By: journal.ByTransaction, Prices: list}
	q.Chart = readChart(t, settings+"account\n6810\n")
	all := entries(t, summarise(t, fees, q))
	require.NotContains(t, all[0].Postings[0].Memo, "last known")
	require.Regexp(t, ", last known price$", all[1].Postings[0].Memo)
}
