//go:build unix

package queue_test

import (
	"context"
	"errors"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// stopped stops a worker process for good or for long while it has jobs under way, and
// leads or does not, and returns those jobs. Where it is not so it returns none, and leaves
// the process alone. Meanwhile the rows are locked: whatever the process has sent by then,
// it ends none of these jobs.
func (s shared) stopped(p *process, leads bool, stop func(*process)) (jobs []int64) {
	s.Helper()
	ctx := context.Background()
	require.NoError(s, pgx.BeginFunc(ctx, s.Pool(), func(tx pgx.Tx) error {
		var its bool
		err := tx.QueryRow(ctx, "SELECT leader_id LIKE $1 FROM river_leader FOR UPDATE", p.is()).Scan(&its)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil || its != leads {
			return err
		}
		rows, err := tx.Query(ctx, "SELECT id FROM river_job WHERE state = 'running' AND attempted_by[cardinality(attempted_by)] LIKE $1 FOR UPDATE", p.is())
		if err != nil {
			return err
		}
		if jobs, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err == nil && len(jobs) > 0 {
			stop(p)
		}
		return err
	}))
	return jobs
}

// takenForDead waits until the workers of all jobs that are under way now may be taken for
// dead, and then has River elect a leader anew: one who is new looks for the dead at once,
// the others every 30 s.
func (s shared) takenForDead() {
	s.Helper()
	underWay := column[int64](s, "SELECT id FROM river_job WHERE state = 'running'")
	s.eventually("their time is never over", func() bool {
		return one[bool](s, "SELECT coalesce(max(attempted_at) < now() - $2::interval, true) FROM river_job WHERE id = ANY($1)", underWay, limit+limit/2)
	})
	s.exec("DELETE FROM river_leader")
}

// kill ends a process, and returns when it is gone.
func (p *process) kill() {
	require.NoError(p.test, p.Process.Kill())
	require.Error(p.test, p.Wait())
}

// freeze stops a process, and returns when none of it runs.
func (p *process) freeze() {
	require.NoError(p.test, p.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(p.test, err)
	require.True(p.test, status.Stopped(), &p.said)
}

// thaw lets it go on.
func (p *process) thaw() { require.NoError(p.test, p.Process.Signal(syscall.SIGCONT)) }
