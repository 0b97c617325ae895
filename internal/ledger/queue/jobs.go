package queue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Summary is how the jobs stand.
type Summary struct {
	Waiting  uint64 // for a worker
	Running  uint64
	Retrying uint64 // failed and waits to be tried again
	Failed   uint64 // and will not be tried again; those of the last week
	Done     uint64 // those of the last day
	// Failures are the last errors of jobs that are not done, the newest first, at
	// most MaxFailures.
	Failures []Failure
}

// Left is how many jobs are not over.
func (s Summary) Left() uint64 { return s.Waiting + s.Running + s.Retrying }

// MaxFailures is how many failures a Summary has at most.
const MaxFailures = 20

// Failure is a job's last error.
type Failure struct {
	Span    ledger.Span
	Attempt int // from 1
	Error   string
	At      time.Time
	Next    time.Time // of the next attempt, zero if there is none or it is under way
}

// retrying is SQL for a job that failed and waits. River makes it available at once
// when the pause is short.
const retrying = "(state = 'retryable' OR state = 'available' AND coalesce(cardinality(errors), 0) > 0)"

// Jobs counts the jobs. Where River's tables are not there, there are none.
func Jobs(ctx context.Context, pool *pgxpool.Pool) (Summary, error) {
	var s Summary
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var exists bool
		err := tx.QueryRow(ctx, "SELECT to_regclass('river_job') IS NOT NULL").Scan(&exists)
		if err != nil || !exists {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT
			count(*) FILTER (WHERE state IN ('available', 'pending', 'scheduled') AND NOT `+retrying+`),
			count(*) FILTER (WHERE state = 'running'),
			count(*) FILTER (WHERE `+retrying+`),
			count(*) FILTER (WHERE state IN ('cancelled', 'discarded')),
			count(*) FILTER (WHERE state = 'completed')
			FROM river_job WHERE kind = $1`, kind).Scan(&s.Waiting, &s.Running, &s.Retrying, &s.Failed, &s.Done)
		if err != nil {
			return err
		}
		s.Failures, err = failures(ctx, tx)
		return err
	})
	if err != nil {
		return Summary{}, fmt.Errorf("jobs: %w", err)
	}
	return s, nil
}

func failures(ctx context.Context, tx pgx.Tx) ([]Failure, error) {
	rows, err := tx.Query(ctx, `
		SELECT args, (e ->> 'attempt')::int, e ->> 'error', (e ->> 'at')::timestamptz,
			CASE WHEN `+retrying+` THEN scheduled_at END
		FROM (SELECT *, errors[cardinality(errors)] AS e FROM river_job
			WHERE kind = $1 AND state <> 'completed' AND cardinality(errors) > 0) AS failed
		ORDER BY 4 DESC, id LIMIT $2`, kind, MaxFailures)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Failure, error) {
		var f Failure
		var j job
		var next *time.Time
		err := row.Scan(&j, &f.Attempt, &f.Error, &f.At, &next)
		f.Span, f.Error, f.At = j.span(), plain(f.Error), f.At.UTC()
		if next != nil {
			f.Next = next.UTC()
		}
		return f, err
	})
}

// plain is an error without River's own words.
func plain(text string) string {
	if text == "Stuck job rescued by JobRescuer" {
		return "the worker died, or took too long"
	}
	return strings.TrimPrefix(text, "JobCancelError: ")
}
