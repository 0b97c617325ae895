package queue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// table defines the jobs: the open ones, and for a while the ended ones. A taken job has a worker until it ends or
// is due again.
const table = `
CREATE TABLE jobs (
	id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	first     BIGINT NOT NULL,
	last      BIGINT NOT NULL,
	rest      BOOLEAN NOT NULL DEFAULT false,     -- the rest of a job that was stored in part
	doubled   INTEGER NOT NULL DEFAULT 0,         -- how often its time was doubled because one block took longer
	attempt   INTEGER NOT NULL DEFAULT 0,
	due       TIMESTAMPTZ NOT NULL DEFAULT now(), -- when it may be taken; if it is taken, when its worker counts as dead
	taken     TIMESTAMPTZ,
	worker    TEXT,
	ended     TIMESTAMPTZ,
	failed    BOOLEAN NOT NULL DEFAULT false,     -- failed for good
	error     TEXT,                               -- of the last failed attempt
	error_at  TIMESTAMPTZ
);
CREATE INDEX jobs_open ON jobs (rest DESC, id) WHERE ended IS NULL`

// forget deletes jobs that ended long ago.
const forget = "DELETE FROM jobs WHERE ended < now() - CASE WHEN failed THEN " + week + " ELSE " + day + " END"

const (
	day  = "interval '1 day'"
	week = "interval '7 days'"
)

// prepare creates the table if it is missing, and deletes jobs that ended long ago.
func prepare(ctx context.Context, pool *pgxpool.Pool) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('fees jobs'))"); err != nil { // one at a time
			return err
		}
		there, err := exists(ctx, tx)
		if err == nil && there {
			_, err = tx.Exec(ctx, forget)
		} else if err == nil {
			_, err = tx.Exec(ctx, table)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

func exists(ctx context.Context, tx pgx.Tx) (there bool, err error) {
	err = tx.QueryRow(ctx, "SELECT to_regclass('jobs') IS NOT NULL").Scan(&there)
	return there, err
}
