package report_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source/prove"
)

const generatedHead = 30

// changed returns a modified ledger of generated blocks, and its file.
func changed(t *testing.T, change func(*evidence.Report)) (*ledger.Book, string) {
	t.Helper()
	ctx := context.Background()
	place := filepath.Join(t.TempDir(), "fees.db")
	book, err := ledger.OpenWriter(ctx, place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0))
	prover := prove.Prover{Reader: generated(generatedHead), Concurrency: 2}
	for p, err := range prover.Range(ctx, chain.Heights{Last: generatedHead}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(t, err)
		change(p.Report)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(t, err)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{e}))
	}
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	return book, place
}

func timeAt(t *testing.T, at time.Time) chain.Optional[chain.Time] {
	t.Helper()
	converted, err := chain.TimeAt(uint64(at.UnixMilli()))
	require.NoError(t, err)
	return chain.Some(converted)
}

// The first findings are listed, and all are counted.
func TestFindings(t *testing.T) {
	book, _ := changed(t, func(r *evidence.Report) {
		r.Findings = nil
		if r.Number >= 20 && r.Number < 28 {
			r.Findings = []evidence.Finding{{Check: "made.up", Block: r.Number, Message: "nothing"}}
		}
		if r.Number == 21 {
			r.Findings[0].Extrinsic = chain.Some(2)
		}
	})
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Layer}, Period: heights(0, generatedHead)})
	require.EqualValues(t, 8, r.Findings)
	require.False(t, r.Holds())
	require.Equal(t, []string{
		"finding: block 20: made.up: nothing", "finding: block 21, extrinsic 2: made.up: nothing", "finding: block 22: made.up: nothing",
		"finding: block 23: made.up: nothing", "finding: block 24: made.up: nothing", fmt.Sprintf("3 more findings; list them with: fees verify 0..%d", generatedHead),
	}, r.Notes)
	fewer := made(t, book, report.Request{Choice: report.Choice{By: report.Layer}, Period: heights(23, generatedHead)})
	require.EqualValues(t, 5, fewer.Findings)
	require.Len(t, fewer.Notes, 5)
}

// A block whose own time is outside the period is excluded even if its neighbours are inside, with a
// note.
func TestBlocksOfAnotherTime(t *testing.T) {
	fees := map[uint64]chain.Wei{}
	book, _ := changed(t, func(r *evidence.Report) {
		at := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)
		if r.Number == 10 || r.Number == 12 {
			at = time.Date(2024, 4, 5, 0, 0, 0, 0, time.UTC)
		}
		if r.Number > 0 {
			r.Time = timeAt(t, at.Add(time.Duration(r.Number)*time.Second))
		}
		r.Findings = nil
		fees[r.Number] = r.Totals.Fee
	})
	march := made(t, book, report.Request{Choice: report.Choice{By: report.Month}, Period: days(t, "2024-03-01", "2024-04-01", time.UTC)})
	require.Contains(t, march.Notes, "excluded from the blocks 1..30, because their own time is outside the period: 10 12 (possibly more)")
	april := made(t, book, report.Request{Choice: report.Choice{By: report.Month}, Period: days(t, "2024-04-01", "2024-05-01", time.UTC)})
	require.Contains(t, strings.Join(april.Notes, "\n"), "excluded from the blocks 10..12, because their own time is outside the period: 11 (possibly more)")
	sum := func(wanted func(height uint64) bool) (sum chain.Wei) {
		var err error
		for height, wei := range fees {
			if wanted(height) {
				sum, err = sum.Add(wei)
				require.NoError(t, err)
			}
		}
		return sum
	}
	late := func(height uint64) bool { return height == 10 || height == 12 }
	require.False(t, sum(late).IsZero())
	require.Equal(t, sum(late), april.Totals.Fee)
	require.Equal(t, sum(func(height uint64) bool { return !late(height) }), march.Totals.Fee)
}

