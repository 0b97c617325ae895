package app_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// paidAt is what the transactions of a block paid.
type paidAt struct {
	at  time.Time
	fee *big.Int
}

// entriesOf prices blocks of a chain, and returns what each paid.
func entriesOf(t *testing.T, o chaingen.Options, first, last uint64) (entries []*ledger.Entry, paid []paidAt) {
	t.Helper()
	prover := prove.Prover{Reader: &source.Reader{Source: chaingen.New(o).Source(), Tables: network.BuiltIn()}, Concurrency: 2}
	for p, err := range prover.Range(t.Context(), chain.Heights{First: first, Last: last}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		entries = append(entries, e)
		sum := new(big.Int)
		for _, x := range p.Report.Transactions {
			if fee, known := x.Fee.Get(); known {
				sum.Add(sum, fee.Big())
			}
		}
		paid = append(paid, paidAt{o.Begin.Add(time.Duration(p.Report.Number-1) * o.Every), sum})
	}
	return entries, paid
}

// ledgerOf is a ledger of these blocks.
func ledgerOf(t *testing.T, entries []*ledger.Entry) (place string) {
	t.Helper()
	place = file(t)
	book, err := ledger.OpenWriter(t.Context(), place)
	require.NoError(t, err)
	require.NoError(t, book.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, entries[0].Height()))
	require.NoError(t, book.Write(t.Context(), entries))
	_, err = book.Seal(t.Context())
	require.NoError(t, err)
	require.NoError(t, book.Close())
	return place
}

// span is the time of an hour, a day or a month.
type span struct{ begin, end time.Time }

func (s *span) length() time.Duration { return s.end.Sub(s.begin) }

// spansOf finds the hours, days and months of the days of a period by looking at the clock every 15 minutes.
func spansOf(by report.By, first, last time.Time, zone *time.Location) map[string]*span {
	const step = 15 * time.Minute
	spans := map[string]*span{}
	for at := first.AddDate(0, 0, -2); at.Before(last.AddDate(0, 0, 3)); at = at.Add(step) {
		local := at.In(zone)
		if day := local.Format(time.DateOnly); day < first.Format(time.DateOnly) || day > last.Format(time.DateOnly) {
			continue
		}
		key := local.Format(map[report.By]string{report.Hour: "2006-01-02T15:00:00-07:00", report.Day: time.DateOnly, report.Month: "2006-01"}[by])
		if spans[key] == nil {
			spans[key] = &span{begin: at}
		}
		spans[key].end = at.Add(step)
	}
	return spans
}

