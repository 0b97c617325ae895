package app_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// Each error of a question has its kind wherever it is wrapped, and says what it is of.
func TestErrorsOfQuestions(t *testing.T) {
	inner := errors.New("inner")
	for _, c := range []struct {
		err  error
		kind failure.Kind
		text string
	}{
		{&app.NotHeldError{Period: "2026-01"}, failure.NotCovered, "no blocks of 2026-01"},
		{&app.NotHeldError{Period: "2026-01", Has: "blocks 1 to 9"}, failure.NotCovered, "no blocks of 2026-01; the ledger contains blocks 1 to 9"},
		{&app.NotHeldError{Period: "2026-01", Lacks: []string{"a", "b"}}, failure.NotCovered, "2026-01 is incomplete, missing a, and b"},
		{&app.NotThereError{Message: "no such block"}, failure.NotFound, "no such block"},
		{&app.InputError{Format: "%v: no", Args: []any{app.FieldMonth}}, failure.NotUnderstood, "month: no"},
		{&app.WithoutLedgerError{Err: inner}, failure.Failed, "inner"},
		{&app.LedgerError{Place: "x.db", Err: ledger.ErrLocked}, failure.Busy, "ledger x.db: another program is writing this ledger"},
		{fmt.Errorf("written: %w", &pgconn.PgError{Code: "40001"}), failure.Busy, "written: :  (SQLSTATE 40001)"},
	} {
		require.Equal(t, c.kind, app.KindOf(fmt.Errorf("asked: %w", c.err)), c.text)
		require.EqualError(t, c.err, c.text)
	}
	require.ErrorIs(t, &app.WithoutLedgerError{Err: inner}, inner)
}
