package queue_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// Options.Began is called for each job, and receives its outcome.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	var mu sync.Mutex
	outcomes, running := map[queue.Outcome]int{}, 0
	began := func() func(queue.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		running++
		return func(o queue.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			running--
			outcomes[o]++
		}
	}
	s.enqueue(20, 5)
	var once sync.Once
	s.work(but(slow(0), 7, func(context.Context) (err error) {
		once.Do(func() { err = errors.New("away") })
		return err
	}), queue.Options{Began: began})
	s.requireDone(20)
	require.Equal(t, map[queue.Outcome]int{queue.Done: 4, queue.Failed: 1}, outcomes)
	require.Zero(t, running)

	// A job of which nothing was judged before the worker stops is put back.
	other := newShared(t, postgrestest.Start(t))
	other.enqueue(5, 5)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	require.NoError(t, queue.Work(ctx, other.Book, but(slow(0), 1, func(ctx context.Context) error {
		stop()
		<-ctx.Done()
		return ctx.Err()
	}), queue.Options{Began: began, Jobs: 1}))
	require.Equal(t, 1, outcomes[queue.PutBack])
	require.Zero(t, running)
	require.EqualValues(t, 1, other.jobs().Left())
}

// A worker ends when the database has been away for five minutes. A pause because the process was frozen does not count.
func TestAbsence(t *testing.T) {
	away := errors.New("away")
	require.False(t, queue.IsAway(time.Hour, away))
	require.False(t, queue.IsAway(time.Hour, nil, away, away))
	require.False(t, queue.IsAway(10*time.Second, slices.Repeat([]error{away}, 31)...))
	require.True(t, queue.IsAway(10*time.Second, slices.Repeat([]error{away}, 32)...))
	require.False(t, queue.IsAway(10*time.Second, append(slices.Repeat([]error{away}, 31), nil, away)...))
}

// The last sealing is repeated when the database refuses it for a moment.
func TestTheLastSealingIsRepeated(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	s.work(slow(0), queue.Options{})
	tx, err := ledger.Pool(s.Book).Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.Background())
	_, err = tx.Exec(t.Context(), "LOCK TABLE book IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	done, hurried := make(chan error, 1), openShared(t, s.address+"&lock_timeout=100")
	go func() { done <- queue.Work(t.Context(), hurried, slow(0), queue.Options{UntilDone: true}) }()
	select {
	case err := <-done:
		t.Fatal("it ended: ", err)
	case <-time.After(3 * time.Second):
	}
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-done)
	s.requireDone(10)
}
