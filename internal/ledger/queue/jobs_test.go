package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/ledger"
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
	set := func(first uint64, state string, failures ...string) {
		s.exec("UPDATE river_job SET state = $2::text::river_job_state, finalized_at = CASE WHEN $2 IN ('completed', 'cancelled', 'discarded') THEN now() END, scheduled_at = $3 WHERE (args ->> 'first')::bigint = $1",
			first, state, at.Add(time.Minute))
		for i, text := range failures {
			s.exec("UPDATE river_job SET errors = array_append(errors, jsonb_build_object('attempt', $2::int, 'error', $3::text, 'at', $4::timestamptz)) WHERE (args ->> 'first')::bigint = $1",
				first, i+1, text, at.Add(time.Duration(first)*time.Second))
		}
	}
	set(1, "completed", "once")
	set(11, "running")
	set(21, "running", "Stuck job rescued by JobRescuer")
	set(31, "retryable", "timeout", "refused")
	set(41, "available", "timeout")
	set(51, "cancelled", "JobCancelError: a ledger of another chain")
	set(61, "discarded", "down")

	jobs := s.jobs()
	require.Equal(t, queue.Summary{
		Waiting: 1, Running: 2, Retrying: 2, Failed: 2, Done: 1,
		Failures: []queue.Failure{
			{Span: ledger.Span{First: 61, Last: 70}, Attempt: 1, Error: "down", At: at.Add(61 * time.Second)},
			{Span: ledger.Span{First: 51, Last: 60}, Attempt: 1, Error: "a ledger of another chain", At: at.Add(51 * time.Second)},
			{Span: ledger.Span{First: 41, Last: 50}, Attempt: 1, Error: "timeout", At: at.Add(41 * time.Second), Next: at.Add(time.Minute)},
			{Span: ledger.Span{First: 31, Last: 40}, Attempt: 2, Error: "refused", At: at.Add(31 * time.Second), Next: at.Add(time.Minute)},
			{Span: ledger.Span{First: 21, Last: 30}, Attempt: 1, Error: "the worker died, or took too long", At: at.Add(21 * time.Second)},
		},
	}, jobs)
	require.Equal(t, uint64(5), jobs.Left())
}

func TestNotEveryErrorIsKept(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(1, 1)
	for i := range 25 {
		s.exec("UPDATE river_job SET errors = array_append(errors, $1::jsonb)", fmt.Sprintf(`{"attempt": 1, "error": "%d"}`, i))
	}
	judge := but(slow(0), 1, func(context.Context) error { return errors.New("the last") })
	s.work(judge, queue.Options{Permanent: func(error) bool { return true }})
	require.Equal(t, []string{"16", "17", "18", "19", "20", "21", "22", "23", "24", "JobCancelError: the last"},
		column[string](s, "SELECT e ->> 'error' FROM river_job, unnest(errors) AS e"))
}
