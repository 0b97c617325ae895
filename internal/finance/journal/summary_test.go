package journal_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/money"
)

// A month that is worked out by hand: a token costs 0.20 EUR on the 1st, 0.30 EUR on the 2nd.
//
//	1st  A  0.1 GLMR = 0.020    2nd  A  0.02 GLMR = 0.006
//	     B  0.12     = 0.024         B  0.01      = 0.003
//
// The sum is 0.053, so the month is 0.05 EUR: A 0.026 and B 0.027, floors 0.02 and 0.02, one cent
// more for B with the larger remainder.
func TestByHand(t *testing.T) {
	payments := fees{
		payment(t, 1, "2026-01-01T12:00:00Z", 1, "100000000000000000"), payment(t, 2, "2026-01-01T13:00:00Z", 2, "120000000000000000"),
		payment(t, 3, "2026-01-02T12:00:00Z", 1, "20000000000000000"), payment(t, 4, "2026-01-02T13:00:00Z", 2, "10000000000000000"),
	}
	q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-01-01,0.20\n2026-01-02,0.30\n", "EUR")}
	q.Chart = readChart(t, settings+"label,account,asset,cost_centre\nA,6810,1510,100\nB,6811,1511,200\n")
	q.Labels = labels(t, addressbook.Entry{Address: chain.Address20([20]byte{19: 1}), Label: "A"}, addressbook.Entry{Address: chain.Address20([20]byte{19: 2}), Label: "B"})

	type line struct{ entry, account, cost, debit, credit string }
	of := func(by journal.By) (lines []line) {
		q.By = by
		j := summarise(t, payments, q)
		require.Equal(t, "0.053", j.Exact.String())
		require.Equal(t, "0.05", j.Money(j.Total))
		require.Equal(t, "250000000000000000", j.Wei.String())
		for _, e := range entries(t, j) {
			list, err := e.Lines()
			require.NoError(t, err)
			for _, l := range list {
				x := line{e.Reference + " " + e.Date.Format(time.DateOnly), string(l.Account), l.Value(chart.CostCentre), j.Money(l.Amount), ""}
				if !l.Debit {
					x.debit, x.credit = "", x.debit
				}
				lines = append(lines, x)
			}
		}
		return lines
	}
	require.Equal(t, []line{
		{"FEE-GLMR-202601 2026-01-31", "6810", "100", "0.02", ""}, {"FEE-GLMR-202601 2026-01-31", "6811", "200", "0.03", ""},
		{"FEE-GLMR-202601 2026-01-31", "1510", "", "", "0.02"}, {"FEE-GLMR-202601 2026-01-31", "1511", "", "", "0.03"},
	}, of(journal.ByMonth))
	// By day, 0.044 is 0.04 = 0.02 + 0.02, and 0.009 is 0.01: A's remainder 0.006 is larger than B's
	// 0.003. A would have 0.03 of its 0.02, and B 0.02 of its 0.03: the rounding entry corrects both.
	require.Equal(t, []line{
		{"FEE-GLMR-20260101 2026-01-01", "6810", "100", "0.02", ""}, {"FEE-GLMR-20260101 2026-01-01", "6811", "200", "0.02", ""},
		{"FEE-GLMR-20260101 2026-01-01", "1510", "", "", "0.02"}, {"FEE-GLMR-20260101 2026-01-01", "1511", "", "", "0.02"},
		{"FEE-GLMR-20260102 2026-01-02", "6810", "100", "0.01", ""}, {"FEE-GLMR-20260102 2026-01-02", "6811", "200", "0.00", ""},
		{"FEE-GLMR-20260102 2026-01-02", "1510", "", "", "0.01"}, {"FEE-GLMR-20260102 2026-01-02", "1511", "", "", "0.00"},
		{"FEE-GLMR-20260102R 2026-01-02", "1510", "", "0.01", ""}, {"FEE-GLMR-20260102R 2026-01-02", "6859", "", "0.01", ""},
		{"FEE-GLMR-20260102R 2026-01-02", "6859", "", "", "0.01"}, {"FEE-GLMR-20260102R 2026-01-02", "1511", "", "", "0.01"},
	}, of(journal.ByDay))
	require.Equal(t, line{"FEE-GLMR-1-4 2026-01-01", "6810", "100", "0.02", ""}, of(journal.ByTransaction)[0])
}

