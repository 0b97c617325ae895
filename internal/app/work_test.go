package app_test

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// Two workers share the jobs of a range, and leave the ledger that one quiet run makes. Each
// block is reported once, and no job runs twice.
func TestWork(t *testing.T) {
	long(t)
	_, reader := made(13, 450)
	o := app.FillOptions{Reader: reader}
	place := postgrestest.Start(t).Database(t)
	jobs, err := app.Enqueue(t.Context(), place, blocks(t, "1..450"), o)
	require.NoError(t, err)
	require.Equal(t, []any{spanOf(1, 450), uint64(450), 3}, []any{jobs.Blocks, jobs.Missing, jobs.Jobs}) // of 200 blocks
	require.NotContains(t, jobs.Place, "@")
	again, err := app.Enqueue(t.Context(), place, blocks(t, "1..450"), o)
	require.NoError(t, err)
	require.Zero(t, again.Jobs)
	require.EqualValues(t, 3, must(t, statusOf(t, place).Jobs).Left())

	var mu sync.Mutex
	told := map[uint64]int{}
	var working sync.WaitGroup
	wrong := make([]error, 2)
	shown := make([][2]uint64, 2)
	for i := range wrong {
		working.Go(func() {
			wrong[i] = app.Work(t.Context(), place, app.WorkOptions{Jobs: 2, UntilDone: true, Waiting: func(error) {},
				FillOptions: app.FillOptions{Reader: reader, Progress: app.Progress{Show: func(done, total uint64) { shown[i] = [2]uint64{done, total} }},
					Judged: func(r *evidence.Report) {
						mu.Lock()
						defer mu.Unlock()
						told[r.Number]++
					}}})
		})
	}
	working.Wait()
	for i, err := range wrong {
		require.NoError(t, err)
		require.EqualValues(t, 3, shown[i][1])
	}
	require.Len(t, told, 450)
	for height, times := range told {
		require.Equal(t, 1, times, height)
	}
	s := statusOf(t, place)
	require.EqualValues(t, 450, must(t, s.Sealed))
	require.EqualValues(t, 3, must(t, s.Jobs).Done)
	quiet := file(t)
	_, err = app.Sync(t.Context(), quiet, blocks(t, "1..450"), o)
	require.NoError(t, err)
	require.Equal(t, sealOf(t, quiet), sealOf(t, place))
}

// Work waits for a database that is temporarily read-only, and reports it once; who gives up
// meanwhile is let go.
func TestWorkWaitsForTheDatabase(t *testing.T) {
	long(t)
	_, reader := made(14, 30)
	o := app.WorkOptions{FillOptions: app.FillOptions{Reader: reader}, Jobs: 1, UntilDone: true}
	place := postgrestest.Start(t).Database(t)
	_, err := app.Enqueue(t.Context(), place, blocks(t, "1..30"), o.FillOptions)
	require.NoError(t, err)
	db, err := sql.Open("pgx", place)
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("LOCK TABLE book IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)

	var told []error
	ctx, cancel := context.WithCancel(t.Context())
	o.Waiting = func(err error) { told = append(told, err); cancel() }
	err = app.Work(ctx, place+"&lock_timeout=50", o)
	require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)
	require.Len(t, told, 1)
	require.Equal(t, failure.Busy, app.KindOf(told[0]), "%v", told[0])

	told = nil
	waits := make(chan bool, 100)
	o.Waiting = func(err error) { told = append(told, err); waits <- true }
	done := make(chan error, 1)
	go func() { done <- app.Work(t.Context(), place+"&lock_timeout=50", o) }()
	select {
	case err := <-done:
		t.Fatalf("it does not wait: %v", err)
	case <-waits:
	}
	select {
	case err := <-done:
		t.Fatalf("it does not wait: %v", err)
	case <-time.After(1500 * time.Millisecond): // the second attempt is a second after the first
	}
	require.NoError(t, tx.Rollback())
	require.NoError(t, <-done)
	require.Len(t, told, 1, "each reason once")
	require.EqualValues(t, 30, must(t, statusOf(t, place).Sealed))
}

// What no waiting mends ends the work: a ledger of another chain, a place that is none, a
// source that is away when it begins.
func TestWorkThatCannotBe(t *testing.T) {
	long(t)
	_, one := made(15, 30)
	_, other := made(16, 30)
	place := postgrestest.Start(t).Database(t)
	_, err := app.Enqueue(t.Context(), place, blocks(t, "0..29"), app.FillOptions{Reader: one})
	require.NoError(t, err)
	o := app.WorkOptions{FillOptions: app.FillOptions{Reader: other}, Jobs: 1, UntilDone: true, Waiting: func(err error) { t.Error(err) }}
	require.ErrorIs(t, app.Work(t.Context(), place, o), ledger.ErrOtherChain)
	require.Error(t, app.Work(t.Context(), file(t), o), "jobs are for a database")
	o.Reader = demo(t)
	o.Reader.Source = otherwise{Source: o.Reader.Source, multiplier: func(uint64) error { return errAway }}
	require.Error(t, app.Work(t.Context(), place, o))
	_, err = app.Enqueue(t.Context(), place, blocks(t, "0..9"), app.FillOptions{Reader: other})
	require.ErrorIs(t, err, ledger.ErrOtherChain)
	require.EqualValues(t, 1, must(t, statusOf(t, place).Jobs).Left(), "that of the first chain")
}

// Jobs are made of the blocks of days. Of those of 2025, block 7200 and 7201 are the first's last
// and the second's first; 4200 blocks are 14 hours, and 3600 are 12.
func TestEnqueueOfManyBlocks(t *testing.T) {
	long(t)
	_, reader := made(17, 40_000)
	place := postgrestest.Start(t).Database(t)
	jobs, err := app.Enqueue(t.Context(), place, wanted(t, app.PeriodInput{From: "2025-01-02", To: "2025-01-04"}), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.Equal(t, spanOf(3000, 32_401), jobs.Blocks)
	require.EqualValues(t, 29_402, jobs.Missing)
	require.Equal(t, 148, jobs.Jobs) // of 200 blocks each, the last of 2
	s := statusOf(t, place)
	require.Zero(t, s.Blocks)
	v := verified(t, place, reader) // nothing is there yet that could differ
	require.NoError(t, v.Err())
	require.Zero(t, v.Compared)
}
