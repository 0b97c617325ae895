package queue

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// silent is River's logger: its messages contain errors of the database, and jobs store theirs.
var silent = slog.New(slog.DiscardHandler)

// prepare creates River's tables, or brings them up to date. Several programs take turns, with a lock that ends with its
// connection. That is not one of the pool, which may have only one.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	locking, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer locking.Close(context.WithoutCancel(ctx))
	if _, err := locking.Exec(ctx, "SELECT pg_advisory_lock(hashtext('fees jobs'))"); err != nil {
		return err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: silent})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}