// Days and months are those of the zone.
func TestZoneOfASummary(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	q := journal.Request{By: journal.ByMonth, Zone: zone, Prices: readPrices(t, "2026-01-31,1\n2026-02-01,1\n", "EUR")}
	q.Chart = readChart(t, settings+"account\n6810\n")
	j := summarise(t, fees{payment(t, 1, "2026-01-31T22:59:59Z", 1, "1000000000000000000"), payment(t, 2, "2026-01-31T23:00:00Z", 1, "1000000000000000000")}, q)
	list := entries(t, j)
	require.Len(t, list, 2)
	require.Equal(t, "2026-01-31", list[0].Date.Format(time.DateOnly))
	require.Equal(t, "2026-02-28", list[1].Date.Format(time.DateOnly))
}

// What cannot be booked is counted or an error, and never zero.
func TestUnknownInASummary(t *testing.T) {
	q := journal.Request{Format: journal.CSV, By: journal.ByDay, Prices: readPrices(t, "2026-01-01,0.20\n", "EUR")}
	q.Chart = readChart(t, settings+"label,account\nA,6810\n")
	known, unknown := payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000"), payment(t, 2, "2026-01-01T12:00:00Z", 1, "")
	withoutPayer := payment(t, 3, "2026-01-01T12:00:00Z", 1, "5")
	withoutPayer.Payer = chain.Optional[chain.Address]{}
	later := payment(t, 4, "2026-01-03T12:00:00Z", 1, "7")
	j := summarise(t, fees{known, unknown, withoutPayer}, q)
	require.EqualValues(t, 2, j.Undetermined)
	require.EqualValues(t, 1, j.Fees)
	require.EqualValues(t, 1, j.Suspense.Fees)
	require.Equal(t, "1-4", j.Suspended[0].Facts.ID)
	require.EqualValues(t, "9999", entries(t, j)[0].Postings[0].Account)

	_, err := journal.Summarise(context.Background(), paymentsOf(t, fees{known, later}), q)
	var missing *money.MissingError
	require.ErrorAs(t, err, &missing)
	q.Partial = true
	j = summarise(t, fees{known, later}, q)
	require.EqualValues(t, 1, j.Unpriced.Fees)
	require.Equal(t, "7", j.Unpriced.Wei.String())
	require.Equal(t, "0.20", j.Money(j.Total))

	for text, want := range map[string]string{
		"label,account\nA,6810\n":                       `no rule of the chart has an account for the fee of 1-4, ethereum.transact of 0x0000000000000000000000000000000000000001; add a rule, or the line "# suspense: ACCOUNT"`,
		"account\n6810\n":                               `no asset account for 0x0000000000000000000000000000000000000001; fill in the chart's column asset, or add the line "# asset: ACCOUNT"`,
		"account,asset\n6810,6810\n":                    "6810 is the expense account and the asset account of the fee of 1-4; name another one",
		"# asset: 1\naccount\n6810\n# rounding: 6810\n": "",
	} {
		q.Chart = readChart(t, text)
		_, err := journal.Summarise(context.Background(), paymentsOf(t, fees{known}), q)
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
	q.Chart = readChart(t, "account,asset\n6810,1510\n")
	q.By = journal.ByTransaction
	_, err = journal.Summarise(context.Background(), paymentsOf(t, fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "20000000000000000"), payment(t, 2, "2026-01-01T12:00:00Z", 1, "20000000000000000")}), q)
	require.EqualError(t, err, `the entry FEE--20260101R needs a rounding account; add the line "# rounding: ACCOUNT" to the chart`)
	timeless := payment(t, 1, "2026-01-01T12:00:00Z", 1, "5")
	timeless.Time = chain.Optional[chain.Time]{}
	_, err = journal.Summarise(context.Background(), paymentsOf(t, fees{timeless}), q)
	require.ErrorIs(t, err, chain.ErrMissing)
	list := entries(t, summarise(t, nil, q))
	require.Empty(t, list)
}

