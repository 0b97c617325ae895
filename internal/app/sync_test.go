package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// made returns a reader of a generated chain, with that many blocks after block 0.
func made(seed, head uint64) (*chaingen.Chain, *source.Reader) {
	c := chaingen.New(chaingen.Options{Seed: seed, Head: head})
	return c, &source.Reader{Source: c.Source(), Tables: network.BuiltIn()}
}

// withoutWithdraws takes the withdrawals of a block's transactions away, so that nobody
// knows what they paid.
func withoutWithdraws(height uint64) func(*chain.Block) error {
	return func(b *chain.Block) error {
		for i := range b.Extrinsics {
			x := &b.Extrinsics[i]
			if b.Number == height {
				x.Events = append([]chain.Event{}, x.Events...)
				for k := range x.Events {
					if x.Events[k].Is("balances", "Withdraw") {
						x.Events[k].Data = nil
					}
				}
			}
		}
		return nil
	}
}

// The error of an invalid input names its fields.
func TestPeriodInput(t *testing.T) {
	for name, c := range map[string]struct {
		in     app.PeriodInput
		fields []app.Field
		error  string
	}{
		"a range and an end": {app.PeriodInput{Blocks: "1..2", From: "1"}, []app.Field{app.FieldMonth, app.FieldYear, app.FieldFrom, app.FieldTo}, "in one way only"},
		"no range":           {app.PeriodInput{Blocks: "2..1"}, nil, "2..1"},
		"no height":          {app.PeriodInput{From: "-1"}, []app.Field{app.FieldFrom}, "want a height, or a day such as 2026-01-31"},
		"no day":             {app.PeriodInput{To: "2026-02-30"}, []app.Field{app.FieldTo}, "want a height, or a day such as 2026-01-31"},
		"no time zone":       {app.PeriodInput{Month: "2026-01", Timezone: "Mars/Base"}, []app.Field{app.FieldTimezone}, "Mars/Base"},
		"no month":           {app.PeriodInput{Month: "2026-13"}, []app.Field{app.FieldMonth}, "2026-13"},
		"no year":            {app.PeriodInput{Year: "26"}, []app.Field{app.FieldYear}, "26"},
		"backwards":          {app.PeriodInput{From: "2026-01-02", To: "2026-01-01"}, []app.Field{app.FieldFrom, app.FieldTo}, "the range ends before it begins"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.in.ParseWanted()
			require.ErrorContains(t, err, c.error)
			require.Equal(t, c.fields, fieldsOf(t, err))
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		})
	}
}

