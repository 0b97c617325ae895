package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Summary counts the jobs by state.
type Summary struct {
	Waiting  uint64 // waiting for a worker
	Running  uint64
	Retrying uint64 // failed, waiting for a retry
	Failed   uint64 // failed for good in the last week
	Done     uint64 // done in the last day
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
	At      time.Time
	Next    time.Time // time of the next attempt; zero if there is none or it is running
}

// Jobs counts the jobs. Without the table jobs there are none.
func Jobs(ctx context.Context, pool *pgxpool.Pool) (Summary, error) {
	var s Summary
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		there, err := exists(ctx, tx)
		if err != nil || !there {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT
			count(*) FILTER (WHERE ended IS NULL AND taken IS NULL AND error IS NULL),
			count(*) FILTER (WHERE ended IS NULL AND taken IS NOT NULL),
			count(*) FILTER (WHERE ended IS NULL AND taken IS NULL AND error IS NOT NULL),
			count(*) FILTER (WHERE failed AND ended > now() - `+week+`),
			count(*) FILTER (WHERE NOT failed AND ended > now() - `+day+`)
			FROM jobs`).Scan(&s.Waiting, &s.Running, &s.Retrying, &s.Failed, &s.Done)
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
		SELECT first, last, CASE WHEN taken IS NULL THEN attempt ELSE attempt - 1 END, error, error_at, CASE WHEN ended IS NULL AND taken IS NULL THEN due END
		FROM jobs WHERE error IS NOT NULL AND (ended IS NULL OR failed AND ended > now() - `+week+`) ORDER BY error_at DESC, id LIMIT $1`, MaxFailures)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Failure, error) {
		var f Failure
		var next *time.Time
		err := row.Scan(&f.Span.First, &f.Span.Last, &f.Attempt, &f.Error, &f.At, &next)
		if f.At = f.At.UTC(); next != nil {
			f.Next = next.UTC()
		}
		return f, err
	})
}
