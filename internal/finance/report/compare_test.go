package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// halves returns a comparison of two periods.
func halves(t testing.TB, book *ledger.Book, q report.Request, now, before ledger.Period, top int) *report.Comparison {
	q.Compared = true
	q.Period = now
	x := made(t, book, q)
	q.Period = before
	y := made(t, book, q)
	x.Name, y.Name = "now", "before"
	c, err := report.Compare(x, y, nil, top)
	require.NoError(t, err)
	return c
}

// byHand computes a percentage of integers by definition, rounding half a hundredth away from zero.
func byHand(now, before *big.Int) string {
	if before.Sign() == 0 {
		return ""
	}
	scaled := new(big.Int).Mul(new(big.Int).Sub(now, before), big.NewInt(10_000))
	negative := scaled.Sign() < 0
	scaled.Abs(scaled)
	scaled.Add(scaled.Lsh(scaled, 1), before) // floor((2n + d) / 2d)
	hundredths := scaled.Div(scaled, new(big.Int).Lsh(before, 1))
	digits := hundredths.String()
	for len(digits) < 3 {
		digits = "0" + digits
	}
	text := digits[:len(digits)-2] + "." + digits[len(digits)-2:]
	if negative && hundredths.Sign() != 0 {
		text = "-" + text
	}
	return text
}

// In every grouping, each difference is current minus previous, each percentage follows its definition, and the rows of
// both sides add up to the totals of each separate report.
func TestCompareAddsUp(t *testing.T) {
	book := month(t)
	list, err := money.Read([]byte(priceFiles()["day"]), "EUR")
	require.NoError(t, err)
	now, before := days(t, "2026-02-11", "2026-03-01", time.UTC), days(t, "2026-02-01", "2026-02-11", time.UTC)
	for _, by := range report.Groupings() {
		if !tier.Takes(string(by)) {
			continue
		}
		first, second := now, before
		if by == report.Block {
			first, second = heights(400, monthHead), heights(1, 399)
		}
		for _, top := range []int{0, 3} {
			if testing.Short() && top == 0 {
				continue
			}
			c := halves(t, book, report.Request{Choice: report.Choice{By: by}, Prices: list}, first, second, top)
			var text bytes.Buffer
			require.NoError(t, table.WriteCSV(&text, c.Sheet()))
			rows, err := csv.NewReader(&text).ReadAll()
			require.NoError(t, err)
			at := map[string]int{}
			for i, name := range rows[0] {
				at[name] = i
			}
			separate := map[string]map[string]string{"": totalsAlone(t, c.Now), "_before": totalsAlone(t, c.Before)}
			for _, figure := range []string{"evm", "native", "evm_failed", "native_failed", "fee", "evm_fee", "native_fee", "charged", "burned", "gas"} {
				sums := map[string]*big.Int{"": new(big.Int), "_before": new(big.Int), "_difference": new(big.Int)}
				for _, row := range rows[1:] {
					for part, sum := range sums {
						sum.Add(sum, number(t, row[at[figure+part]]))
					}
					x, y := number(t, row[at[figure]]), number(t, row[at[figure+"_before"]])
					require.Equal(t, new(big.Int).Sub(x, y).String(), row[at[figure+"_difference"]], "%s by %s", figure, by)
					require.Equal(t, byHand(x, y), row[at[figure+"_percent"]], "%s by %s: %v and %v", figure, by, x, y)
				}
				for _, part := range []string{"", "_before"} {
					require.Equal(t, separate[part][figure], sums[part].String(), "%s%s by %s, top %d", figure, part, by, top)
				}
			}
			worth := chain.Some(money.NothingIn("EUR"))
			for _, p := range c.Pairs {
				worth = money.Sum(worth, p.Before.FeeWorth)
			}
			sum, known := worth.Get()
			require.True(t, known)
			total, known := c.Before.Totals.FeeWorth.Get()
			require.True(t, known)
			require.Equal(t, total.Exact(), sum.Exact())
		}
	}
}

// totalsAlone returns the totals in a report's own JSON.
func totalsAlone(t testing.TB, r *report.Report) map[string]string {
	var text bytes.Buffer
	require.NoError(t, r.Document().JSON(&text))
	var document struct{ Totals map[string]any }
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&document))
	totals := map[string]string{}
	for name, value := range document.Totals {
		switch v := value.(type) {
		case string:
			totals[name] = v
		case json.Number:
			totals[name] = v.String()
		}
	}
	return totals
}

