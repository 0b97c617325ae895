package report_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// Transactions that selected accounts may have paid are in no total, and are counted: those they sent, and those of an unknown
// sender. The filter and the period hold for them too.
func TestUnknownPayers(t *testing.T) {
	list := sentIn(t, "moonbeam-2100")
	var mine []sent
	for _, s := range list {
		if s.From == list[0].From && s.Family == "evm" {
			mine = append(mine, s)
		}
	}
	others := list[1]
	require.Greater(t, len(mine), 3)
	require.NotEqual(t, mine[0].From, others.From)
	unpaid := map[string]bool{place(mine[1]): true, place(mine[2]): true, place(others): true}
	unsent := place(list[2])
	paid := new(big.Int)
	for _, s := range list {
		if s.From == mine[0].From && !unpaid[place(s)] {
			paid.Add(paid, number(t, s.Charged))
		}
	}
	book, _ := keptFrom(t, recorded(t, "moonbeam-2100"), 0, 27, func(r *evidence.Report) {
		for i := range r.Transactions {
			x := &r.Transactions[i]
			at := fmt.Sprintf("%d-%d", r.Number, x.Index)
			if unpaid[at] || at == unsent {
				x.Payer, x.Fee, x.Error = chain.Optional[chain.Address]{}, chain.Optional[chain.Wei]{}, &fee.Error{Block: r.Number, Extrinsic: x.Index, Err: errors.New("no rule")}
			}
			if at == unsent {
				x.From = chain.Optional[chain.Address]{}
			}
		}
	})
	account, err := chain.ParseAddress(mine[0].From)
	require.NoError(t, err)
	of := func(period ledger.Period, conditions ...string) *report.Report {
		return made(t, book, report.Request{Choice: report.Choice{By: report.Account, Only: only(t, conditions...)}, Payers: map[chain.Address]bool{account: true}, Period: period})
	}
	r := of(heights(0, 27))
	require.Equal(t, paid.String(), r.Totals.Charged.String())
	require.Contains(t, r.Notes, "payer not known for 3 transactions: they may belong to these accounts and are excluded from all totals")
	require.Contains(t, of(heights(0, uint64(mine[2].Height-1))).Notes, "payer not known for 2 transactions: they may belong to these accounts and are excluded from all totals")
	require.Contains(t, of(heights(mine[2].Height, 27)).Notes, "payer not known for 1 transaction: it may belong to these accounts and is excluded from all totals")
	for _, note := range of(heights(0, 27), "layer=native").Notes {
		require.NotContains(t, note, "payer not known")
	}
}

func place(s sent) string { return fmt.Sprintf("%d-%d", s.Height, s.Index) }

// The fee of what no rule of the chart matches is not complete if one of its fees is undetermined.
func TestUndeterminedSuspense(t *testing.T) {
	list := sentIn(t, "moonbeam-2100")
	book, _ := keptFrom(t, recorded(t, "moonbeam-2100"), 0, 27, func(r *evidence.Report) {
		for i := range r.Transactions {
			if x := &r.Transactions[i]; fmt.Sprintf("%d-%d", r.Number, x.Index) == place(list[0]) {
				x.Fee, x.Error = chain.Optional[chain.Wei]{}, &fee.Error{Block: r.Number, Extrinsic: x.Index, Err: errors.New("no rule")}
			}
		}
	})
	r := made(t, book, report.Request{Choice: report.Choice{By: report.AccountCode}, Period: heights(0, 27), Marker: func(_ context.Context, x *ledger.Transaction) (report.Mark, error) {
		at := x.Place().String()
		return report.Mark{Name: "9999", Suspense: at == place(list[0]) || at == place(list[1])}, nil
	}})
	require.Equal(t, "0.00315", "0.00"+list[1].Charged[:3]) // in the token
	require.Contains(t, r.Notes, "Suspense: no rule of the chart matches 2 transactions, fee 0.003150000000000000 GLMR and 1 undetermined: "+place(list[0])+", "+place(list[1]))
}

// The first moment of a day is not always 0:00: clocks that go forward at midnight skip it, those that go back repeat it.
func TestMidnight(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"UTC", "2026-01-31", "2026-01-31T00:00:00Z"}, {"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"}, {"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z"},
		{"Europe/Berlin", "2026-10-26", "2026-10-25T23:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"}, // 0:00-03:00 is 1:00-02:00
		{"America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"}, // 0:00-02:00 is 23:00-03:00 of the day before
		{"America/Havana", "2025-11-02", "2025-11-02T04:00:00Z"},    // 1:00-04:00 is 0:00-05:00
		{"America/Havana", "2025-03-09", "2025-03-09T05:00:00Z"},    // 0:00-05:00 is 1:00-04:00
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		require.NoError(t, err)
		require.Equal(t, c.want, report.Midnight(day, location(t, c.zone)).UTC().Format(time.RFC3339), "%s %s", c.zone, c.day)
	}
}

// A period of more hours than a report can show is an error that names the limit.
func TestTooManySlots(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	q := report.Request{Choice: report.Choice{By: report.Hour}, Period: days(t, "2014-01-01", "2030-01-01", time.UTC)} // 140,256 hours
	cover, err := book.Cover(t.Context(), q.Period)
	require.NoError(t, err)
	q.Cover = cover
	_, err = report.Make(t.Context(), book, q, func(uint64, uint64) {})
	var many *report.TooManyGroupsError
	require.ErrorAs(t, err, &many)
	require.ErrorContains(t, err, "100000")
}
