package app_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// datasetOf writes a ledger's months to a directory.
func datasetOf(t testing.TB, place, dir string, change func(*app.DatasetRequest)) (*app.Dataset, error) {
	t.Helper()
	q := app.DatasetRequest{Dir: dir, Period: period(t, app.PeriodInput{}), Program: "the test"}
	if change != nil {
		change(&q)
	}
	return opened(t, place).Dataset(t.Context(), q)
}

func partial(q *app.DatasetRequest) { q.Period.Partial = true }

func period(t testing.TB, in app.PeriodInput) app.Period {
	t.Helper()
	p, err := in.Parse()
	require.NoError(t, err)
	return p
}

// tree is what a directory has: each file with its bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		files[path] = string(text)
		return err
	}))
	return files
}

func checkedDataset(t testing.TB, place, dir string) *dataset.Checked {
	t.Helper()
	found, err := opened(t, place).CheckDataset(t.Context(), dir, &app.Progress{})
	require.NoError(t, err)
	return found
}

// slow is the made-up chain with hours from block to block: a year has few of them.
type slow struct{ *chaingen.Chain }

const (
	hoursApart = 6
	inYear     = 366 * 24 / hoursApart
)

// yearBegins is the first block's time; the last one's is of the next year.
var yearBegins = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func (s slow) reader(t testing.TB) *source.Reader {
	return &source.Reader{Tables: network.BuiltIn(), Source: otherwise{Source: s.Source(), block: func(b *chain.Block) error {
		for i := range b.Extrinsics {
			if x := &b.Extrinsics[i]; x.Pallet == "timestamp" {
				at := yearBegins.Add(time.Duration(b.Number-1) * hoursApart * time.Hour)
				x.Args = chain.Values{chain.Uint64Value(uint64(at.UnixMilli()))}
			}
		}
		return nil
	}}}
}

// fill fills a ledger with the slow chain's blocks up to a height.
func (s slow) fill(t testing.TB, place string, last uint64) string {
	t.Helper()
	_, err := app.Sync(t.Context(), place, blocks(t, fmt.Sprintf("0..%d", last)), app.FillOptions{Reader: s.reader(t)})
	require.NoError(t, err)
	return place
}

func newSlow(seed uint64) slow {
	return slow{chaingen.New(chaingen.Options{Seed: seed, Head: inYear + 10})}
}

// What DuckDB reads of the recorded blocks is what their senders' balances lost, which was
// found when they were recorded.
func TestDatasetOfRecordings(t *testing.T) {
	place, dir := copied(t), t.TempDir()
	x, err := datasetOf(t, place, dir, partial)
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Written: 2}, x.Months)
	require.Empty(t, checkedDataset(t, place, dir).Problems)

	answers := duckDB.ask(t,
		"SELECT lower(sender) AS sender, sum(charged) AS charged, count(*) AS n FROM '"+dir+"/transactions/**/*.parquet' GROUP BY ALL",
		"SELECT count(*) AS n FROM '"+dir+"/movements/**/*.parquet' WHERE free < 0",
		"SELECT count(*) AS n FROM '"+dir+"/blocks/**/*.parquet'",
		"SELECT extrinsic, hash, evm_hash, charged, time, drift FROM '"+dir+"/transactions/**/*.parquet' ORDER BY height, extrinsic LIMIT 1",
	)
	senders := map[string]bool{}
	for _, s := range allSent(t) {
		senders[strings.ToLower(s.From)] = true
	}
	require.Len(t, answers[0], len(senders))
	for _, r := range answers[0] {
		sum, n := charges(t, of(r.text(t, "sender")))
		require.Equal(t, sum, r.text(t, "charged"))
		require.Equal(t, fmt.Sprint(n), r.text(t, "n"))
	}
	book, err := ledger.Open(t.Context(), place)
	require.NoError(t, err)
	defer book.Close()
	below := 0
	for m, err := range book.Movements(t.Context(), ledger.Query{Span: chain.Heights{Last: 27}}) {
		require.NoError(t, err)
		if free, known := m.Free.Get(); known && free.Sign() < 0 {
			below++
		}
	}
	require.Positive(t, below)
	require.Equal(t, fmt.Sprint(below), answers[1][0].text(t, "n"))
	require.Equal(t, "27", answers[2][0].text(t, "n"), "all but block 0, which has no time")
	first := allSent(t)[0]
	got := answers[3][0]
	require.Equal(t, fmt.Sprint(first.Index), got.text(t, "extrinsic"))
	require.Equal(t, first.Hash, got.text(t, "hash"))
	require.Equal(t, first.Charged, got.text(t, "charged"))
	require.Equal(t, "2026-01-01 00:00:24+00", got.text(t, "time"))
}

