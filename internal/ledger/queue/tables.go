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

var silent = slog.New(slog.DiscardHandler)

// open are River's states of a job that is not over.
var open = []string{"available", "pending", "retryable", "running", "scheduled"}

// migrate makes River's tables, or brings them up to date.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: silent})
	if err != nil {
		return err
	}
	if found, err := migrator.Validate(ctx, nil); err == nil && found.OK {
		return nil
	}
	// One at a time. The lock has a connection of its own: the pool may have but one.
	lock, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer lock.Close(context.WithoutCancel(ctx))
	if _, err := lock.Exec(ctx, "SELECT pg_advisory_lock(hashtext('fees migrate river'))"); err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("the tables of the jobs: %w", err)
	}
	return nil
}
