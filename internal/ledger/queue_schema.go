package ledger

import (
	"log/slog"
	"regexp"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// riverVersion is the version of River's tables in a ledger. A later one needs another schema version.
const riverVersion = 8

// queueTables returns the SQL of River's tables, which queue jobs for package queue. Version 1 is left out: its table
// records versions, as book_layout does here.
var queueTables = sync.OnceValues(func() (string, error) {
	m, err := rivermigrate.New(riverpgxv5.New((*pgxpool.Pool)(nil)), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for version := 2; version <= riverVersion; version++ {
		migration, err := m.GetVersion(version)
		if err != nil {
			return "", err
		}
		all.WriteString(migration.SQLUp + ";\n")
	}
	return strings.NewReplacer(
		"/* TEMPLATE: schema */", "", // the search path chooses it
		"CREATE UNLOGGED TABLE", "CREATE TABLE", // pg_dump cannot read unlogged tables of a standby, and no temporary table is unlogged
		"'discarded',\n  'retryable'", "'discarded',\n  'pending',\n  'retryable'", // PostgreSQL before 17 uses no value that the same transaction adds later
	).Replace(all.String()), nil
})

// queueFunctions matches the names of River's functions. No search path finds a temporary one.
var queueFunctions = regexp.MustCompile(`river_job_notify|river_job_state_in_bitmask`)