// Sums by month, account and contract over a year are the ledger's, to the wei, in DuckDB and
// in ClickHouse. The ledger has added them up when it sealed the blocks.
func TestDatasetOfAYear(t *testing.T) {
	long(t)
	place, dir := newSlow(15).fill(t, file(t), inYear+1), t.TempDir()
	x, err := datasetOf(t, place, dir, nil)
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Written: 12}, x.Months)
	require.Len(t, x.Notes, 1)
	require.Contains(t, x.Notes[0], "2025-01 is skipped: it lacks its end")
	require.Equal(t, 1, x.LeftOut)
	d := opened(t, place)
	totals := func(by ledger.TotalsBy, each func(*ledger.Total)) {
		var year ledger.Period
		for from, to := range map[*chain.Time]time.Time{&year.From: yearBegins, &year.To: yearBegins.AddDate(1, 0, 0)} {
			at, err := chain.TimeAt(uint64(to.UnixMilli()))
			require.NoError(t, err)
			*from = at
		}
		_, err := d.Book.Totals(t.Context(), year, chain.Heights{Last: inYear}, by, func(x *ledger.Total) error {
			each(x)
			return nil
		}, func(uint64) {})
		require.NoError(t, err)
	}

	type sums struct {
		n                             uint64
		fee, charged, burned, toOther *big.Int
	}
	add := func(m map[string]*sums, key string, s *ledger.Sums) {
		if m[key] == nil {
			m[key] = &sums{0, new(big.Int), new(big.Int), new(big.Int), new(big.Int)}
		}
		m[key].n += s.EVM + s.Native
		m[key].fee.Add(m[key].fee, s.Fee.Big())
		m[key].charged.Add(m[key].charged, s.Charged.Big())
		m[key].burned.Add(m[key].burned, s.Burned.Big())
		m[key].toOther.Add(m[key].toOther, s.Treasury.Big())
		m[key].toOther.Add(m[key].toOther, s.Author.Big())
	}
	byMonth, byContract, byPayer := map[string]*sums{}, map[string]*sums{}, map[string]*sums{}
	totals(ledger.ByDay, func(x *ledger.Total) {
		day, _ := x.Start.Get()
		add(byMonth, day.String()[:7], &x.Sums)
	})
	require.Len(t, byMonth, 12)
	totals(ledger.ByContract, func(x *ledger.Total) {
		to := "none"
		if a, ok := x.Contract.Get(); ok {
			to = strings.ToLower(a.String())
		}
		add(byContract, string(x.Layer)+" "+x.Call+" "+to, &x.Sums)
	})
	totals(ledger.ByAccount, func(x *ledger.Total) {
		if a, ok := x.Account.Get(); ok {
			add(byPayer, strings.ToLower(a.String()), &x.Sums)
		}
	})

	where := func(e *engine, table string) string {
		if e.name == clickHouse.name {
			return "file('" + dir + "/" + table + "/**/*.parquet', Parquet)"
		}
		return "read_parquet('" + dir + "/" + table + "/**/*.parquet', hive_partitioning = true, hive_types = {'year': INTEGER, 'month': INTEGER})"
	}
	const figures = "count(*) AS n, sum(fee) AS fee, sum(charged) AS charged, sum(burned) AS burned, sum(treasury + author) AS others"
	for _, e := range []*engine{&duckDB, &clickHouse} {
		t.Run(e.name, func(t *testing.T) {
			from := " FROM " + where(e, "transactions")
			answers := e.ask(t,
				"SELECT year, month, "+figures+from+" GROUP BY year, month",
				"SELECT layer, call, CASE WHEN layer = 'evm' THEN recipient END AS contract, "+figures+from+" GROUP BY layer, call, CASE WHEN layer = 'evm' THEN recipient END",
				"SELECT payer, "+figures+from+" WHERE payer IS NOT NULL GROUP BY payer",
				"SELECT count(*) AS n, sum(fee) AS fee FROM "+where(e, "blocks"),
				"SELECT sum(free) AS free FROM "+where(e, "movements"),
			)
			same := func(want *sums, r row) {
				t.Helper()
				require.NotNil(t, want, r)
				require.Equal(t, fmt.Sprint(want.n), r.text(t, "n"))
				require.Equal(t, want.fee.String(), r.text(t, "fee"))
				require.Equal(t, want.charged.String(), r.text(t, "charged"))
				require.Equal(t, want.burned.String(), r.text(t, "burned"))
				require.Equal(t, want.toOther.String(), r.text(t, "others"))
			}
			require.Len(t, answers[0], len(byMonth))
			total := new(big.Int)
			for _, r := range answers[0] {
				key := r.text(t, "year") + "-" + fmt.Sprintf("%02s", r.text(t, "month"))
				same(byMonth[key], r)
				total.Add(total, byMonth[key].fee)
			}
			require.Len(t, answers[1], len(byContract))
			for _, r := range answers[1] {
				contract := "none"
				if r["contract"] != nil {
					contract = r.text(t, "contract")
				}
				same(byContract[r.text(t, "layer")+" "+r.text(t, "call")+" "+contract], r)
			}
			require.Greater(t, len(answers[2]), 100)
			for i, r := range answers[2] {
				if i < 50 {
					same(byPayer[r.text(t, "payer")], r)
				}
			}
			require.Equal(t, fmt.Sprint(inYear), answers[3][0].text(t, "n"))
			require.Equal(t, total.String(), answers[3][0].text(t, "fee"))
			require.True(t, strings.HasPrefix(answers[4][0].text(t, "free"), "-"), "fees were burned")
		})
	}
}