// The first hours of 1970 are in 1969 in America: date columns cannot contain that day, so the column becomes text, in
// every format.
func TestDaysBefore1970(t *testing.T) {
	book, _ := changed(t, func(r *evidence.Report) {
		if r.Number > 0 {
			r.Time = timeAt(t, time.UnixMilli(int64(r.Number)*6_000))
		}
	})
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Day}, Period: heights(0, generatedHead), Zone: location(t, "America/New_York")})
	require.Len(t, r.Groups, 1)
	require.Equal(t, "1969-12-31", r.Groups[0].Name(console.Token{}))
	for form := range forms {
		text := written(t, form, r)
		if form != "xlsx" && form != "parquet" { // which are packed
			require.Contains(t, string(text), "1969-12-31", form)
		}
	}
	require.Equal(t, "1969-12-31", readXLSX(t, written(t, "xlsx", r))[0]["day"])
	require.Equal(t, "1969-12-31", readParquet(t, written(t, "parquet", r))[0]["day"])
}

// A report for selected accounts names them, also when it is passed on.
func TestAccountsAreNamed(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	payer, err := chain.ParseAddress(sentIn(t, "moonbeam-2100")[0].From)
	require.NoError(t, err)
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Layer}, Period: heights(0, 27), Payers: map[chain.Address]bool{payer: true, chain.Address20([20]byte{0xff}): true}})
	require.Equal(t, "Fees of moonbeam by layer, the test's period, for 2 accounts", r.Title())
	other := chain.Address20([20]byte{0xff}).String()
	require.Contains(t, string(written(t, "json", r)), fmt.Sprintf("\"accounts\": [\n    %q,\n    %q\n  ]", payer, other))
	require.Contains(t, string(written(t, "html", r)), "Payers: "+payer.String()+", "+other+".")
	require.Contains(t, string(written(t, "txt", r)), "for 2 accounts")
}

// A report fails on a damaged ledger instead of omitting data.
func TestADamagedLedger(t *testing.T) {
	for statement, message := range map[string]string{
		"UPDATE blocks SET known = NULL WHERE height = 20":                           "block 20, table blocks: it was altered",
		"UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 20": "block 20, table blocks: it was altered",
		"DELETE FROM blocks WHERE height = 20":                                       "block 20, table blocks: missing",
		"UPDATE book SET sealed = sealed - 1":                                        "table book or book_unit was altered",
	} {
		book, place := changed(t, func(r *evidence.Report) {
			r.Findings = []evidence.Finding{{Check: "made.up", Block: r.Number, Message: "nothing"}}
		})
		q := report.Request{Choice: report.Choice{By: report.Layer}, Period: heights(0, generatedHead)}
		q.Cover = made(t, book, q).Cover
		db, err := sql.Open("sqlite", place+"?_pragma=busy_timeout(10000)")
		require.NoError(t, err)
		_, err = db.Exec(statement)
		require.NoError(t, err)
		require.NoError(t, db.Close())
		_, err = report.Make(context.Background(), book, q, func(_, _ uint64) {})
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, message)
	}
}

// full accepts a limited number of bytes.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(text []byte) (int, error) {
	if len(text) > f.left {
		return f.left, errFull
	}
	f.left -= len(text)
	return len(text), nil
}

// A format that could not be written completely is an error, wherever it stops.
func TestNoRoomForAForm(t *testing.T) {
	book, _ := kept(t, generated(100), 100)
	r := made(t, book, report.Request{Choice: report.Choice{By: report.Block}, Period: heights(0, 100)})
	for form, width := range forms {
		write := func(w io.Writer) error { return r.Document().Write(w, form, width) }
		whole := len(written(t, form, r))
		require.NoError(t, write(&full{whole}), form)
		for _, room := range []int{0, whole / 2, whole - 1} {
			require.ErrorIs(t, write(&full{room}), errFull, "%s, %d of %d bytes", form, room, whole)
		}
	}
}
