package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// For people, what the ledger lacks in a row is one row: all its days are there, and each fee once.
func TestShown(t *testing.T) {
	book, _ := kept(t, generated(400), 400)
	period := days(t, "2025-01-01", "2025-02-01", time.UTC)
	fees := func(s *table.Sheet) (rows int, sum chain.SignedWei) {
		at := -1
		for i, c := range s.Columns {
			if c.Name == "fee" {
				at = i
			}
		}
		_, err := s.Each(func(row []table.Cell) error {
			rows++
			if fee, known := row[at].Wei(); known {
				var err error
				sum, err = sum.Add(fee)
				require.NoError(t, err)
			}
			return nil
		})
		require.NoError(t, err)
		return rows, sum
	}
	for _, by := range []report.By{report.Day, report.Hour, report.Month, report.Layer} {
		r := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: period})
		all, sum := fees(r.Sheet())
		shown, same := fees(r.Shown())
		require.LessOrEqual(t, shown, all)
		require.Equal(t, sum.String(), same.String())
		q := report.Request{Choice: report.Choice{By: by}}
		c := halves(t, book, q, period, period, 0)
		_, both := fees(c.Shown())
		require.Equal(t, sum.String(), both.String())
		require.Empty(t, c.Part())
		x, y := made(t, book, report.Request{Choice: report.Choice{By: by}, Compared: true, Period: period}), made(t, book, report.Request{Choice: report.Choice{By: by}, Compared: true, Period: period})
		part, err := report.Compare(x, y, &report.Same{Now: made(t, book, report.Request{Choice: report.Choice{By: by}, Compared: true, Period: period}), Before: made(t, book, report.Request{Choice: report.Choice{By: by}, Compared: true, Period: period}), Part: "a part"}, 0)
		require.NoError(t, err)
		_, cut := fees(part.Shown())
		require.Equal(t, sum.String(), cut.String())
		require.Contains(t, part.Part(), "a part")
		require.Equal(t, r.Totals.Fee.String(), part.Totals.Now.Fee.String())
		none, err := report.Compare(x, y, &report.Same{Part: "nothing"}, 0)
		require.NoError(t, err)
		require.Contains(t, none.Part(), "nothing")
		_, err = none.Shown().Each(func([]table.Cell) error { return nil })
		require.NoError(t, err)
	}
	for _, by := range report.MarkedGroupings() {
		require.True(t, by.Marked())
	}
	require.False(t, report.Day.Marked())
	require.Equal(t, failure.NotUnderstood, (&report.TooManyGroupsError{}).Kind())
	require.Equal(t, "50.00", must(report.Percent(chain.NewWei(3), chain.NewWei(2))))
	require.False(t, report.Percent(chain.NewWei(3), chain.Wei{}).Known())
}

func must(o chain.Optional[string]) string { text, _ := o.Get(); return text }
