package ledger

import (
	"context"
	"fmt"
	"time"
)

// EndStalled terminates connections of other instances that changed something in a transaction and then
// stopped in the middle of a message, if the server has waited longer than after for the rest. The server would
// wait forever and keep the changed rows locked; between messages its limit is 30 s. It returns the number of
// terminated connections. It requires PostgreSQL.
func (b *Book) EndStalled(ctx context.Context, after time.Duration) (ended int, err error) {
	err = b.Pool().QueryRow(ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = $1 AND datname = current_database() AND usename = current_user
			AND backend_xid IS NOT NULL AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - $2::interval`,
		application, after).Scan(&ended)
	if err != nil {
		return 0, fmt.Errorf("ending stalled connections: %w", err)
	}
	return ended, nil
}
