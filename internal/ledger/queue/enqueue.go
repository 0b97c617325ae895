package queue

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// MaxJobs is the maximum number of jobs that one call of Enqueue creates.
const MaxJobs = 1_000_000

// Enqueue adds jobs of at most size blocks for spans of heights, and returns how many it added: all or, with
// an error, none. It skips heights that are in an open job. Stored blocks are skipped by the caller, and again
// by the workers. Enqueue creates River's tables if they are missing.
func Enqueue(ctx context.Context, book *ledger.Book, spans []chain.Heights, size uint64) (jobs int, err error) {
	pool, err := poolOf(book)
	if err != nil {
		return 0, err
	}
	if err := prepare(ctx, pool); err != nil {
		return 0, fmt.Errorf("enqueue: %w", err)
	}
	var firsts, lasts []uint64
	for _, s := range spans {
		firsts, lasts = append(firsts, s.First), append(lasts, s.Last)
	}
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: silent, PollOnly: true})
	if err != nil {
		return 0, fmt.Errorf("enqueue: %w", err)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// One at a time, otherwise two calls would not see each other's jobs.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('fees enqueue'))"); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, missing, firsts, lasts, min(size, math.MaxInt64), MaxJobs+1)
		if err != nil {
			return err
		}
		tasks, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p river.InsertManyParams, err error) {
			var t task
			err = row.Scan(&t.First, &t.Last)
			return river.InsertManyParams{Args: t}, err
		})
		if jobs = len(tasks); jobs > MaxJobs {
			return fmt.Errorf("more than %d jobs; enqueue fewer blocks, or use larger jobs", MaxJobs)
		}
		for batch := range slices.Chunk(tasks, 10_000) {
			if _, err := client.InsertManyFastTx(ctx, tx, batch); err != nil {
				return err
			}
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("enqueue: %w", err)
	}
	return jobs, nil
}

// missing cuts the spans from $1 to $2, less those of the open jobs, into parts of up to $3 blocks, up to a limit.
const missing = `WITH
	wanted AS (SELECT coalesce(range_agg(int8range(first, last, '[]')), '{}') AS spans FROM unnest($1::bigint[], $2::bigint[]) AS spans (first, last)),
	taken AS (SELECT coalesce(range_agg(int8range((args->>'first')::bigint, (args->>'last')::bigint, '[]')), '{}') AS spans FROM river_job WHERE finalized_at IS NULL),
	missing AS (SELECT lower(span) AS first, upper(span) - 1 AS last FROM wanted, taken, unnest(wanted.spans - taken.spans) AS span)
	SELECT first, CASE WHEN last - first < $3 THEN last ELSE first + $3 - 1 END
	FROM (SELECT generate_series(first, last, $3::bigint) AS first, last FROM missing) AS parts LIMIT $4`