// randomMonth is a month of random fees in a random chart.
func randomMonth(t testing.TB, r *rand.Rand, count int) (fees, journal.Request, map[string]string) {
	prices := map[string]string{}
	list := january(func(day int) string {
		price := fmt.Sprintf("%d.%0*d1", r.IntN(3), 1+r.IntN(10), r.IntN(10_000))
		prices[fmt.Sprintf("2026-01-%02d", day)] = price
		return price
	})
	rows := "payer,layer,account,asset,cost_centre,class,location\n"
	for payer := 1; payer <= 5; payer++ {
		if r.IntN(4) > 0 {
			rows += fmt.Sprintf("0x%040x,%s,%d,%d,%s,%s,%s\n", payer, []string{"", "evm", "native"}[r.IntN(3)], 6810+r.IntN(3), 1510+r.IntN(3),
				[]string{"", "100", "200"}[r.IntN(3)], []string{"", "A"}[r.IntN(2)], []string{"", "North"}[r.IntN(2)])
		}
	}
	if r.IntN(2) == 0 {
		rows += ",evm,6812,,,,\n"
	}
	q := journal.Request{By: []journal.By{journal.ByTransaction, journal.ByDay, journal.ByMonth}[r.IntN(3)], Prices: readPrices(t, list, "EUR")}
	q.Chart = readChart(t, settings+rows+",,,1599,,,\n")
	var payments fees
	for i := range count {
		digits := 1 + r.IntN(21) // from a wei to a thousand tokens
		wei := new(big.Int)
		for range digits {
			wei.Add(wei.Mul(wei, big.NewInt(10)), big.NewInt(int64(r.IntN(10))))
		}
		p := payment(t, uint64(i+1), fmt.Sprintf("2026-01-%02dT%02d:00:00Z", 1+r.IntN(31), r.IntN(24)), byte(1+r.IntN(6)), wei.String())
		if r.IntN(3) == 0 {
			p.Layer, p.Call, p.EVMHash = fee.Native, "balances.transfer", chain.Optional[chain.Hash]{}
		}
		payments = append(payments, p)
	}
	return payments, q, prices
}

