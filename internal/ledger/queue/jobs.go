package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/feeledger/fees/chain"
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

// table defines the jobs: the open ones, and for a while the ended ones. A taken job has a worker until it ends or
// is due again.
const table = `
CREATE TABLE jobs (
	id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	first     BIGINT NOT NULL,
	last      BIGINT NOT NULL,
	rest      BOOLEAN NOT NULL DEFAULT false,     -- the rest of a job that was stored in part
	doubled   INTEGER NOT NULL DEFAULT 0,         -- how often its time was doubled because one block took longer
	attempt   INTEGER NOT NULL DEFAULT 0,
	due       TIMESTAMPTZ NOT NULL DEFAULT now(), -- when it may be taken; if it is taken, when its worker counts as dead
	taken     TIMESTAMPTZ,
	worker    TEXT,
	ended     TIMESTAMPTZ,
	failed    BOOLEAN NOT NULL DEFAULT false,     -- failed for good
	error     TEXT,                               -- of the last failed attempt
	error_at  TIMESTAMPTZ
);
CREATE INDEX jobs_open ON jobs (rest DESC, id) WHERE ended IS NULL`

// forget deletes jobs that ended long ago.
const forget = "DELETE FROM jobs WHERE ended < now() - CASE WHEN failed THEN " + week + " ELSE " + day + " END"

const (
	day  = "interval '1 day'"
	week = "interval '7 days'"
)

// prepare creates the table if it is missing, and deletes jobs that ended long ago.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('fees jobs'))"); err != nil { // one at a time
			return err
		}
		there, err := exists(ctx, tx)
		if err == nil && there {
			_, err = tx.Exec(ctx, forget)
		} else if err == nil {
			_, err = tx.Exec(ctx, table)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

func exists(ctx context.Context, tx pgx.Tx) (there bool, err error) {
	err = tx.QueryRow(ctx, "SELECT to_regclass('jobs') IS NOT NULL").Scan(&there)
	return there, err
}