// The same ledger gives the same bytes. Existing files stay, and new ones are added.
func TestDatasetIsIncremental(t *testing.T) {
	long(t)
	const day = 24 / hoursApart
	chain, place, dir := newSlow(1), file(t), t.TempDir()
	chain.fill(t, place, 40*day)
	x, err := datasetOf(t, place, dir, partial)
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Written: 2}, x.Months)
	one := tree(t, dir)
	require.Len(t, one, 12)

	past := time.Unix(1_700_000_000, 0)
	for name := range one {
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), past, past))
	}
	chain.fill(t, place, 70*day)
	x, err = datasetOf(t, place, dir, func(q *app.DatasetRequest) {
		q.Period = period(t, app.PeriodInput{From: "2024-01-01", To: "2024-02-29"})
	})
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Unchanged: 1, dataset.Grown: 1}, x.Months)
	for name, text := range tree(t, dir) {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, strings.Contains(name, "01/") || strings.Contains(name, "2024-01"), info.ModTime().Equal(past), name)
		if info.ModTime().Equal(past) {
			require.Equal(t, one[name], text)
		} else if strings.HasPrefix(name, "blocks") || strings.HasPrefix(name, "_manifests") {
			require.NotEqual(t, one[name], text)
		}
	}
	x, err = datasetOf(t, place, dir, nil)
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Unchanged: 2}, x.Months, "March is not whole")
	require.Empty(t, checkedDataset(t, place, dir).Problems)

	again := t.TempDir()
	_, err = datasetOf(t, newSlow(1).fill(t, file(t), 70*day), again, nil)
	require.NoError(t, err)
	require.Equal(t, tree(t, dir), tree(t, again))
}

