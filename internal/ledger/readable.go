package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/feeledger/fees/internal/failure"
)

// ErrAway reports that a ledger's database is not responding.
var ErrAway = failure.New(failure.Busy, "the ledger's database is not responding")

// wrapAway wraps an error of a PostgreSQL connection in ErrAway.
func wrapAway(err error) error {
	var refused *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, ErrAway):
		return err
	case errors.As(err, &refused), errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	var said *pgconn.PgError
	if !errors.As(err, &said) && pgconn.SafeToRetry(err) { // the connection was already broken
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return err
}

// Reread calls with with the ledger as it is on disk now. An open file stays readable in memory after it was
// destroyed or replaced, so a file is opened again.
func (b *Book) Reread(ctx context.Context, with func(*Book) error) error {
	e, ok := b.engine.(*sqliteEngine)
	if !ok {
		return with(b)
	}
	now, err := os.Stat(e.path)
	if err != nil {
		return err
	}
	if !os.SameFile(e.opened, now) {
		return fmt.Errorf("%w: its file was replaced", ErrDamaged)
	}
	again, err := Open(ctx, e.path)
	if err != nil {
		return err
	}
	return errors.Join(with(again), again.Close())
}
