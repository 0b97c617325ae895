package queue_test

import (
	"testing"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/stretchr/testify/require"
)

func TestJobs(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	require.Equal(t, queue.Summary{}, s.jobs(), "without River's tables")
	s.enqueue(100, 10)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	set := func(first uint64, state string, attempt int, failed string, ago string) {
		s.exec(`UPDATE river_job SET state = $2, attempt = $3::int, scheduled_at = '2026-01-02 03:05:05+00',
			created_at = $5::timestamptz - interval '1 hour',
			errors = CASE WHEN $4 <> '' THEN ARRAY[jsonb_build_object('at', $5::timestamptz, 'attempt', $3::int, 'error', $4::text)] END,
			finalized_at = CASE WHEN $6 <> '' THEN now() - $6::interval END WHERE args->'first' = to_jsonb($1::bigint)`,
			first, state, attempt, failed, at.Add(time.Duration(first)*time.Second), ago)
	}
	set(1, "completed", 2, "once", "0 s")
	set(11, "running", 1, "", "")
	set(21, "running", 1, "Stuck job rescued by JobRescuer", "")
	set(31, "retryable", 2, "refused", "")
	set(41, "available", 1, "timeout", "")
	set(51, "cancelled", 1, "JobCancelError: a ledger of another chain", "25 hours")
	set(61, "discarded", 1, "down", "0 s")
	set(71, "discarded", 1, "forgotten", "8 days")
	set(81, "completed", 1, "", "25 hours")

	jobs := s.jobs()
	require.Equal(t, queue.Summary{
		Waiting: 1, Running: 2, Retrying: 2, Failed: 2, Done: 1, Oldest: at.Add(11*time.Second - time.Hour),
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
