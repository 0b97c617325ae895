package app_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/rollforward"
)

// threeMonths is a ledger of the demo whose blocks are of three months: 1 to 9 of January, 10
// to 19 of February, and from 20 on of March.
func threeMonths(t testing.TB) string {
	t.Helper()
	return changedUpTo(t, "0..27", ofThreeMonths)
}

// ofThreeMonths puts a block into its month.
func ofThreeMonths(b *chain.Block) error {
	begins := map[uint64]string{1: "1767225600000", 10: "1769904000000", 20: "1772323200000"} // midnight of UTC
	first := uint64(1)
	for height := range begins {
		if height <= b.Number && height > first {
			first = height
		}
	}
	return movedTo(b.Number, begins[first])(b)
}

// rolled asks for the rollforward of all accounts of the demo.
func rolled(t testing.TB, d *app.Ledger, q app.RollforwardRequest) (*app.Rollforward, error) {
	t.Helper()
	if q.Accounts == nil {
		q.Accounts = slices.SortedFunc(maps.Keys(recordedBalances()), func(a, b chain.Address) int { return bytes.Compare(a.Bytes(), b.Bytes()) })
	}
	return d.Rollforward(t.Context(), q)
}

// A year has its months, each of which opens with what the one before closed with, and their
// sum.
func TestRollforwardOfAYear(t *testing.T) {
	d := opened(t, threeMonths(t))
	year := parsed(t, app.PeriodInput{Year: "2026", Partial: true})
	var asked uint64
	r, err := rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: year, Progress: app.Progress{Show: func(done, _ uint64) { asked = done }}}, By: app.ByMonth, Balances: withBalances(t), Concurrency: 3})
	require.NoError(t, err)
	require.NotZero(t, asked)
	require.True(t, r.Holds())
	at := func(text string) chain.Optional[chain.Time] {
		when, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		moment, err := chain.TimeAt(uint64(when.UnixMilli()))
		require.NoError(t, err)
		return chain.Some(moment)
	}
	begin, endOfJanuary, endOfFebruary := at("2025-12-31T23:59:59.999Z"), at("2026-01-31T23:59:59.999Z"), at("2026-02-28T23:59:59.999Z")
	require.Equal(t, []rollforward.Period{
		{Name: "2026-01", Span: spanOf(1, 9), OpensAt: begin, ClosesAt: endOfJanuary}, {Name: "2026-02", Span: spanOf(10, 19), OpensAt: endOfJanuary, ClosesAt: endOfFebruary},
		{Name: "part of 2026-03", Span: spanOf(20, 27), OpensAt: endOfFebruary, ClosesAt: at("2026-03-01T00:00:00Z")}, // the last block's
	}, named(r.Periods))
	owners := len(recordedBalances()) + 1
	require.Len(t, r.Columns, 4*owners)
	for i, c := range r.Columns[:owners-1] {
		account, _ := c.Account.Get()
		was := recordedBalances()[account]
		for part, ends := range [][2]int{{0, 9}, {9, 19}, {19, 27}, {0, 27}} {
			column := r.Columns[part*owners+i]
			opening, closing := must(t, column.Opening), must(t, column.Closing)
			require.Equal(t, was[ends[0]].Free.String(), opening.Free.String())
			require.Equal(t, was[ends[1]].Free.String(), closing.Free.String())
		}
	}
	require.Equal(t, "proved to the wei: opening + lines = closing, free and reserved", r.Style.Notes[0])
	require.Contains(t, strings.Join(r.Style.Notes, "\n"), "Known part: 2026 is incomplete, missing its end")
	require.Contains(t, r.Style.Notes, "gains are not computed")

	whole, err := rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: year}, By: app.ByPeriod})
	require.NoError(t, err)
	require.Len(t, whole.Columns, owners)
	require.Equal(t, "2026", whole.Columns[0].Period.Name)
	require.Equal(t, r.Columns[3*owners].Sums, whole.Columns[0].Sums)
	require.Equal(t, "Not proved: balances were not queried", whole.Style.Notes[0])

	_, err = rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: parsed(t, app.PeriodInput{Year: "2026"})}, By: app.ByMonth})
	var lacks *app.NotHeldError
	require.ErrorAs(t, err, &lacks)
	february, err := rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: parsed(t, app.PeriodInput{Month: "2026-02"})}, By: app.ByMonth})
	require.NoError(t, err)
	require.Equal(t, []rollforward.Period{{Name: "2026-02", Span: spanOf(10, 19), OpensAt: endOfJanuary, ClosesAt: endOfFebruary}}, february.Periods)
	heights, err := rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: app.Heights(5, 15)}, By: app.ByMonth})
	require.NoError(t, err)
	require.Equal(t, []rollforward.Period{{Name: "part of 2026-01", Span: spanOf(5, 9), OpensAt: at("2026-01-01T00:00:00Z"), ClosesAt: endOfJanuary}, {Name: "part of 2026-02", Span: spanOf(10, 15), OpensAt: endOfJanuary, ClosesAt: at("2026-02-01T00:00:00Z")}}, heights.Periods)
}