// Days and hours are paired by their position in the period, regardless of the number of days.
func TestComparePlaces(t *testing.T) {
	book := month(t)
	pairs := func(by report.By, now, before ledger.Period, zone *time.Location) (list []string) {
		for _, p := range halves(t, book, report.Request{Choice: report.Choice{By: by}, Zone: zone}, now, before, 0).Pairs {
			list = append(list, p.Now.Name(console.Token{})+" "+p.Before.Name(console.Token{}))
		}
		return list
	}
	utc := time.UTC
	require.Equal(t, []string{"2026-02-04 2026-02-01", "2026-02-05 2026-02-02", "2026-02-06 2026-02-03"}, pairs(report.Day, days(t, "2026-02-04", "2026-02-07", utc), days(t, "2026-02-01", "2026-02-04", utc), utc))
	require.Equal(t, []string{"2026-02-04 2026-02-01", "not known 2026-02-02"}, pairs(report.Day, days(t, "2026-02-04", "2026-02-05", utc), days(t, "2026-02-01", "2026-02-03", utc), utc), "unpaired days of a longer period")
	require.Equal(t, []string{"2026-02 2026-02"}, pairs(report.Month, days(t, "2026-02-04", "2026-02-07", utc), days(t, "2026-02-01", "2026-02-04", utc), utc))
	require.Equal(t, []string{"402 400", "403 401"}, pairs(report.Block, heights(402, 403), heights(400, 401), utc))
	hours := pairs(report.Hour, days(t, "2026-02-05", "2026-02-06", location(t, "Asia/Kolkata")), days(t, "2026-02-04", "2026-02-05", location(t, "Asia/Kolkata")), location(t, "Asia/Kolkata"))
	require.Len(t, hours, 24)
	for _, pair := range hours {
		require.Equal(t, strings.ReplaceAll(pair[:25], "02-05", "02-04"), pair[26:])
	}
}

// An unknown fee has neither a difference nor a percentage; a previous figure of 0 has no
// percentage.
func TestCompareUnknown(t *testing.T) {
	book := month(t)
	var kept []string
	for line := range strings.Lines(priceFiles()["day"]) {
		if !strings.HasPrefix(line, "2026-02-02") {
			kept = append(kept, line)
		}
	}
	list, err := money.Read([]byte(strings.Join(kept, "")), "EUR")
	require.NoError(t, err)
	c := halves(t, book, report.Request{Choice: report.Choice{By: report.Day}, Prices: list, PartialPrices: true, Partial: []string{"Known part: sample"}}, days(t, "2026-02-04", "2026-02-07", time.UTC), days(t, "2026-02-01", "2026-02-04", time.UTC), 0)
	var text bytes.Buffer
	require.NoError(t, c.Document().JSON(&text))
	var document struct {
		Before struct{ Prices struct{ Missing []string } }
		Groups []map[string]any
		Totals map[string]any
		Notes  []string
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &document))
	require.Equal(t, []string{"2026-02-02"}, document.Before.Prices.Missing)
	for _, name := range []string{"fee_before_eur", "fee_difference_eur", "fee_eur_percent"} {
		require.Nil(t, document.Groups[1][name], name)
		require.NotNil(t, document.Groups[0][name], name)
		require.Nil(t, document.Totals[name], name)
	}
	require.NotNil(t, document.Groups[1]["fee_percent"])
	require.Nil(t, document.Totals["undetermined_percent"])
	require.IsType(t, "", document.Totals["gas_difference"])
	require.Equal(t, "Known part: sample", document.Notes[0])
	for _, width := range []int{60, 80, 120, 200} {
		text.Reset()
		require.NoError(t, c.Document().Write(&text, "table", width))
		require.Contains(t, text.String(), "not known")
		table, _, _ := strings.Cut(text.String(), "hidden columns")
		require.Equal(t, width == 200, strings.Contains(table, "fee before GLMR"), width)
	}
	text.Reset()
	require.NoError(t, table.WriteXLSX(&text, c.Sheets()...))
	require.NoError(t, table.WriteParquet(&text, c.Sheet()))
}

// Ranges of heights are also compared by hours, days and months: each starts with its first block, so the first
// groups are paired.
func TestCompareHeights(t *testing.T) {
	book := month(t)
	for _, by := range []report.By{report.Hour, report.Day, report.Month} {
		c := halves(t, book, report.Request{Choice: report.Choice{By: by}}, heights(400, monthHead), heights(1, 399), 0)
		require.Equal(t, c.Now.Holds() && c.Before.Holds(), c.Holds())
		require.Equal(t, c.Now.Groups[0].Name(console.Token{}), c.Pairs[0].Now.Name(console.Token{}))
		require.Equal(t, c.Before.Groups[0].Name(console.Token{}), c.Pairs[0].Before.Name(console.Token{}))
		now, before := new(big.Int), new(big.Int)
		for _, p := range c.Pairs {
			now.Add(now, number(t, p.Now.Fee.String()))
			before.Add(before, number(t, p.Before.Fee.String()))
		}
		require.Equal(t, c.Now.Totals.Fee.String(), now.String())
		require.Equal(t, c.Before.Totals.Fee.String(), before.String())
	}

	top := halves(t, book, report.Request{Choice: report.Choice{By: report.Contract}}, heights(400, monthHead), heights(1, 399), 2)
	require.Len(t, top.Pairs, 3)
	var text, object strings.Builder
	require.NoError(t, top.Document().Write(&text, "table", 160))
	require.Contains(t, text.String(), " others ")
	require.NoError(t, top.Document().JSON(&object))
	require.True(t, json.Valid([]byte(object.String())))
	require.Contains(t, object.String(), `"others": `)
}