// Files of another ledger's blocks are not written over, unless that is asked for. What was
// not whole is compared as far as it went.
func TestDatasetOfAnotherLedger(t *testing.T) {
	long(t)
	const day = 24 / hoursApart
	for _, whole := range []bool{true, false} {
		last := uint64(10 * day)
		if whole {
			last = 33 * day
		}
		dir := t.TempDir()
		_, err := datasetOf(t, newSlow(1).fill(t, file(t), last), dir, partial)
		require.NoError(t, err)
		before := tree(t, dir)
		other := newSlow(2).fill(t, file(t), 35*day)
		_, err = datasetOf(t, other, dir, nil)
		require.Equal(t, failure.DoesNotHold, app.KindOf(err), "%v", err)
		require.ErrorContains(t, err, "2024-01.json")
		require.ErrorContains(t, err, "--replace")
		require.Equal(t, before, tree(t, dir))
		found := checkedDataset(t, other, dir)
		require.NotEmpty(t, found.Problems)
		require.False(t, found.Problems[0].Damaged)
		x, err := datasetOf(t, other, dir, func(q *app.DatasetRequest) { q.Replace, q.Period.Partial = true, true })
		require.NoError(t, err)
		require.Positive(t, x.Months[dataset.Replaced])
		require.Empty(t, checkedDataset(t, other, dir).Problems)
	}
}

func TestDatasetDamaged(t *testing.T) {
	place, dir := copied(t), t.TempDir()
	_, err := datasetOf(t, place, dir, partial)
	require.NoError(t, err)
	good := tree(t, dir)
	name := filepath.Join(dir, "movements/network=moonbeam/year=2026/month=01/movements.parquet")
	manifest := filepath.Join(dir, "_manifests/network=moonbeam/2026-01.json")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	flipped := append([]byte{}, text...)
	flipped[len(flipped)/2] ^= 1
	for _, c := range []struct {
		what   string
		path   string
		text   []byte // nil takes it away
		exits  bool   // an export notices, without reading the files
		reason string
	}{
		{"a bit", name, flipped, false, "its SHA-256 does not match the manifest"},
		{"an end", name, text[:len(text)-9], true, "bytes instead of"},
		{"a file", name, nil, true, "it is missing"},
		{"a manifest", manifest, []byte(`{"format": 1, "month": "2026-01", "network": "moonbeam"}`), true, "it lists 0 files, not 5"},
		{"a manifest of another network", manifest, []byte(`{"format": 1, "month": "2026-01", "network": "../moonbeam"}`), true, "it belongs to the month 2026-01 of ../moonbeam"},
		{"no JSON", manifest, []byte("{"), true, "unexpected end"},
	} {
		if c.text == nil {
			require.NoError(t, os.Remove(c.path))
		} else {
			require.NoError(t, os.WriteFile(c.path, c.text, 0o600))
		}
		found := checkedDataset(t, place, dir)
		require.NotEmpty(t, found.Problems, c.what)
		require.True(t, found.Problems[0].Damaged)
		require.Contains(t, found.Problems[0].Message, c.reason)
		_, err := datasetOf(t, place, dir, partial)
		if c.exits {
			require.Equal(t, failure.Damaged, app.KindOf(err), c.what)
			require.ErrorContains(t, err, c.path)
			require.ErrorContains(t, err, "--replace")
		} else {
			require.NoError(t, err)
		}
		_, err = datasetOf(t, place, dir, func(q *app.DatasetRequest) { q.Replace, q.Period.Partial = true, true })
		require.NoError(t, err, c.what)
		require.Equal(t, good, tree(t, dir), c.what)
	}
	// A query would also read a foreign file.
	stray := filepath.Join(filepath.Dir(name), "more.parquet")
	require.NoError(t, os.WriteFile(stray, text, 0o600))
	found := checkedDataset(t, place, dir)
	require.Len(t, found.Problems, 1)
	require.Equal(t, stray, found.Problems[0].Path)
	require.NoError(t, os.Remove(stray))
	// So would one whose manifest is lost; it is known again by its bytes.
	require.NoError(t, os.Remove(manifest))
	require.Len(t, checkedDataset(t, place, dir).Problems, 5)
	x, err := datasetOf(t, place, dir, partial)
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Written: 1, dataset.Unchanged: 1}, x.Months)
	require.Equal(t, good, tree(t, dir))
	require.NoError(t, os.Remove(manifest))
	require.NoError(t, os.WriteFile(name, flipped, 0o600))
	_, err = datasetOf(t, place, dir, partial)
	require.Equal(t, failure.DoesNotHold, app.KindOf(err))
	require.ErrorContains(t, err, name)
}

