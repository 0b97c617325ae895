package queue

import (
	"context"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// MaxJobs is the maximum number of jobs that one call of Enqueue creates.
const MaxJobs = 1_000_000

// Enqueue adds jobs of at most size blocks for spans of heights, and returns how many it added: all or, with
// an error, none. It skips heights that are in an open job. Stored blocks are skipped by the caller, and again
// by the workers. Enqueue creates the table jobs if it is missing.
func Enqueue(ctx context.Context, pool *pgxpool.Pool, spans []chain.Heights, size uint64) (jobs int, err error) {
	if err := check(spans, size); err != nil {
		return 0, err
	}
	if err := prepare(ctx, pool); err != nil {
		return 0, err
	}
	var firsts, lasts []uint64
	for _, s := range spans {
		firsts, lasts = append(firsts, s.First), append(lasts, s.Last)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// One at a time, otherwise two calls would not see each other's jobs.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('fees enqueue'))"); err != nil {
			return err
		}
		added, err := tx.Exec(ctx, insert, firsts, lasts, min(size, math.MaxInt64), MaxJobs+1)
		if jobs = int(added.RowsAffected()); jobs > MaxJobs {
			return fmt.Errorf("more than %d jobs; enqueue fewer blocks, or use larger jobs", MaxJobs)
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("enqueue: %w", err)
	}
	return jobs, nil
}

// insert adds jobs of up to $3 blocks for the spans from $1 to $2, less those of the open jobs, up to a limit.
const insert = `WITH
	wanted AS (SELECT coalesce(range_agg(int8range(first, last, '[]')), '{}') AS spans FROM unnest($1::bigint[], $2::bigint[]) AS spans (first, last)),
	taken AS (SELECT coalesce(range_agg(int8range(first, last, '[]')), '{}') AS spans FROM jobs WHERE ended IS NULL),
	missing AS (SELECT lower(span) AS first, upper(span) - 1 AS last FROM wanted, taken, unnest(wanted.spans - taken.spans) AS span)
	INSERT INTO jobs (first, last)
	SELECT first, CASE WHEN last - first < $3 THEN last ELSE first + $3 - 1 END
	FROM (SELECT generate_series(first, last, $3::bigint) AS first, last FROM missing) AS parts LIMIT $4`

func check(spans []chain.Heights, size uint64) error {
	if size == 0 {
		return fmt.Errorf("enqueue: a job needs at least 1 block")
	}
	for _, s := range spans {
		if s.First > s.Last {
			return fmt.Errorf("enqueue: block %d is after block %d", s.First, s.Last)
		}
		if s.Last >= math.MaxInt64 {
			return fmt.Errorf("enqueue: block %d exceeds the greatest height that a ledger can store", s.Last)
		}
	}
	return nil
}
