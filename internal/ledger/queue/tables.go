package queue

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// silent is River's logger: its messages contain errors of the database, and jobs store theirs.
var silent = slog.New(slog.DiscardHandler)

// prepare creates River's tables, or brings them up to date. Each step is a transaction, since PostgreSQL before 17 uses
// no value that the same transaction adds to a type. The steps of several programs take turns.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: silent})
	for more := true; more && err == nil; {
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('fees jobs'))"); err != nil {
				return err
			}
			done, err := migrator.MigrateTx(ctx, tx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{MaxSteps: 1})
			more = err == nil && len(done.Versions) > 0
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("tables of the job queue: %w", err)
	}
	return nil
}