// The made-up chain has a block every 12 seconds, 7200 a day, from the first second of 2025
// on, which is block 1. So 14 hours before a day are 4200 blocks, and 12 hours after it 3600. The
// block before is taken too, and the one after, for they prove that none is missing.
func TestForecastOfDays(t *testing.T) {
	if testing.Short() {
		t.Skip("a chain of months")
	}
	_, reader := made(3, 20_000)
	for name, c := range map[string]struct {
		in    app.PeriodInput
		span  chain.Heights
		error string
	}{
		"a day":              {in: app.PeriodInput{From: "2025-01-02", To: "2025-01-02"}, span: spanOf(3000, 18_001)},
		"the first":          {in: app.PeriodInput{From: "2025-01-01", To: "2025-01-01"}, span: spanOf(1, 10_801)},
		"to the newest":      {in: app.PeriodInput{From: "2025-01-03"}, span: spanOf(10_200, 20_000)},
		"a day that goes on": {in: app.PeriodInput{From: "2025-01-03", To: "2025-01-03"}, span: spanOf(10_200, 20_000)},
		"to a height":        {in: app.PeriodInput{From: "2025-01-02", To: "7300"}, span: spanOf(3000, 7300)},
		"from a height":      {in: app.PeriodInput{From: "0", To: "2025-01-01"}, span: spanOf(0, 10_801)},
		"a month":            {in: app.PeriodInput{Month: "2025-01"}, span: spanOf(1, 20_000)},
		"a day of Berlin":    {in: app.PeriodInput{From: "2025-01-02", To: "2025-01-02", Timezone: "Europe/Berlin"}, span: spanOf(3000, 18_001)},
		"a month too early":  {in: app.PeriodInput{Month: "2024-12"}, error: "month: no block is as old as 2024-12-31; the first one, 1, is from 2025-01-01T00:00:00Z"},
		"a month of America": {in: app.PeriodInput{Month: "2024-12", Timezone: "America/New_York"}, span: spanOf(1, 3601)},
		"a month too late":   {in: app.PeriodInput{Month: "2025-02", Timezone: "Europe/Berlin"}, error: "month: the newest final block, 20000 of 2025-01-03T18:39:48Z, is older than 2025-02-01 in Europe/Berlin"},
		"a year too late":    {in: app.PeriodInput{Year: "2026"}, error: "year: the newest final block, 20000 of 2025-01-03T18:39:48Z, is older than 2026-01-01"},
		"a range":            {in: app.PeriodInput{Blocks: "5:+30"}, span: spanOf(5, 34)},
		"no beginning":       {in: app.PeriodInput{To: "2025-01-02"}, error: "a new ledger needs a beginning. State a range, month, year, or from with a height or a day, such as from 2026-01-01."},
		"not there yet":      {in: app.PeriodInput{From: "2025-01-04"}, error: "from: the newest final block, 20000 of 2025-01-03T18:39:48Z, is older than 2025-01-04"},
		"nothing":            {in: app.PeriodInput{From: "12000", To: "2025-01-01"}, error: "the range is empty: its first block would be 12000 and its last 10801"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := app.ForecastSync(t.Context(), file(t), wanted(t, c.in), app.FillOptions{Reader: reader})
			if c.error != "" {
				require.EqualError(t, err, c.error)
				require.Equal(t, failure.NotUnderstood, app.KindOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.span, f.Blocks)
			require.Equal(t, c.span.Last-c.span.First+1, f.Missing)
			require.Equal(t, 2*f.Missing+2, f.Requests) // a block and its multiplier each
			least, most := uint64(8), uint64(8)         // a run
			switch {
			case f.Missing >= 2000: // seven runs, and a long one, which ends early where it takes too long
				least, most = 7*8+64, 7*8+1024
			case f.Missing >= 64: // which ends where the range does
				least = 7*8 + f.Missing - f.Missing/8*4
				most = least
			}
			require.GreaterOrEqual(t, f.Measured, least)
			require.LessOrEqual(t, f.Measured, most)
			require.Greater(t, f.Bytes, 100*f.Missing, "a block has more than 100 bytes")
		})
	}
}

// A source that fails while a day is looked for, or has a block without a time that can be
// read, says at which end.
func TestForecastOfDaysThatCannotBeFound(t *testing.T) {
	_, reader := made(3, 20_000)
	ask := func(in app.PeriodInput, change func(*chain.Block) error) error {
		o := app.FillOptions{Reader: &source.Reader{Source: otherwise{Source: reader.Source, block: change}, Tables: reader.Tables}}
		_, err := app.ForecastSync(t.Context(), file(t), wanted(t, in), o)
		return err
	}
	gone := func(*chain.Block) error { return errAway }
	require.ErrorIs(t, ask(app.PeriodInput{From: "2025-01-02"}, gone), errAway)
	require.EqualError(t, ask(app.PeriodInput{From: "2025-01-02"}, gone), "from: "+errAway.Error())
	require.EqualError(t, ask(app.PeriodInput{From: "1", To: "2025-01-02"}, gone), "to: "+errAway.Error())
	err := ask(app.PeriodInput{From: "1", To: "2025-01-02"}, movedTo(10_000, "soon"))
	require.ErrorContains(t, err, "to: block 10000: ")
}

