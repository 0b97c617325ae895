package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/source/prove"
)

const monthHead = 900

// monthFile is the file of a month's ledger.
var monthFile []byte

// month returns a copy of a generated ledger with blocks spread over February 2026.
func month(t testing.TB) *ledger.Book {
	place := filepath.Join(t.TempDir(), "fees.db")
	if monthFile == nil {
		require.NoError(t, makeMonth(t, place).Close())
		var err error
		monthFile, err = os.ReadFile(place)
		require.NoError(t, err)
	} else {
		require.NoError(t, os.WriteFile(place, monthFile, 0o600))
	}
	book, err := ledger.OpenWriter(t.Context(), place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

func makeMonth(t testing.TB, place string) *ledger.Book {
	ctx := context.Background()
	book, err := ledger.OpenWriter(ctx, place)
	require.NoError(t, err)
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0))
	start := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	var entries []*ledger.Entry
	prover := prove.Prover{Reader: generated(monthHead), Concurrency: 2}
	for p, err := range prover.Range(ctx, chain.Heights{Last: monthHead}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		if p.Block.Number > 0 {
			at, err := chain.TimeAt(uint64(start.Add(time.Duration(p.Block.Number-1) * 28 * 24 * time.Hour / monthHead).UnixMilli()))
			require.NoError(t, err)
			p.Report.Time = chain.Some(at)
		}
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
	}
	require.NoError(t, book.Write(ctx, entries))
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	return book
}

// priceFiles contain sample prices with 18 decimals that no rounding hides: by day, by day of a zone, by hour.
func priceFiles() map[string]string {
	files := map[string]string{"day": "# source: Sample\ndate,EUR,JPY\n", "zone": "# source: Sample\n# timezone: Europe/Berlin\ndate,EUR,JPY\n", "hour": "# source: Sample\nhour,EUR,JPY\n"}
	random := uint64(12345)
	price := func() string {
		random = random*6364136223846793005 + 1442695040888963407
		return fmt.Sprintf("%d.%018d", random%40, random>>5%1_000_000_000_000_000_000)
	}
	for at := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC); at.Month() != time.April; at = at.Add(time.Hour) {
		files["hour"] += fmt.Sprintf("%s,%s,%s\n", at.Format(time.RFC3339), price(), price())
		if at.Hour() == 0 {
			for _, name := range []string{"day", "zone"} {
				files[name] += fmt.Sprintf("%s,%s,%s\n", at.Format(time.DateOnly), price(), price())
			}
		}
	}
	return files
}

// byPython values each transaction at its own price, with Python's decimal and zoneinfo.
const byPython = `
import sys, json, csv, datetime, zoneinfo
from decimal import Decimal, getcontext, ROUND_HALF_UP
getcontext().prec = 200
rows, prices, by, code, zone, out = json.load(open(sys.argv[1])), {}, sys.argv[3], sys.argv[4], zoneinfo.ZoneInfo(sys.argv[5]), {}
lines = [l for l in open(sys.argv[2]) if not l.startswith('#')]
for line in csv.DictReader(lines):
    prices[line.get('date') or line['hour']] = Decimal(line[code])
hourly = lines[0].startswith('hour')
unit = Decimal(1) if code == 'JPY' else Decimal('0.01')
for r in rows:
    at = datetime.datetime.fromtimestamp(r['ms'] // 1000, datetime.timezone.utc)
    price = prices[at.strftime('%Y-%m-%dT%H:00:00Z') if hourly else at.astimezone(zone).strftime('%Y-%m-%d')]
    key = {'day': at.strftime('%Y-%m-%d'), 'month': at.strftime('%Y-%m')}.get(by) or r[by] or ''
    for k in (key, 'total'):
        for name in ('fee', 'charged'):
            have = out.setdefault(k, {}).setdefault(name, Decimal(0))
            out[k][name] = have + Decimal(r[name]) / Decimal(10) ** 18 * price
print(json.dumps({k: {n: str(x.quantize(unit, ROUND_HALF_UP)) for n, x in v.items()} for k, v in out.items()}))
`

