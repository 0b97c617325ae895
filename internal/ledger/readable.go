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

// ErrAway says that the database of a ledger does not answer now.
var ErrAway = failure.New(failure.Busy, "the ledger's database does not answer")

// asAway makes an error of a connection to PostgreSQL ErrAway.
func asAway(err error) error {
	var refused *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, ErrAway):
		return err
	case errors.As(err, &refused), errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	var said *pgconn.PgError
	if !errors.As(err, &said) && pgconn.SafeToRetry(err) { // a connection that broke before
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return err
}

// Reread hands over the book as it is now where it is kept. What an open file has in memory stays right
// when the file is destroyed or replaced: so a file is opened again.
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
		return fmt.Errorf("%w: another file is at its place", ErrDamaged)
	}
	again, err := Open(ctx, e.path)
	if err != nil {
		return err
	}
	return errors.Join(with(again), again.Close())
}