// A forecast counts what is missing, and stores nothing.
func TestForecastOfWhatIsMissing(t *testing.T) {
	_, reader := made(3, 300)
	place, o := file(t), app.FillOptions{Reader: reader}
	for _, part := range []string{"0..9", "100..129"} {
		_, err := app.Sync(t.Context(), place, blocks(t, part), o)
		require.NoError(t, err)
	}
	f, err := app.ForecastSync(t.Context(), place, blocks(t, "0..199"), o)
	require.NoError(t, err)
	require.EqualValues(t, 200-40, f.Missing)
	require.EqualValues(t, 2*160+2*2, f.Requests) // of two spans
	require.EqualValues(t, 40, statusOf(t, place).Blocks)
	f, err = app.ForecastSync(t.Context(), place, blocks(t, "100..129"), o)
	require.NoError(t, err)
	require.Equal(t, app.Forecast{Blocks: spanOf(100, 129)}, *f)

	broken := errors.New("the gateway has gone")
	failing := otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		if b.Number > 180 {
			return broken
		}
		return nil
	}}
	_, err = app.ForecastSync(t.Context(), place, blocks(t, "0..199"), app.FillOptions{Reader: &source.Reader{Source: failing, Tables: reader.Tables}})
	require.ErrorIs(t, err, broken)
	require.NoError(t, os.WriteFile(place, []byte("no ledger"), 0o600))
	_, err = app.ForecastSync(t.Context(), place, blocks(t, "0..199"), o)
	require.Error(t, err)
}

// Parts in any order, and a source that fails in between, give the ledger that one quiet run
// gives; without a range it continues where it ends, and with nothing missing it requests nothing.
func TestSyncInParts(t *testing.T) {
	c, reader := made(5, 160)
	quiet, place := file(t), file(t)
	done, err := app.Sync(t.Context(), quiet, blocks(t, "0..160"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.EqualValues(t, 161, done.Stored)
	require.Equal(t, spanOf(0, 160), done.Findings.Blocks)
	require.Zero(t, done.Findings.Total)

	broken := errors.New("the gateway has gone")
	failing := &source.Reader{Tables: reader.Tables, Source: otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		if b.Number == 90 {
			return broken
		}
		return nil
	}}}
	_, err = app.Sync(t.Context(), place, blocks(t, "0..39"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	_, err = app.Sync(t.Context(), place, blocks(t, "60..120"), app.FillOptions{Reader: failing})
	require.ErrorIs(t, err, broken)
	stored := statusOf(t, place).Blocks
	require.InDelta(t, 40+30, stored, 2, "what was stored stays")
	var shown, judged uint64
	o := app.FillOptions{Reader: reader, Signatures: false, Judged: func(*evidence.Report) { judged++ },
		Progress: app.Progress{Show: func(now, _ uint64) { shown = now }}}
	c.SetHead(140)
	done, err = app.Sync(t.Context(), place, blocks(t, "0..140"), o)
	require.NoError(t, err)
	require.Equal(t, 141-stored, done.Stored)
	require.Equal(t, done.Stored, shown)
	require.Equal(t, done.Stored, judged)
	c.SetHead(160)
	done, err = app.Sync(t.Context(), place, app.Wanted{}, o)
	require.NoError(t, err)
	require.Equal(t, spanOf(141, 160), done.Blocks)
	done, err = app.Sync(t.Context(), place, app.Wanted{}, o)
	require.NoError(t, err)
	require.Zero(t, done.Stored)
	require.Equal(t, sealOf(t, quiet), sealOf(t, place))
}

// A gateway that answers each fourth question badly gives an error, and what was stored
// stays, so that asking again comes to an end. The ledger is then the same, or lacks a figure
// that cannot be read in the answer, and says so: it never has another.
func TestSyncFromABadGateway(t *testing.T) {
	long(t)
	faults := gatewaytest.NewFaults("../../testdata/recordings/moonbeam-2100")
	faults.Seed, faults.Percent = 4, 25
	server := httptest.NewServer(faults)
	t.Cleanup(server.Close)
	src, err := source.Open(server.URL+"/anna", source.Options{Options: gatewayclient.Options{Timeout: 200 * time.Millisecond, RetryWait: time.Millisecond, Total: 2 * time.Second}})
	require.NoError(t, err)
	place, failures := file(t), 0
	for {
		_, err := app.Sync(t.Context(), place, blocks(t, "0..27"), app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}})
		if err == nil {
			break
		}
		require.Equal(t, failure.Unanswered, app.KindOf(err), "%v", err)
		failures++
		require.Less(t, failures, 100)
	}
	require.NotZero(t, faults.Total())
	if sealOf(t, copied(t)) == sealOf(t, place) {
		return
	}
	v := verified(t, place, demo(t))
	require.Equal(t, failure.Damaged, app.KindOf(v.Err()), "the right gateway reveals it")
	require.Empty(t, v.Damage)
	s := statusOf(t, place)
	require.NotZero(t, s.Unread+s.Findings+s.Totals.Undetermined+s.Totals.Uncharged, "and so does the ledger itself")
	for _, d := range v.Differences {
		if d.Table == "transactions" && slices.Contains([]string{"fee", "tip", "charged", "burned", "treasury", "author", "gas", "gas_price", "payer"}, d.Column) {
			require.Equal(t, "null", d.Stored, "%v: not known is never another figure", d)
		}
	}
}

