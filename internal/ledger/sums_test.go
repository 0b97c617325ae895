package ledger_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// ever is a period of all blocks with a time.
var ever = ledger.Period{To: func() chain.Time {
	t, err := chain.TimeAt(uint64(time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()))
	if err != nil {
		panic(err)
	}
	return t
}()}

// totalled returns the totals of a period, each key once, as texts.
func totalled(book *ledger.Book, p ledger.Period, by ledger.TotalsBy) (map[string]ledger.Sums, []string, error) {
	found := map[string]ledger.Sums{}
	rules, err := book.Totals(ctx, p, chain.Heights{Last: math.MaxInt64}, by, func(x *ledger.Total) error {
		if x.EVM+x.Native == 0 { // a time without transactions
			return nil
		}
		key := fmt.Sprint(x.Start, x.Layer, x.Call, x.Contract, x.Account)
		sums := found[key]
		err := sums.Add(&x.Sums)
		sums.Blocks, sums.Inherents = 0, 0
		found[key] = sums
		return err
	}, func(uint64) {})
	return found, rules, err
}

// addedUp computes the same from single transactions.
func addedUp(t *testing.T, book *ledger.Book, p ledger.Period, by ledger.TotalsBy) (map[string]ledger.Sums, []string) {
	found, rules := map[string]ledger.Sums{}, map[string]bool{}
	require.NoError(t, each(book.Transactions(ctx, in(chain.Heights{Last: math.MaxInt64})), func(payment *ledger.Transaction) error {
		c := &payment.Cost
		if !p.Has(c.Height, c.Time) {
			return nil
		}
		at, _ := c.Time.Get()
		var start chain.Optional[chain.Time]
		switch y, m, d := at.Std().Date(); by {
		case ledger.ByQuarterHour:
			start = chain.Some(timeOf(at.Std().Truncate(15 * time.Minute)))
		case ledger.ByDay, ledger.ByContractDay, ledger.ByAccountDay:
			start = chain.Some(timeOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)))
		case ledger.ByMonth:
			start = chain.Some(timeOf(time.Date(y, m, 1, 0, 0, 0, 0, time.UTC)))
		}
		var layer fee.Layer
		var call string
		var contract, account chain.Optional[chain.Address]
		switch by {
		case ledger.ByContract, ledger.ByContractDay:
			layer, call = c.Layer, c.Call
			if c.Layer == fee.EVM {
				contract = c.Recipient
			}
		case ledger.ByAccount, ledger.ByAccountDay:
			account = c.Payer
		}
		key := fmt.Sprint(start, layer, call, contract, account)
		x, err := ledger.SumsOf(c)
		require.NoError(t, err)
		sums := found[key]
		require.NoError(t, sums.Add(&x))
		found[key] = sums
		rules[c.Rules] = true
		return nil
	}))
	return found, slices.Sorted(maps.Keys(rules))
}

var everyTotal = []ledger.TotalsBy{ledger.ByQuarterHour, ledger.ByDay, ledger.ByMonth, ledger.ByContract, ledger.ByAccount, ledger.ByContractDay, ledger.ByAccountDay}

// The totals of any period equal the sums of its transactions, also if times go backwards, if payers are unknown, and if
// the last day and month still grow.
func TestTotalsOfPeriods(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		random := rand.New(rand.NewPCG(1, 2))
		at := time.Date(2025, 11, 29, 21, 0, 0, 0, time.UTC)
		var entries []*ledger.Entry
		var parent chain.Hash
		const blocks = 150
		for height := range uint64(blocks) {
			at = at.Add(time.Duration(random.IntN(2*3600)) * time.Second)
			when := at
			if random.IntN(10) == 0 { // back by up to three days
				when = at.Add(-time.Duration(random.IntN(3*24)) * time.Hour)
			}
			m := makeBlock(height, hashOf(height, 0), parent, fmt.Sprint(random.IntN(1000)))
			m.Report.Transactions[0].GasPrice = chain.Some(chain.NewGasPrice(uint64(random.IntN(100))))
			if random.IntN(20) == 0 {
				m.Report.Rules = "made up later"
			}
			if random.IntN(8) == 0 {
				m.Report.Transactions, m.Report.Totals = nil, evidence.Totals{}
			} else if random.IntN(8) == 0 {
				m.unpaid()
			}
			entries, parent = append(entries, m.at(uint64(when.UnixMilli())).entry(t)), hashOf(height, 0)
		}
		book := written(t, newPlace(), madeUpChain, entries)
		verified(t, book)
		periods := []ledger.Period{ever, heights(0, blocks-1), {From: timeAt(t, "2025-12-01T00:00:00Z"), To: timeAt(t, "2026-01-01T00:00:00Z")}}
		for range 20 {
			first := uint64(random.IntN(blocks))
			periods = append(periods, heights(first, first+uint64(random.IntN(blocks))))
			begin := time.Date(2025, 11, 29, 0, random.IntN(6*24*4)*15, 0, 0, time.UTC)
			if random.IntN(3) == 0 {
				begin = begin.Add(time.Duration(random.IntN(1000)) * time.Second)
			}
			end := begin.Add(time.Duration(random.IntN(8*24*4)) * 15 * time.Minute)
			periods = append(periods, ledger.Period{From: timeAt(t, begin.Format(time.RFC3339)), To: timeAt(t, end.Format(time.RFC3339))})
		}
		for _, p := range periods {
			for _, by := range everyTotal {
				want, wantRules := addedUp(t, book, p, by)
				have, rules, err := totalled(book, p, by)
				require.NoError(t, err)
				require.Equal(t, want, have, "%v by %d", p, by)
				require.Equal(t, wantRules, rules, "%v by %d", p, by)
			}
		}
	})
}