// Amounts in a currency equal those of Python's decimal, to the last digit, whether the report reads totals of days, of
// quarters of an hour, or transactions.
func TestWorthAsPythonHasIt(t *testing.T) {
	python := program.Path(t, program.Python, "python3")
	book, dir := month(t), t.TempDir()
	period := days(t, "2026-02-01", "2026-03-01", time.UTC)
	var rows []map[string]any
	for c, err := range book.Transactions(t.Context(), ledger.Query{Span: chain.Heights{Last: monthHead}}) {
		require.NoError(t, err)
		at, timed := c.Time.Get()
		require.True(t, timed)
		fee, known := c.Fee.Get()
		require.True(t, known)
		charged, known := c.Charged.Get()
		require.True(t, known)
		payer, known := c.Payer.Get()
		require.True(t, known)
		rows = append(rows, map[string]any{"ms": at.Std().UnixMilli(), "fee": fee.String(), "charged": charged.String(), "account": payer.String(), "layer": string(c.Layer), "status": string(c.Layer) + " " + string(c.Outcome)})
	}
	require.Greater(t, len(rows), 1000)
	text, err := json.Marshal(rows)
	require.NoError(t, err)
	save := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	costs := save("rows.json", text)
	for name, file := range priceFiles() {
		path, zone := save(name+".csv", []byte(file)), "UTC"
		if name == "zone" {
			zone = "Europe/Berlin"
		}
		for _, code := range []string{"EUR", "JPY"} {
			list, err := money.Read([]byte(file), code)
			require.NoError(t, err)
			for _, by := range []report.By{report.Day, report.Month, report.Account, report.Layer, report.Status} {
				out, err := exec.CommandContext(t.Context(), python, "-c", byPython, costs, path, string(by), code, zone).CombinedOutput()
				require.NoError(t, err, "%s", out)
				var want map[string]struct{ Fee, Charged string }
				require.NoError(t, json.Unmarshal(out, &want))
				r := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: period, Prices: list})
				require.Len(t, r.Groups, len(want)-1)
				for _, g := range append(r.Groups, &report.Group{Figures: r.Totals}) {
					key := g.Name(console.Token{})
					if g.Name(console.Token{}) == "not known" {
						key = "total"
					}
					fee, known := g.FeeWorth.Get()
					require.True(t, known)
					charged, known := g.ChargedWorth.Get()
					require.True(t, known)
					require.Equal(t, want[key].Fee, fee.String(), "%s %s by %s: %s", name, code, by, key)
					require.Equal(t, want[key].Charged, charged.String(), "%s %s by %s: %s", name, code, by, key)
				}
			}
		}
	}
}

// The exact sums of the groups, in every grouping, and of the first groups and the rest, equal
// the total.
func TestWorthOfParts(t *testing.T) {
	book := month(t)
	period := days(t, "2026-02-01", "2026-03-01", time.UTC)
	list, err := money.Read([]byte(priceFiles()["day"]), "EUR")
	require.NoError(t, err)
	want := ""
	for _, by := range report.Groupings() {
		for _, top := range []int{0, 1, 3, 100_000} {
			if testing.Short() && top%3 != 0 {
				continue
			}
			r := made(t, book, report.Request{Choice: report.Choice{By: by, Top: top}, Period: period, Prices: list})
			sum, fee, count := chain.Some(money.NothingIn("EUR")), chain.Wei{}, uint64(0)
			for i, g := range r.Groups {
				sum = money.Sum(sum, g.FeeWorth)
				fee, err = fee.Add(g.Fee)
				require.NoError(t, err)
				n, others := g.Others.Get()
				require.Equal(t, others, top > 0 && i == top, "the others come last")
				if count++; others {
					count += n - 1
				} else if top > 1 && i > 0 {
					require.LessOrEqual(t, g.Fee.Cmp(r.Groups[i-1].Fee), 0)
				}
			}
			exact, known := sum.Get()
			require.True(t, known)
			total, known := r.Totals.FeeWorth.Get()
			require.True(t, known)
			require.Equal(t, total.Exact(), exact.Exact(), "by %s, top %d", by, top)
			require.Equal(t, r.Totals.Fee, fee)
			if want == "" {
				want = exact.Exact()
			}
			require.Equal(t, want, exact.Exact(), "by %s", by)
		}
	}
}