// On 1,000 random months: entries balance, nothing is lost to the wei before rounding and to the
// cent after it, and the rounding account explains the rest. The test calculates with fractions.
func TestRandomMonths(t *testing.T) {
	months := 1000
	if testing.Short() {
		months = 250
	}
	rounded := 0
	for seed := range months {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		payments, q, prices := randomMonth(t, r, r.IntN(40))
		wei, exact := new(big.Int), new(big.Rat)
		for _, p := range payments {
			paid, _ := p.Paid().Get()
			amount, _ := new(big.Int).SetString(paid.String(), 10)
			wei.Add(wei, amount)
			at, _ := p.Time.Get()
			value := new(big.Rat).SetFrac(amount, new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
			exact.Add(exact, value.Mul(value, rat(t, prices[at.Std().Format(time.DateOnly)])))
		}
		j := summarise(t, payments, q)
		require.Equal(t, wei.String(), j.Wei.String(), seed)
		require.Zero(t, exact.Cmp(rat(t, j.Exact.String())), "seed %d: %v %v", seed, exact, j.Exact)
		total := halfUp(exact)
		require.Zero(t, total.Cmp(rat(t, j.Total.String())), "seed %d: %v %v", seed, total, j.Total)

		inLines, posted, rounding := new(big.Int), new(big.Rat), new(big.Rat)
		assets, exactAssets := map[string]*big.Rat{}, map[string]*big.Rat{}
		numbers := map[string]bool{}
		list := entries(t, j)
		for i, e := range list {
			require.False(t, numbers[e.Reference], "seed %d: %s", seed, e.Reference)
			numbers[e.Reference] = true
			require.Equal(t, e.Rounding, i == len(list)-1 && e.Rounding, "the rounding entry is the last")
			lines, err := e.Lines()
			require.NoError(t, err)
			debit, credit := new(big.Rat), new(big.Rat)
			for _, l := range lines {
				amount := rat(t, l.Amount.String())
				require.GreaterOrEqual(t, amount.Sign(), 0)
				signed := new(big.Rat).Neg(amount)
				if l.Debit {
					debit.Add(debit, amount)
					signed.Neg(signed)
					w, _ := new(big.Int).SetString(l.Wei.String(), 10)
					inLines.Add(inLines, w)
				} else {
					credit.Add(credit, amount)
				}
				switch {
				case l.Account == "6859":
					rounding.Add(rounding, signed)
				case l.Account < "2000":
					if assets[string(l.Account)] == nil {
						assets[string(l.Account)] = new(big.Rat)
					}
					assets[string(l.Account)].Sub(assets[string(l.Account)], signed)
				}
			}
			require.Zero(t, debit.Cmp(credit), "seed %d: entry %s: %v %v", seed, e.Reference, debit, credit)
			if !e.Rounding {
				posted.Add(posted, debit)
				sum := new(big.Rat)
				for _, p := range e.Postings {
					x := rat(t, p.Exact.String())
					sum.Add(sum, x)
					apart := new(big.Rat).Sub(x, rat(t, p.Amount.String()))
					require.Negative(t, apart.Abs(apart).Cmp(big.NewRat(1, 100)), "a posting is less than a cent from its exact amount")
					if exactAssets[string(p.Contra)] == nil {
						exactAssets[string(p.Contra)] = new(big.Rat)
					}
					exactAssets[string(p.Contra)].Add(exactAssets[string(p.Contra)], x)
				}
				require.Zero(t, halfUp(sum).Cmp(debit), "seed %d: entry %s", seed, e.Reference)
			} else {
				rounded++
			}
		}
		require.Equal(t, wei.String(), inLines.String(), "the debit lines have every wei")
		require.Zero(t, rounding.Cmp(new(big.Rat).Sub(total, posted)), "seed %d: the rounding account has what the entries lack", seed)
		require.Zero(t, rounding.Cmp(rat(t, j.Rounding.String())), seed)
		taken := new(big.Rat)
		for account, sum := range assets {
			taken.Add(taken, sum)
			apart := new(big.Rat).Sub(sum, exactAssets[account])
			require.Negative(t, apart.Abs(apart).Cmp(big.NewRat(1, 100)), "seed %d: %s has its exact total to the cent", seed, account)
		}
		require.Zero(t, taken.Cmp(total), "seed %d: the asset accounts give the total", seed)
		debits, credits := j.Sums()
		require.True(t, debits.Equal(credits))
	}
	require.Greater(t, rounded, months/4, "the months test the rounding entry")
}

// A report that is a wei apart, or the smallest part of a cent, is a difference.
func TestCompare(t *testing.T) {
	q := journal.Request{By: journal.ByDay, Prices: readPrices(t, "2026-01-01,0.20\n", "EUR"), Partial: true}
	q.Chart = readChart(t, settings+"account\n6810\n")
	j := summarise(t, fees{payment(t, 1, "2026-01-01T12:00:00Z", 1, "1000000000000000000"), payment(t, 2, "2026-01-02T12:00:00Z", 1, "7")}, q)
	worth := func(text string) chain.Optional[money.Amount] {
		at, _ := payment(t, 1, "2026-01-01T12:00:00Z", 1, "1").Time.Get()
		return money.Value(q.Prices.Valuer(), wei(t, text), chain.Some(at))
	}
	require.NoError(t, j.Compare(wei(t, "1000000000000000007"), worth("1000000000000000000")))
	require.NoError(t, j.Compare(wei(t, "1000000000000000007"), chain.Optional[money.Amount]{}))
	var difference *journal.TieError
	require.ErrorAs(t, j.Compare(wei(t, "1000000000000000008"), worth("1000000000000000000")), &difference)
	require.EqualError(t, j.Compare(wei(t, "1000000000000000007"), worth("1000000000000000001")), "the report has 0.2000000000000000002 EUR charged, and the journal 0.2 EUR; nothing is written")
}
