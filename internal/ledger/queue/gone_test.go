//go:build unix

package queue_test

import (
	"context"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// stopped stops a worker process with running jobs, for good or for long, and returns those jobs. Without any, it does not
// stop the process. Meanwhile the rows are locked, so that the process ends none of these jobs.
func (s shared) stopped(p *process, stop func(*process)) (jobs []int64) {
	s.Helper()
	ctx := context.Background()
	require.NoError(s, pgx.BeginFunc(ctx, ledger.Pool(s.Book), func(tx pgx.Tx) error {
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

// kill ends a process, and returns when it is gone.
func (p *process) kill() {
	require.NoError(p.test, p.Process.Kill())
	require.Error(p.test, p.Wait())
}

// freeze stops a process, and returns when none of its threads runs.
func (p *process) freeze() {
	require.NoError(p.test, p.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(p.test, err)
	require.True(p.test, status.Stopped(), &p.said)
}

// thaw resumes it.
func (p *process) thaw() { require.NoError(p.test, p.Process.Signal(syscall.SIGCONT)) }