// What was stored before a sync was stopped is sealed.
func TestAStoppedSyncIsSealed(t *testing.T) {
	long(t)
	_, reader := made(6, 30_000)
	place := file(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := app.FillOptions{Reader: reader, Progress: app.Progress{Show: func(done, _ uint64) { cancel() }}} // after the first that are stored
	_, err := app.Sync(ctx, place, blocks(t, "0..20000"), o)
	require.Equal(t, failure.Stopped, app.KindOf(err))
	s := statusOf(t, place)
	require.Positive(t, s.Blocks)
	require.Equal(t, s.Blocks-1, must(t, s.Sealed))
}

func must[T any](t testing.TB, o chain.Optional[T]) T {
	t.Helper()
	v, ok := o.Get()
	require.True(t, ok)
	return v
}

// fork is how a chain is where its newest blocks are others: they have other hashes.
type fork struct {
	source.Source
	above uint64 // the heights above this one
	mark  byte
	final uint64 // the newest height that is final
}

func (f fork) Unwrap() source.Source { return f.Source }

func (f fork) hash(height uint64, h chain.Hash) chain.Hash {
	if height > f.above {
		h[31] ^= f.mark
	}
	return h
}

func (f fork) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := f.Source.Block(ctx, height)
	if err != nil {
		return nil, err
	}
	changed := *b
	changed.Hash, changed.ParentHash = f.hash(height, b.Hash), f.hash(height-1, b.ParentHash)
	changed.Finalized = chain.Some(height <= f.final)
	return &changed, nil
}

func (f fork) Multiplier(ctx context.Context, at uint64) (chain.AtBlock[chain.Multiplier], error) {
	m, err := f.Source.Multiplier(ctx, at)
	return answered(f, m, err)
}

func (f fork) Runtime(ctx context.Context, at uint64) (chain.AtBlock[chain.Runtime], error) {
	r, err := f.Source.Runtime(ctx, at)
	return answered(f, r, err)
}

// answered is an answer for a block of a fork.
func answered[T any](f fork, x chain.AtBlock[T], err error) (chain.AtBlock[T], error) {
	if hash, ok := x.AtHash.Get(); ok {
		x.AtHash = chain.Some(f.hash(x.At, hash))
	}
	return x, err
}

// What was not final is replaced; it goes where a source's final blocks do not fit, and that
// is said. What is final stays.
func TestSyncOfAnotherFork(t *testing.T) {
	_, reader := made(7, 40)
	place := file(t)
	sync := func(span string, f fork) error {
		f.Source = reader.Source
		_, err := app.Sync(t.Context(), place, blocks(t, span), app.FillOptions{Reader: &source.Reader{Source: f, Tables: reader.Tables, Unfinalized: true}})
		return err
	}
	has := func(blocks, notFinal uint64) {
		t.Helper()
		s := statusOf(t, place)
		require.Equal(t, []uint64{blocks, notFinal}, []uint64{s.Blocks, s.NotFinal})
	}
	require.NoError(t, sync("0..20", fork{above: 40, final: 15}))
	has(21, 5)
	require.NoError(t, sync("0..24", fork{above: 17, mark: 1, final: 16}))
	has(25, 8)
	seal := sealOf(t, place)
	err := sync("0..30", fork{above: 13, mark: 2, final: 28})
	require.Equal(t, failure.Unanswered, app.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "removed 8 blocks that were not final from the ledger")
	has(17, 0)
	require.Equal(t, seal, sealOf(t, place))
	err = sync("0..30", fork{above: 13, mark: 2, final: 28})
	require.Equal(t, failure.Unanswered, app.KindOf(err), "%v", err)
	require.NotContains(t, err.Error(), "taken out", "there is nothing more")
	require.NoError(t, sync("0..30", fork{above: 40, final: 30}))
	has(31, 0)
}

