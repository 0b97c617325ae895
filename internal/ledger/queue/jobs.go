package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Summary counts the jobs by state.
type Summary struct {
	Waiting  uint64 // waiting for a worker
	Running  uint64
	Retrying uint64 // failed, waiting for a retry
	Failed   uint64 // failed for good in the last week
	Done     uint64 // done in the last day
	// Oldest is when the oldest open job was created; zero if there is none.
	Oldest time.Time
	// Failures are the last errors of jobs that are not done, newest first, at most MaxFailures.
	Failures []Failure
}

// Left returns the number of open jobs.
func (s Summary) Left() uint64 { return s.Waiting + s.Running + s.Retrying }

// MaxFailures is the maximum number of failures in a Summary.
const MaxFailures = 20

// Failure is a job's last error.
type Failure struct {
	Span    chain.Heights
	Attempt int // from 1
	Error   string
	At      time.Time // when the attempt began
	Next    time.Time // time of the next attempt; zero if there is none or it is running
}

// Jobs counts the jobs. Without River's tables there are none.
func Jobs(ctx context.Context, book *ledger.Book) (Summary, error) {
	var s Summary
	pool, err := poolOf(book)
	if err != nil {
		return s, err
	}
	err = pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var exists bool
		err := tx.QueryRow(ctx, "SELECT to_regclass('river_job') IS NOT NULL").Scan(&exists)
		if err != nil || !exists {
			return err
		}
		var oldest *time.Time
		err = tx.QueryRow(ctx, `SELECT
			count(*) FILTER (WHERE finalized_at IS NULL AND state <> 'running' AND errors IS NULL),
			count(*) FILTER (WHERE state = 'running'),
			count(*) FILTER (WHERE finalized_at IS NULL AND state <> 'running' AND errors IS NOT NULL),
			count(*) FILTER (WHERE `+failed+`),
			count(*) FILTER (WHERE state = 'completed' AND finalized_at > now() - interval '1 day'),
			min(created_at) FILTER (WHERE finalized_at IS NULL)
			FROM river_job`).Scan(&s.Waiting, &s.Running, &s.Retrying, &s.Failed, &s.Done, &oldest)
		if err != nil {
			return err
		}
		if oldest != nil {
			s.Oldest = oldest.UTC()
		}
		s.Failures, err = failures(ctx, tx)
		return err
	})
	if err != nil {
		return Summary{}, fmt.Errorf("jobs: %w", err)
	}
	return s, nil
}

// failed is an SQL condition for jobs that failed for good in the last week.
const failed = "state IN ('cancelled', 'discarded') AND finalized_at > now() - interval '7 days'"

func failures(ctx context.Context, tx pgx.Tx) ([]Failure, error) {
	rows, err := tx.Query(ctx, `
		SELECT args->'first', args->'last', last->'attempt', last->>'error', (last->>'at')::timestamptz, CASE WHEN finalized_at IS NULL AND state <> 'running' THEN scheduled_at END
		FROM (SELECT *, errors[cardinality(errors)] AS last FROM river_job WHERE errors IS NOT NULL AND (finalized_at IS NULL OR `+failed+`)) AS job ORDER BY 5 DESC, id LIMIT $1`, MaxFailures)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Failure, error) {
		var f Failure
		var next *time.Time
		err := row.Scan(&f.Span.First, &f.Span.Last, &f.Attempt, &f.Error, &f.At, &next)
		f.Error = plainly.Replace(f.Error)
		if f.At = f.At.UTC(); next != nil {
			f.Next = next.UTC()
		}
		return f, err
	})
}

// plainly replaces River's words in errors.
var plainly = strings.NewReplacer("JobCancelError: ", "", "Stuck job rescued by JobRescuer", "the worker died or took too long")
