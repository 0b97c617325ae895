package ledger

import (
	"context"
	"fmt"
	"time"
)

// EndStalled ends the connections of other programs that changed something in a transaction
// and stopped in the midst of a message, of which the server has waited for the rest for a
// time: it waits for ever, and keeps what they changed locked. Between two messages it
// waits for 30 s at most. It returns how many there were. It is for PostgreSQL.
func (b *Book) EndStalled(ctx context.Context, after time.Duration) (ended int, err error) {
	err = b.Pool().QueryRow(ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = $1 AND datname = current_database() AND usename = current_user
			AND backend_xid IS NOT NULL AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - $2::interval`,
		application, after).Scan(&ended)
	if err != nil {
		return 0, fmt.Errorf("end what stalled: %w", err)
	}
	return ended, nil
}
