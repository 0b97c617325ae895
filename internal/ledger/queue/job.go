package queue

import (
	"context"
	"errors"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// job is a worker's attempt at a job. It belongs to the worker while taken matches the row.
type job struct {
	id      int64
	blocks  chain.Heights
	doubled int
	attempt int // from 1
	taken   time.Time
}

// maxAttempts is a week of attempts, one a minute.
const maxAttempts = 7 * 24 * 60

// maxDoubled limits the doubling of a job's time to 64 times, 10 min 40 s.
const maxDoubled = 6

// within returns the job's time, given the limit of other jobs.
func (j *job) within(limit time.Duration) time.Duration { return limit << j.doubled }

// pause returns how long to wait after a failed attempt, counted from 1.
func pause(attempt int) time.Duration {
	return min(time.Second<<min(attempt-1, 10), time.Minute)
}

// take gives a worker the next due job, nil if there is none. The worker counts as dead after one and a half
// times the job's time. All times are the server's.
func take(ctx context.Context, pool *pgxpool.Pool, worker string, limit time.Duration) (*job, error) {
	var j job
	err := pool.QueryRow(ctx, `UPDATE jobs SET attempt = attempt + 1, worker = $1, taken = clock_timestamp(),
			due = clock_timestamp() + $2::interval * power(2, doubled),
			error = CASE WHEN taken IS NULL THEN error ELSE 'the worker died or took too long' END,
			error_at = CASE WHEN taken IS NULL THEN error_at ELSE clock_timestamp() END
		WHERE id = (SELECT id FROM jobs WHERE ended IS NULL AND due <= clock_timestamp() ORDER BY rest DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, first, last, doubled, attempt, taken`, worker, limit+limit/2).
		Scan(&j.id, &j.blocks.First, &j.blocks.Last, &j.doubled, &j.attempt, &j.taken)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &j, err
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

// errGiven reports that a job belongs to another worker.
var errGiven = errors.New("the job took too long and was given to another worker")

// change updates the job's row if it still belongs to this worker, and blocks takeovers until the transaction
// ends.
func (j *job) change(ctx context.Context, db execer, set string, arguments ...any) error {
	done, err := db.Exec(ctx, "UPDATE jobs SET "+set+" WHERE id = $1 AND taken = $2 AND ended IS NULL", append([]any{j.id, j.taken}, arguments...)...)
	if err == nil && done.RowsAffected() == 0 {
		err = errGiven
	}
	return err
}

// hold blocks takeovers until the transaction ends.
func (j *job) hold(ctx context.Context, db execer) error { return j.change(ctx, db, "taken = taken") }

// complete marks the job as done.
func (j *job) complete(ctx context.Context, db execer) error {
	return j.change(ctx, db, "ended = clock_timestamp(), taken = NULL")
}

// split ends the job and creates another for the rest, from a height on. The new job goes first, since the
// ledger cannot be sealed without it.
func (j *job) split(ctx context.Context, db execer, next uint64) error {
	if err := j.complete(ctx, db); err != nil {
		return err
	}
	_, err := db.Exec(ctx, "INSERT INTO jobs (first, last, rest, doubled) VALUES ($1, $2, true, $3)", next, j.blocks.Last, j.doubled)
	return err
}

// putBack returns the job to the queue as if it had not been started.
func (j *job) putBack(ctx context.Context, db execer) error {
	return j.change(ctx, db, "taken = NULL, attempt = attempt - 1, due = clock_timestamp()")
}

// fail schedules a retry after a pause, with more time if one block took too long, or gives up for good.
func (j *job) fail(ctx context.Context, db execer, message string, slow, forGood bool) error {
	doubled := j.doubled
	if slow {
		doubled = min(doubled+1, maxDoubled)
	}
	return j.change(ctx, db, `taken = NULL, due = now() + $3::interval, doubled = $4, error = $5, error_at = now(), failed = $6, ended = CASE WHEN $6 THEN now() END`, pause(j.attempt), doubled, message, forGood || j.attempt >= maxAttempts)
}