// named are periods; block 0, which has no time and no movement, may be the first.
func named(list []rollforward.Period) []rollforward.Period {
	list[0].Span.First = max(list[0].Span.First, 1)
	return list
}

// Where a balance is one wei off, the rollforward does not hold, and says by how much.
func TestRollforwardThatDoesNotHold(t *testing.T) {
	d, src := opened(t, threeMonths(t)), withBalances(t)
	right := src.balance
	src.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		b, err := right(account, height)
		if height >= 15 && err == nil && account == address(t, alith) {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	r, err := rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}, By: app.ByMonth, Balances: src})
	require.NoError(t, err)
	require.False(t, r.Holds())
	require.Equal(t, "Unexplained: of 54 balances, 1 does not close: opening balance plus movements differs from the closing balance", r.Style.Notes[0])
	require.Contains(t, strings.Join(r.Style.Notes, "\n"), alith+", blocks 10..19: Unexplained: block 15: free 1 wei")
}

// Events that nobody can read are said of: what they moved is nobody's. A deposit in block 25
// is made so.
func TestRollforwardOfUnreadEvents(t *testing.T) {
	reader, changed := demo(t), 0
	reader.Source = otherwise{Source: reader.Source, block: func(b *chain.Block) (err error) {
		if b.Number != 25 {
			return nil
		}
		x := &b.Extrinsics[6]
		x.Events = append([]chain.Event{}, x.Events...)
		for i := range x.Events {
			if e := &x.Events[i]; changed == 0 && e.Is("balances", "Deposit") {
				e.Data = chain.Values{chain.MalformedValue(errors.New("nobody")), chain.Uint64Value(1)}
				changed++
			}
		}
		return err
	}}
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, "0..27"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.Equal(t, 1, changed)
	r, err := rolled(t, opened(t, place), app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}})
	require.NoError(t, err)
	require.Contains(t, r.Style.Notes, "1 balances event in these blocks cannot be decoded; any amount it moved appears as unexplained")
}

// Whose the trouble is, is said.
func TestRollforwardErrors(t *testing.T) {
	place := threeMonths(t)
	d := opened(t, place)
	q := app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}, By: app.ByMonth}
	_, err := rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: app.Heights(100, 200)}})
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	src := withBalances(t)
	src.balance = func(chain.Address, uint64) (none chain.Balance, err error) { return none, chain.ErrNotKept }
	_, err = rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}, Balances: src})
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	require.ErrorContains(t, err, "records balances; --no-balances skips it")
	src.block = func(*chain.Block) error { return errAway }
	_, err = rolled(t, d, app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}, Balances: src})
	require.ErrorIs(t, err, errAway)

	r, err := rolled(t, d, q)
	require.NoError(t, err)
	alter(t, place, "UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 25")
	err = r.Explain(r.Each(t.Context(), func(*rollforward.Item) error { return nil }))
	require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
	_, err = rolled(t, d, q)
	require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "ledger "+place+": ")

	closed := opened(t, copied(t))
	require.NoError(t, closed.Close())
	_, err = rolled(t, closed, q)
	require.Error(t, err)
}

// A user's file of classes is read, and what is wrong with it names the file.
func TestReadClasses(t *testing.T) {
	own, err := app.ReadClasses("")
	require.NoError(t, err)
	require.Nil(t, own)
	own, err = app.ReadClasses(write(t, "classes.csv", "pallet,method,direction,class\nproxy,*,,transfer\n"))
	require.NoError(t, err)
	require.NotNil(t, own)
	for text, want := range map[string]string{"x": "line 1: expected the columns", "pallet,method,direction,class\nproxy,*,,x\n": "line 2: class"} {
		path := write(t, "classes.csv", text)
		_, err = app.ReadClasses(path)
		require.ErrorContains(t, err, path+": ")
		require.ErrorContains(t, err, want)
		require.Equal(t, []app.Field{app.FieldClasses}, fieldsOf(t, err))
	}
	_, err = app.ReadClasses("nowhere.csv")
	require.ErrorContains(t, err, "nowhere.csv")
}
