//go:build unix

package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// Four workers give the same ledger on the database's address and through PgBouncer in session mode. In transaction mode
// all four are refused, and change nothing.
func TestFourWorkersThroughAPooler(t *testing.T) {
	t.Parallel()
	const last = 400
	for _, mode := range []string{"", "session", "transaction"} {
		t.Run("pool_mode="+mode, func(t *testing.T) {
			s := newShared(t, postgrestest.Start(t))
			s.enqueue(last, 10)
			workers := s
			if mode != "" {
				workers.address = postgrestest.Pooled(t, s.address, mode)
			}
			var four [4]*process
			for i := range four {
				four[i] = workers.process()
			}
			if mode != "transaction" {
				for _, p := range four {
					s.ends(p)
				}
				s.requireDone(last)
				return
			}
			for _, p := range four {
				require.Error(t, p.Wait())
				require.Contains(t, p.said.String(), ledger.ErrPooler.Error())
			}
			require.Zero(t, s.status().Blocks)
			require.EqualValues(t, last/10, s.jobs().Waiting)
		})
	}
}