// Rows that are not what was sealed are in no file.
func TestDatasetOfADamagedLedger(t *testing.T) {
	for _, statement := range []string{
		"UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 5",
		"UPDATE stretches SET seal = (SELECT seal FROM stretches WHERE unit = 'month' AND first = 0) WHERE unit = 'month' AND first = 1",
		"DELETE FROM blocks WHERE height = 5",
	} {
		place, dir := copied(t), t.TempDir()
		alter(t, place, statement)
		_, err := datasetOf(t, place, dir, partial)
		require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
		for name := range tree(t, dir) {
			require.NotContains(t, name, "month=01")
		}
	}
}

func TestDatasetPeriods(t *testing.T) {
	place := copied(t)
	for _, c := range []struct {
		in   app.PeriodInput
		kind failure.Kind
		want string
	}{
		{app.PeriodInput{Blocks: "0..27"}, failure.NotUnderstood, "blocks 0..27: the files cover whole months. Use month"},
		{app.PeriodInput{From: "2026-01-02", To: "2026-02-10"}, failure.NotUnderstood, "Use from 2026-01-01 to 2026-02-28."},
		{app.PeriodInput{From: "2026-01-01", To: "2026-01-30"}, failure.NotUnderstood, "Use from 2026-01-01 to 2026-01-31."},
		{app.PeriodInput{Month: "2026-01", Timezone: "Europe/Berlin"}, failure.NotUnderstood, "timezone Europe/Berlin: the files cover UTC months only"},
		{app.PeriodInput{Timezone: "Europe/Berlin"}, failure.NotUnderstood, "timezone Europe/Berlin: the files cover UTC months only"},
		{app.PeriodInput{Month: "2026-01"}, failure.NotCovered, "it"},
	} {
		dir := filepath.Join(t.TempDir(), "lake")
		_, err := datasetOf(t, place, dir, func(q *app.DatasetRequest) { q.Period = period(t, c.in) })
		require.Equal(t, c.kind, app.KindOf(err), "%v", err)
		require.ErrorContains(t, err, c.want)
		require.NoDirExists(t, dir)
	}
	dir := t.TempDir()
	x, err := datasetOf(t, place, dir, func(q *app.DatasetRequest) {
		q.Period = period(t, app.PeriodInput{Month: "2026-01", Partial: true})
	})
	require.NoError(t, err)
	require.Equal(t, map[dataset.Outcome]int{dataset.Written: 1}, x.Months)
	require.Contains(t, x.Notes[0], "Known part: January 2026 is incomplete")
	x, err = datasetOf(t, place, t.TempDir(), nil)
	require.NoError(t, err)
	require.Empty(t, x.Months)
	require.Len(t, x.Notes, 3)
}

// The engine of the ledger is not in the files.
func TestDatasetOfEitherEngine(t *testing.T) {
	long(t)
	server := postgrestest.Start(t)
	one, other := t.TempDir(), t.TempDir()
	_, err := datasetOf(t, copied(t), one, partial)
	require.NoError(t, err)
	_, err = datasetOf(t, filled(t, server.Database(t)), other, partial)
	require.NoError(t, err)
	require.Equal(t, tree(t, one), tree(t, other))
}

// Two programs do not write one dataset.
func TestDatasetIsHeld(t *testing.T) {
	place, dir := copied(t), t.TempDir()
	held, err := dataset.Open(dir, dataset.Chain{Network: "moonbeam"})
	require.NoError(t, err)
	_, err = datasetOf(t, place, dir, partial)
	require.Equal(t, failure.Busy, app.KindOf(err), "%v", err)
	require.NoError(t, held.Close())
	_, err = datasetOf(t, place, dir, partial)
	require.NoError(t, err)
}

func TestDatasetStopped(t *testing.T) {
	place, dir := copied(t), t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	d := opened(t, place)
	q := app.DatasetRequest{Dir: dir, Period: period(t, app.PeriodInput{Partial: true}), Progress: app.Progress{Show: func(done, total uint64) { stop() }}}
	_, err := d.Dataset(ctx, q)
	require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)
	require.Empty(t, tree(t, dir))
}