// A price that is missing is an error that names the day. If partial prices are allowed, dependent amounts are
// not known, and neither is the total.
func TestWorthWithoutAPrice(t *testing.T) {
	book := month(t)
	q := report.Request{Choice: report.Choice{By: report.Day}, Period: days(t, "2026-02-01", "2026-03-01", time.UTC)}
	var err error
	var kept []string
	for line := range strings.Lines(priceFiles()["day"]) {
		if !strings.HasPrefix(line, "2026-02-03") && !strings.HasPrefix(line, "2026-02-05") {
			kept = append(kept, line)
		}
	}
	q.Prices, err = money.Read([]byte(strings.Join(kept, "")), "EUR")
	require.NoError(t, err)
	cover, err := book.Cover(t.Context(), q.Period)
	require.NoError(t, err)
	q.Cover = cover
	_, err = report.Make(t.Context(), book, q, func(uint64, uint64) {})
	require.EqualError(t, err, "no price in EUR for 2 days: 2026-02-03, 2026-02-05")
	q.PartialPrices = true
	r := made(t, book, q)
	for _, g := range r.Groups {
		require.Equal(t, g.Name(console.Token{}) != "2026-02-03" && g.Name(console.Token{}) != "2026-02-05", g.FeeWorth.Known(), g.Name(console.Token{}))
	}
	require.False(t, r.Totals.FeeWorth.Known())
	var text bytes.Buffer
	require.NoError(t, r.Document().JSON(&text))
	require.Contains(t, text.String(), `"fee_eur": null`)
	require.Contains(t, text.String(), `"2026-02-03"`)
	text.Reset()
	require.NoError(t, r.Document().Write(&text, "table", 100))
	require.Regexp(t, `(?m)^fee EUR +not known$`, text.String())
	require.Contains(t, text.String(), "no price in EUR for 2 days")
	text.Reset()
	require.NoError(t, r.Document().HTML(&text))
	require.Contains(t, text.String(), "not known")
	text.Reset()
	require.NoError(t, table.WriteCSV(&text, r.Sheet()))
	require.Contains(t, text.String(), "fee,fee_token,fee_eur,evm_fee,")
}

// The first groups and the rest, in each format.
func TestTopForms(t *testing.T) {
	book := month(t)
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Account, Top: 2}, Period: days(t, "2026-02-01", "2026-03-01", time.UTC)})
	var text bytes.Buffer
	require.NoError(t, r.Document().Write(&text, "table", 120))
	require.Regexp(t, `(?m)^[0-9,]+ others +[0-9]+ `, text.String())
	require.Contains(t, text.String(), ", top 2 by fee\n")
	text.Reset()
	require.NoError(t, r.Document().JSON(&text))
	require.Equal(t, 2, strings.Count(text.String(), `"others": null`))
	require.Regexp(t, `"account": null,\s+"others": [0-9]+,`, text.String())
	text.Reset()
	require.NoError(t, r.Document().HTML(&text))
	require.Regexp(t, `<td>[0-9,]+ others</td>`, text.String())
	text.Reset()
	require.NoError(t, table.WriteCSV(&text, r.Sheet()))
	require.True(t, strings.HasPrefix(text.String(), "account,others,evm,"))
	text.Reset()
	require.NoError(t, table.WriteTable(&text, r.Sheet(), math.MaxInt))
}
