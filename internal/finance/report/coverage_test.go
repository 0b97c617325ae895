package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// spread returns blocks 40 to 300 of a chain with a block every two hours from 2025-03-20 on, over a change of the clocks.
func spread(t testing.TB) (book *ledger.Book, timeOf func(uint64) time.Time, paidIn map[uint64]uint64) {
	begin, every := time.Date(2025, 3, 20, 0, 0, 0, 0, time.UTC), 2*time.Hour
	made := chaingen.New(chaingen.Options{Seed: 7, Head: 300, Begin: begin, Every: every})
	book, reports := keptFrom(t, &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}, 40, 300)
	paidIn = map[uint64]uint64{}
	for _, r := range reports {
		paidIn[r.Number] = uint64(len(r.Transactions))
	}
	return book, func(height uint64) time.Time { return begin.Add(time.Duration(height-1) * every) }, paidIn
}

// Each hour, day or month of a period has its group, one beside the other, also without transactions; each contains the
// transactions of the blocks of its time; and its coverage is what the times of the first and the last block allow.
func TestSlots(t *testing.T) {
	book, timeOf, paidIn := spread(t)
	known, until := timeOf(40), timeOf(300)
	for _, name := range []string{"UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Sao_Paulo"} {
		zone := location(t, name)
		for _, ends := range [][2]string{{"2025-03-01", "2025-04-01"}, {"2025-04-01", "2025-05-01"}, {"2025-03-28", "2025-04-07"}, {"2025-01-01", "2026-01-01"}, {"2025-05-01", "2025-06-01"}} {
			period := days(t, ends[0], ends[1], zone)
			for _, by := range []report.By{report.Hour, report.Day, report.Month} {
				if by == report.Hour && ends[0] == "2025-01-01" { // a year of hours takes long
					continue
				}
				r := made(t, book, report.Request{Choice: report.Choice{By: by}, Period: period, Zone: zone})
				at, all := period.From.Std(), uint64(0)
				for _, g := range r.Groups {
					require.True(t, at.Equal(g.Slot.Begin), "%s %s: %v", by, name, g.Slot.Begin)
					at = g.Slot.End
					want, count := "partial", uint64(0)
					for height, paid := range paidIn {
						if moment := timeOf(height); !moment.Before(g.Slot.Begin) && moment.Before(g.Slot.End) {
							count += paid
						}
					}
					switch {
					case g.Slot.Begin.After(known) && !g.Slot.End.After(until):
						want = "complete"
					case !g.Slot.End.After(known) || g.Slot.Begin.After(until):
						want = "none"
					}
					require.Equal(t, want, g.Slot.String(), "%s %s from %v", by, name, g.Slot.Begin)
					require.Equal(t, count, g.EVM+g.Native, "%s %s from %v", by, name, g.Slot.Begin)
					all += count
				}
				require.True(t, at.Equal(period.To.Std()), "%s %s: %v", by, name, at)
				require.Equal(t, all, r.Totals.EVM+r.Totals.Native)
			}
		}
	}
}

// What the ledger lacks is empty in data and words for people; a day without payments is 0.
func TestLackingIsNotZero(t *testing.T) {
	book, _, _ := spread(t)
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Day, Only: only(t, "status=out_of_gas")}, Period: days(t, "2025-04-01", "2025-05-01", time.UTC)})
	r.Part = "known part, to 13 Apr 22:00, 12.9 of 30 days"
	var out bytes.Buffer
	require.NoError(t, r.Document().Write(&out, "csv", 0))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 31)
	zeros := 0
	for _, line := range lines[1:] {
		switch line[1] {
		case "none":
			require.Greater(t, line[0], "2025-04-13")
			require.Empty(t, strings.Join(line[2:], ""), line[0])
		case "partial":
			require.Equal(t, "2025-04-13", line[0])
			require.NotEmpty(t, line[2])
		default:
			if require.NotEmpty(t, line[2]); line[2] == "0" {
				zeros++
			}
		}
	}
	require.NotZero(t, zeros) // otherwise nothing was tested

	require.NoError(t, r.Document().Write(&out, "table", 200))
	text := out.String()
	require.Contains(t, text, "2025-04-13                to 22:00")
	require.Regexp(t, `\n2025-04-14 to 2025-04-30  not in the ledger *\n`, text)
	require.Contains(t, text, "\nknown part ")
	require.Contains(t, text, "\nknown part, to 13 Apr 22:00, 12.9 of 30 days:\n")

	out.Reset()
	require.NoError(t, r.Document().Write(&out, "html", 0))
	require.Contains(t, out.String(), "2025-04-14 to 2025-04-30</td><td>not in the ledger")
	require.Contains(t, out.String(), "fee, known part, to 13 Apr 22:00, 12.9 of 30 days")
	require.Contains(t, out.String(), `class="gap"`)
}

// A false time of a block does not hide the fees of the others: the hours without transactions between them are then left
// out. A period of times with too many hours is an error.
func TestTimesFarApart(t *testing.T) {
	book, _, paidIn := spread(t)
	all := uint64(0)
	for _, paid := range paidIn {
		all += paid
	}
	q := report.Request{Choice: report.Choice{By: report.Day}, Period: heights(40, 300)}
	whole := made(t, book, q)
	require.Len(t, whole.Groups, 22) // 23 March to 13 April
	report.LimitSlots(t, 21)
	r := made(t, book, q)
	require.Equal(t, all, r.Totals.EVM+r.Totals.Native)
	require.Equal(t, len(paid(whole.Groups)), len(r.Groups))
	require.Nil(t, r.Chart(nil, func(string) string { return "" }))
	require.Contains(t, r.Notes, "more than 21 days lie between the times of the blocks: those without transactions are not listed")
	var out bytes.Buffer
	for _, form := range []string{"table", "csv", "json", "xlsx", "html"} {
		require.NoError(t, r.Document().Write(&out, form, 80), form)
	}
	q.Period = days(t, "2025-03-01", "2025-04-01", time.UTC)
	q.Zone = time.UTC
	q.Cover, _ = book.Cover(t.Context(), q.Period)
	_, err := report.Make(t.Context(), book, q, func(_, _ uint64) {})
	require.ErrorAs(t, err, new(*report.TooManyGroupsError))
}
