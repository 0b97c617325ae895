package queue_test

import (
	"testing"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/stretchr/testify/require"
)

func TestJobsWithoutTables(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	require.Equal(t, queue.Summary{}, s.jobs())
}

func TestJobs(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(80, 10)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	set := func(first uint64, how string) {
		s.exec("UPDATE jobs SET error_at = $2, "+how+" WHERE first = $1", first, at.Add(time.Duration(first)*time.Second))
	}
	const next = "due = '2026-01-02 03:05:05+00'"
	set(1, "ended = now(), error = 'once', attempt = 2")
	set(11, "taken = now(), attempt = 1")
	set(21, "taken = now(), attempt = 2, error = 'the worker died or took too long'")
	set(31, "attempt = 2, error = 'refused', "+next)
	set(41, "attempt = 1, error = 'timeout', "+next)
	set(51, "attempt = 1, ended = now(), failed = true, error = 'a ledger of another chain'")
	set(61, "attempt = 1, ended = now(), failed = true, error = 'down'")

	jobs := s.jobs()
	require.Equal(t, queue.Summary{
		Waiting: 1, Running: 2, Retrying: 2, Failed: 2, Done: 1,
		Failures: []queue.Failure{
			{Span: chain.Heights{First: 61, Last: 70}, Attempt: 1, Error: "down", At: at.Add(61 * time.Second)},
			{Span: chain.Heights{First: 51, Last: 60}, Attempt: 1, Error: "a ledger of another chain", At: at.Add(51 * time.Second)},
			{Span: chain.Heights{First: 41, Last: 50}, Attempt: 1, Error: "timeout", At: at.Add(41 * time.Second), Next: at.Add(time.Minute)},
			{Span: chain.Heights{First: 31, Last: 40}, Attempt: 2, Error: "refused", At: at.Add(31 * time.Second), Next: at.Add(time.Minute)},
			{Span: chain.Heights{First: 21, Last: 30}, Attempt: 1, Error: "the worker died or took too long", At: at.Add(21 * time.Second)},
		},
	}, jobs)
	require.Equal(t, uint64(5), jobs.Left())
}

// Jobs that ended long ago are deleted at the next enqueue or work.
func TestOldJobsAreForgotten(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(40, 10)
	for first, how := range map[int]string{1: "ended = now() - interval '25 hours'", 11: "ended = now() - interval '25 hours', failed = true", 21: "ended = now() - interval '8 days', failed = true"} {
		s.exec("UPDATE jobs SET error = 'down', error_at = now(), "+how+" WHERE first = $1", first)
	}
	seen := s.jobs()
	require.Equal(t, []uint64{1, 1, 0}, []uint64{seen.Waiting, seen.Failed, seen.Done})
	require.Len(t, seen.Failures, 1)
	_, err := queue.Enqueue(t.Context(), s.Pool(), nil, 1)
	require.NoError(t, err)
	require.Equal(t, []int64{11, 31}, column[int64](s, "SELECT first FROM jobs ORDER BY 1"))
}
