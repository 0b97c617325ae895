package report_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// Random marks: each group sums the transactions that got its mark, added up here from the reports of the
// blocks, and all groups together are the ledger's own totals to the wei.
func TestMarksAddUp(t *testing.T) {
	const head = 80
	book, blocks := kept(t, generated(head), head)
	all := made(t, book, report.Request{Choice: report.Choice{By: report.Layer}, Period: heights(0, head)})
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		marks, want, suspended := map[string]string{}, map[string]*big.Int{}, 0
		for _, b := range blocks {
			for _, x := range b.Transactions {
				mark := fmt.Sprint("mark ", random.IntN(5))
				marks[fmt.Sprintf("%d-%d", b.Number, x.Index)] = mark
				if want[mark] == nil {
					want[mark] = new(big.Int)
				}
				if mark == "mark 0" {
					suspended++
				}
				if fee, ok := x.Fee.Get(); ok {
					want[mark].Add(want[mark], fee.Big())
				}
			}
		}
		for _, by := range report.MarkedGroupings() {
			r := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: heights(0, head), Marker: func(_ context.Context, x *ledger.Transaction) (report.Mark, error) {
				mark := marks[x.Place().String()]
				return report.Mark{Name: mark, Suspense: mark == "mark 0"}, nil
			}})
			require.Equal(t, all.Totals, r.Totals)
			require.Len(t, r.Groups, len(want))
			for _, g := range r.Groups {
				mark, known := g.Mark.Get()
				require.True(t, known)
				require.Equal(t, mark, g.Name(console.Token{}))
				require.Equal(t, want[mark].String(), g.Fee.String())
			}
			require.Contains(t, r.Notes[0], fmt.Sprintf("no rule of the chart matches %d transaction", suspended))
		}
	}
}

// What no rule of the chart matches is listed, and an error of the files ends the report.
func TestMarkedReport(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	q := report.Request{Choice: report.Choice{By: report.AccountCode}, Period: heights(0, 27), Marker: func(_ context.Context, x *ledger.Transaction) (report.Mark, error) {
		if x.Call == "ethereum.transact" {
			return report.Mark{Name: "6810 <b>"}, nil
		}
		return report.Mark{Name: "9999", Suspense: true}, nil
	}}
	r := made(t, book, q)
	golden(t, "account-code.txt", func(w *bytes.Buffer) error { return r.Document().Write(w, "table", 100) })
	golden(t, "account-code.json", func(w *bytes.Buffer) error { return r.Document().JSON(w) })
	require.NotContains(t, string(written(t, "html", r)), "<b>")

	failed := fmt.Errorf("two tags")
	q.Marker = func(context.Context, *ledger.Transaction) (report.Mark, error) { return report.Mark{}, failed }
	cover, err := book.Cover(t.Context(), q.Period)
	require.NoError(t, err)
	q.Cover = cover
	_, err = report.Make(t.Context(), book, q, func(uint64, uint64) {})
	require.ErrorIs(t, err, failed)
}