// A ledger of another chain is not added to, nor is a file that is not a ledger; a source that
// cannot be asked makes none.
func TestSyncOfAnotherChain(t *testing.T) {
	_, one := made(8, 30)
	_, other := made(9, 30)
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, "0..9"), app.FillOptions{Reader: one})
	require.NoError(t, err)
	before := sealOf(t, place)
	_, err = app.Sync(t.Context(), place, blocks(t, "0..19"), app.FillOptions{Reader: other})
	require.ErrorIs(t, err, ledger.ErrOtherChain)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	err = app.Follow(t.Context(), place, app.FollowOptions{FillOptions: app.FillOptions{Reader: other}, Heads: source.Poll(other.Source, time.Millisecond)})
	require.ErrorIs(t, err, ledger.ErrOtherChain)
	require.Equal(t, before, sealOf(t, place))

	none := write(t, "none.db", strings.Repeat("no ledger", 1000))
	_, err = app.Sync(t.Context(), none, blocks(t, "0..9"), app.FillOptions{Reader: one})
	require.Error(t, err)
	text, err := os.ReadFile(none)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("no ledger", 1000), string(text))

	nowhere := file(t)
	_, err = app.Sync(t.Context(), nowhere, blocks(t, "31..32"), app.FillOptions{Reader: one})
	require.ErrorIs(t, err, chain.ErrNoBlock)
	require.Equal(t, failure.NotFound, app.KindOf(err))
	require.NoFileExists(t, nowhere)
	noGenesis := &source.Reader{Tables: one.Tables, Source: otherwise{Source: one.Source, block: func(b *chain.Block) error {
		if b.Number == 0 {
			return errAway
		}
		return nil
	}}}
	_, err = app.Sync(t.Context(), nowhere, blocks(t, "1..9"), app.FillOptions{Reader: noGenesis})
	require.ErrorIs(t, err, errAway, "which chain it is must be known before a ledger is begun")
	require.NoFileExists(t, nowhere)
	_, err = app.Enqueue(t.Context(), place, blocks(t, "0..9"), app.FillOptions{Reader: one})
	require.Error(t, err, "jobs are for a database")
}

// A temporary ledger goes when it is closed, and when it cannot be filled.
func TestTemporary(t *testing.T) {
	leavesNothing(t)
	o := app.FillOptions{Reader: demo(t)}
	d, err := app.Temporary(t.Context(), "of the moment", app.Heights(20, 27), o)
	require.NoError(t, err)
	paid, count := charges(t, func(s sent) bool { return s.Height >= 20 })
	r, err := d.Report(t.Context(), app.Request{Period: app.Heights(20, 27)}, report.Choice{})
	require.NoError(t, err)
	require.Equal(t, paid, known(t, r.Totals.Charged))
	require.Equal(t, count, r.Totals.EVM+r.Totals.Native)
	_, err = d.Report(t.Context(), app.Request{Period: app.Heights(19, 27)}, report.Choice{})
	require.ErrorContains(t, err, "ledger of the moment: ")
	require.NoError(t, d.Close())

	_, err = app.Temporary(t.Context(), "it", app.Period{All: true}, o)
	require.ErrorContains(t, err, "without a ledger, use a range of heights")
	_, err = app.TokenOf(t.Context(), o.Reader, app.Period{All: true})
	require.ErrorContains(t, err, "without a ledger, use a range of heights")
	_, grows := made(3, 300)
	_, err = app.Temporary(t.Context(), "it", app.Heights(0, 100_000), app.FillOptions{Reader: grows})
	require.ErrorContains(t, err, "blocks 0..100000: without a ledger, the limit is 100000 blocks")
	_, err = app.Temporary(t.Context(), "it", app.Heights(0, 100_000), o) // an archive has no limit
	require.ErrorIs(t, err, chain.ErrNotKept)
	_, err = app.Temporary(t.Context(), "it", app.Heights(20, 99), o)
	require.ErrorIs(t, err, chain.ErrNotKept)
	_, err = app.Temporary(t.Context(), "it", app.Heights(99, 99), o)
	require.ErrorIs(t, err, chain.ErrNotKept)
	ctx, cancel := context.WithCancel(t.Context())
	o.Judged = func(*evidence.Report) { cancel() }
	_, err = app.Temporary(ctx, "it", app.Heights(0, 27), o)
	require.Equal(t, failure.Stopped, app.KindOf(err))
	t.Setenv("TMPDIR", "/nowhere")
	_, err = app.Temporary(t.Context(), "it", app.Heights(0, 1), o)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.True(t, ranged(app.Heights(0, 1)))
	require.False(t, ranged(app.Period{All: true}))
}