// A row of two hours, days or months has a difference only if the ledger contains all of both, or the same time after their
// beginnings as far as both are that long: its figures are then those of that time. The rows of all whole slots have one.
func TestComparedSlots(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	zones := []string{"UTC", "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu"}
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return at
	}
	var whole, parts, apart int
	for _, c := range []struct {
		chaingen.Options
		head   uint64
		by     []report.By
		months bool
	}{
		{chaingen.Options{Seed: 3, Begin: day("2025-01-15"), Every: 7*time.Hour + 7*time.Minute}, 620, []report.By{report.Day, report.Month}, true},
		{chaingen.Options{Seed: 4, Begin: day("2025-03-27"), Every: 11 * time.Minute}, 1600, []report.By{report.Hour, report.Day}, false}, // clocks change on 30 March and 6 April
	} {
		c.Options.Head = c.head
		entries, paid := entriesOf(t, c.Options, 20, c.head)
		for range 5 / tier.Step(2) {
			first := random.IntN(len(entries) / 3)
			last := len(entries) - 1 - random.IntN(len(entries)/3)
			d := opened(t, ledgerOf(t, entries[first:last+1]))
			begins, ends := paid[first].at, paid[last].at
			known := func(at time.Time) bool { return !at.Before(begins) && !at.After(ends) }
			for range 30 {
				zone, by := zones[random.IntN(len(zones))], c.by[random.IntN(len(c.by))]
				days := 1 + random.IntN(6)
				from := [2]time.Time{begins.Truncate(24*time.Hour).AddDate(0, 0, -2), begins.Truncate(24*time.Hour).AddDate(0, 0, -2)}
				length := int(ends.Sub(begins)/(24*time.Hour)) + 2
				var to [2]time.Time
				for i := range from {
					if from[i] = from[i].AddDate(0, 0, random.IntN(length)); c.months {
						from[i] = time.Date(2025, time.Month(1+random.IntN(6)), 1, 0, 0, 0, 0, time.UTC)
						to[i] = from[i].AddDate(0, 1+days%3, -1)
						if random.IntN(3) == 0 { // days from within a month on
							from[i] = from[i].AddDate(0, 0, random.IntN(28))
							to[i] = from[i].AddDate(0, 0, 9*days)
						}
					} else {
						to[i] = from[i].AddDate(0, 0, days-1)
					}
				}
				name := func(i int) string { return from[i].Format(time.DateOnly) + ".." + to[i].Format(time.DateOnly) }
				title := fmt.Sprintf("%s with %s by %s in %s, known from %v to %v", name(0), name(1), by, zone, begins, ends)
				in, with := app.PeriodInput{Partial: true, Timezone: zone}, app.PeriodInput{Partial: true, Timezone: zone}
				in.Set(name(0))
				with.Set(name(1))
				made, err := d.Compare(t.Context(), app.Request{Period: parsed(t, in)}, report.Choice{By: by}, with)
				if _, outside := errors.AsType[*app.NotHeldError](err); outside {
					continue
				}
				require.NoError(t, err, title)
				location, err := time.LoadLocation(zone)
				require.NoError(t, err)
				now, before := spansOf(by, from[0], to[0], location), spansOf(by, from[1], to[1], location)
				aligned := zone == "UTC" && by == report.Day && !c.months
				sum, all := new(big.Int), true
				for _, row := range rowsOf(t, made.Sheet()) {
					a, b := now[row[string(by)]], before[row[string(by)+"_before"]]
					complete := func(s *span) bool { return begins.Before(s.begin) && !ends.Before(s.end) }
					compared := row["fee_difference"] != ""
					if a == nil || b == nil { // one period is longer
						continue
					}
					title := fmt.Sprintf("%s: %s", title, row[string(by)])
					isWhole := complete(a) && complete(b)
					require.False(t, isWhole && !compared, title)
					lower, upper := max(begins.Sub(a.begin), begins.Sub(b.begin), 0), min(ends.Sub(a.begin), ends.Sub(b.begin), a.length(), b.length())
					require.False(t, aligned && lower < upper && !compared, title)
					if !compared {
						apart++
						all = all && !(lower < upper)
						continue
					}
					difference, _ := new(big.Int).SetString(row["fee_difference"], 10)
					sum.Add(sum, difference)
					if isWhole {
						whole++
					} else {
						parts++
					}
					figure := func(s, other *span) string {
						sum := new(big.Int)
						for _, x := range paid[first : last+1] {
							after := x.at.Sub(s.begin)
							if after >= 0 && after < s.length() && (isWhole || known(other.begin.Add(min(after, other.length())))) {
								sum.Add(sum, x.fee)
							}
						}
						return sum.String()
					}
					require.Equal(t, []string{figure(a, b), figure(b, a)}, []string{row["fee"], row["fee_before"]}, title)
				}
				if aligned && all {
					require.Equal(t, made.Totals.Now.Fee.Difference(made.Totals.Before.Fee).String(), sum.String(), title)
				}
			}
		}
	}
	t.Logf("%d pairs of whole slots, %d of parts, %d apart", whole, parts, apart)
	require.True(t, whole > 1000/tier.Step(4) && parts > 50/tier.Step(4) && apart > 1000/tier.Step(4))
}