func ranged(p app.Period) bool { return p.Ranged() }

// A new ledger follows from the height that is named, or from the newest block; one that is
// there goes on, and takes no other beginning. Each block is sealed at once.
func TestFollow(t *testing.T) {
	c, reader := made(10, 40)
	heads := source.Poll(reader.Source, time.Millisecond)
	follow := func(place string, from chain.Optional[uint64], until uint64) (lags []string, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err = app.Follow(ctx, place, app.FollowOptions{
			FillOptions: app.FillOptions{Reader: reader}, Heads: heads, From: from,
			Lag: func(height, newest uint64) {
				lags = append(lags, fmt.Sprintf("%d of %d", height, newest))
				if height >= until {
					cancel()
				} else if height == c.Head() {
					c.SetHead(height + 1)
				}
			},
		})
		return lags, err
	}
	place := file(t)
	lags, err := follow(place, chain.Some[uint64](30), 42)
	require.Equal(t, failure.Stopped, app.KindOf(err))
	require.Equal(t, "42 of 42", lags[len(lags)-1])
	s := statusOf(t, place)
	require.Equal(t, []uint64{30, 13, 42}, []uint64{s.First, s.Blocks, must(t, s.Sealed)})

	_, err = follow(place, chain.Some[uint64](30), 50)
	require.EqualError(t, err, "from is for new ledgers; this one continues at block 43")
	require.Equal(t, []app.Field{app.FieldFrom}, fieldsOf(t, err))
	c.SetHead(49)
	lags, err = follow(place, chain.Optional[uint64]{}, 50)
	require.Equal(t, failure.Stopped, app.KindOf(err))
	require.Equal(t, "50 of 50", lags[len(lags)-1])
	require.EqualValues(t, 21, statusOf(t, place).Blocks)

	newest := file(t)
	_, err = follow(newest, chain.Optional[uint64]{}, 51)
	require.Equal(t, failure.Stopped, app.KindOf(err))
	require.EqualValues(t, 50, statusOf(t, newest).First)

	quiet := file(t)
	_, err = app.Sync(t.Context(), quiet, blocks(t, "30..50"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.Equal(t, sealOf(t, quiet), sealOf(t, place))
}

// endedAt returns the built-in tables with another last block for Moonbeam.
func endedAt(t *testing.T, last uint64) network.Tables {
	t.Helper()
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	moonbeam.LastBlock, moonbeam.Anchors = &last, nil
	text, err := json.Marshal(map[string]any{"networks": []network.Network{*moonbeam}})
	require.NoError(t, err)
	tables, err := network.BuiltIn().With("ended.json", text)
	require.NoError(t, err)
	return tables
}

// A chain that has ended is followed up to its last block; then its last month, and all
// after it, is there as a whole.
func TestFollowAnEndedChain(t *testing.T) {
	reader, place := demo(t), file(t)
	var ended []uint64
	follow := func(head uint64) {
		require.NoError(t, app.Follow(t.Context(), place, app.FollowOptions{
			FillOptions: app.FillOptions{Reader: reader}, From: chain.Optional[uint64]{}, Lag: func(uint64, uint64) {},
			Heads: func(ctx context.Context) iter.Seq2[chain.Head, error] {
				return func(yield func(chain.Head, error) bool) {
					if yield(chain.Head{Number: head}, nil) {
						<-ctx.Done() // no other head ever comes
					}
				}
			},
			Ended: func(last uint64) { ended = append(ended, last) },
		}))
	}
	held := func(in app.PeriodInput) error {
		d, err := app.Open(t.Context(), place, reader.Tables)
		require.NoError(t, err)
		defer d.Close()
		_, err = d.Held(t.Context(), parsed(t, in))
		return err
	}
	filled(t, place)
	year := app.PeriodInput{From: "2026-01-01", To: "2026-12-31"}
	require.ErrorContains(t, held(year), "its end: the ledger is sealed up to block 27")

	reader.Tables = endedAt(t, 27)
	follow(27)
	follow(27)
	require.Equal(t, []uint64{27, 27}, ended)
	require.NoError(t, held(year))
	require.Error(t, held(app.PeriodInput{Blocks: "20..28"}))
	reader.Tables = endedAt(t, 28)
	require.ErrorContains(t, held(year), "its end: the ledger is sealed up to block 27")
}

// An archive does not grow: to follow it ends after its last block, each time.
func TestFollowAnArchive(t *testing.T) {
	reader, place := demo(t), file(t)
	follow := func(place string, from chain.Optional[uint64]) error {
		return app.Follow(t.Context(), place, app.FollowOptions{
			FillOptions: app.FillOptions{Reader: reader}, Heads: source.Poll(reader.Source, time.Millisecond), From: from, Lag: func(uint64, uint64) {},
		})
	}
	require.NoError(t, follow(place, chain.Some[uint64](0)))
	require.Equal(t, sealOf(t, copied(t)), sealOf(t, place))
	require.NoError(t, follow(place, chain.Optional[uint64]{}), "it has all there is")
	require.Equal(t, sealOf(t, copied(t)), sealOf(t, place))

	beyond := file(t) // the heads of a node that is further
	require.NoError(t, app.Follow(t.Context(), beyond, app.FollowOptions{
		FillOptions: app.FillOptions{Reader: reader}, From: chain.Some[uint64](0), Lag: func(uint64, uint64) {},
		Heads: func(ctx context.Context) iter.Seq2[chain.Head, error] {
			return func(yield func(chain.Head, error) bool) {
				if yield(chain.Head{Number: 40}, nil) {
					<-ctx.Done()
				}
			}
		},
	}))
	require.Equal(t, sealOf(t, place), sealOf(t, beyond))

	nowhere := file(t)
	reader.Source = away{reader.Source}
	require.ErrorIs(t, follow(nowhere, chain.Optional[uint64]{}), errAway)
	require.NoFileExists(t, nowhere)
	reader.Source = otherwise{Source: demo(t).Source, block: func(b *chain.Block) error { return errAway }}
	require.ErrorIs(t, follow(nowhere, chain.Some[uint64](3)), errAway)
	require.NoFileExists(t, nowhere)

	// Heads that cannot be had, and a block below the first that cannot be asked for, end it.
	reader.Source = demo(t).Source
	err := app.Follow(t.Context(), file(t), app.FollowOptions{FillOptions: app.FillOptions{Reader: reader}, Lag: func(uint64, uint64) {},
		Heads: func(context.Context) iter.Seq2[chain.Head, error] {
			return func(yield func(chain.Head, error) bool) { yield(chain.Head{}, errAway) }
		}})
	require.ErrorIs(t, err, errAway)
	reader.Source = otherwise{Source: demo(t).Source, block: func(b *chain.Block) error {
		if b.Number == 2 {
			return errAway
		}
		return nil
	}}
	require.ErrorIs(t, follow(file(t), chain.Some[uint64](3)), errAway)
	require.NoError(t, os.WriteFile(nowhere, []byte(strings.Repeat("no ledger", 1000)), 0o600))
	require.Error(t, follow(nowhere, chain.Optional[uint64]{}))
}

var errAway = errors.New("nobody is there")

// away is a source that has no newest block.
type away struct{ source.Source }

func (a away) Unwrap() source.Source { return a.Source }

func (away) Head(context.Context, bool) (*chain.Block, error) { return nil, errAway }
