package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

var (
	// ErrNone says that there is no ledger at a place.
	ErrNone = failure.New(failure.NotFound, "no ledger")
	// ErrLocked says that another program writes the ledger.
	ErrLocked = failure.New(failure.Busy, "another program is writing this ledger")
	// ErrLost says that the connection to the database broke, and with it the lock of the one who
	// writes. What was stored stays; the book must be opened again.
	ErrLost = failure.New(failure.Busy, "the connection to the database is lost")
	// ErrDamaged says that a ledger is not what was written.
	ErrDamaged = failure.New(failure.Damaged, "the ledger is damaged")
	// ErrOtherChain says that blocks are not of the chain that the ledger is of.
	ErrOtherChain = failure.New(failure.NotUnderstood, "the ledger is of another chain")
)

// Identity is the chain that a book is of.
type Identity struct {
	Network string
	Genesis chain.Optional[chain.Hash] // of block 0; not known where a source lacks it
}

// Book is a ledger: the fees of one chain's blocks from a height on, what proves
// them, and every movement of its accounts' native balances.
//
// A book that was opened to write is used by one goroutine at a time.
type Book struct {
	engine  engine
	tallies tallies // of the days that this book seals

	lastBlock chain.Optional[uint64] // of a chain that has ended
}

// Postgres tells whether a ledger's place is a PostgreSQL address; it is a file
// otherwise.
func Postgres(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// Open opens a book to read it: a file, or a schema of a PostgreSQL database
// (postgres://…). It is ErrNone where there is none.
func Open(ctx context.Context, place string) (*Book, error) {
	if Postgres(place) {
		return opened[*postgresEngine](readPostgres(ctx, place))
	}
	return opened[*sqliteEngine](readSQLite(ctx, place))
}

// OpenWriter opens a book to write it, and makes it where there is none. It is
// ErrLocked where another program writes.
func OpenWriter(ctx context.Context, place string) (*Book, error) {
	if Postgres(place) {
		return opened[*postgresEngine](writePostgres(ctx, place, true))
	}
	return opened[*sqliteEngine](writeSQLite(ctx, place))
}

// OpenShared opens a book in PostgreSQL for one of several programs that write it
// together, by WriteJob and Seal. It is ErrLocked where one writes it alone.
func OpenShared(ctx context.Context, place string) (*Book, error) {
	if !Postgres(place) {
		return nil, fmt.Errorf("%s: only a ledger in PostgreSQL, postgres://…, is written by several programs", place)
	}
	return opened[*postgresEngine](writePostgres(ctx, place, false))
}

func opened[E engine](e E, err error) (*Book, error) {
	if err != nil {
		return nil, err
	}
	return &Book{engine: e}, nil
}

// Close ends the use of the book, and lets others write.
func (b *Book) Close() error { return b.engine.close() }

// Pool has the connections to PostgreSQL; it is nil for a file.
func (b *Book) Pool() *pgxpool.Pool {
	if e, ok := b.engine.(*postgresEngine); ok {
		return e.pool
	}
	return nil
}

// bookRow is the row of the table book: how far the book is.
type bookRow struct {
	Identity
	first  uint64
	sealed uint64 // how many blocks
	// removing is the lowest height of blocks below the first that were detached, and whose rows
	// are being removed.
	removing chain.Optional[uint64]
}

// removed are the blocks that are being removed.
func (c *bookRow) removed() (span chain.Heights, removing bool) {
	first, removing := c.removing.Get()
	return chain.Heights{First: first, Last: c.first - 1}, removing
}

var bookFields = []field[bookRow]{
	{"network", fact, func(b *bookRow) any { return &b.Network }},
	{"genesis", fact, func(b *bookRow) any { return &b.Genesis }},
	{"first", fact, func(b *bookRow) any { return &b.first }},
	{"sealed", fact, func(b *bookRow) any { return &b.sealed }},
	{"removing", fact, func(b *bookRow) any { return &b.removing }},
}

var bookColumns = signedColumns(bookFields)

// next is the height that is sealed next.
func (c *bookRow) next() uint64 { return c.first + c.sealed }

// readBookRow reads how far the book is. It is ErrNone before the first Begin.
func readBookRow(ctx context.Context, q querier) (c bookRow, err error) {
	found := false
	err = list(ctx, q, bookColumns, func(r row) error {
		found = true
		if err := readSigned(bookFields, r, &c); err != nil {
			return fmt.Errorf("%w: table book was altered: %w", ErrDamaged, err)
		}
		return nil
	}, selectFrom("book", bookColumns))
	if err == nil && !found {
		err = fmt.Errorf("%w: nothing was ever written to it", ErrNone)
	}
	return c, err
}

// keep writes the row of the table book.
func (c *bookRow) keep(ctx context.Context, tx transaction) error {
	columns := append([]column{{"one", integer}}, bookColumns...)
	return tx.exec(ctx, putInto("book", columns, 1), append(row{int64(1)}, signedRow(bookFields, c)...)...)
}

// Identity is the chain that the book is of. It is ErrNone before the first Begin.
func (b *Book) Identity(ctx context.Context) (Identity, error) {
	c, err := readBookRow(ctx, b.engine)
	return c.Identity, err
}

// Begin makes a new book one of a chain, from a height on. For a book that is there, it checks
// that it is of that chain. One in which nothing is sealed begins with the lower height from
// then on; any other does when the blocks below it are sealed.
func (b *Book) Begin(ctx context.Context, id Identity, first uint64) error {
	if _, err := b.clear(ctx, func(_, _ uint64) {}); err != nil && !errors.Is(err, ErrNone) && !Passes(err) {
		return err
	}
	return b.change(ctx, func(tx transaction) error {
		have, err := readBookRow(ctx, tx)
		if errors.Is(err, ErrNone) {
			if first >= maxHeight {
				return fmt.Errorf("block %d: the height is more than a ledger can hold", first)
			}
			return (&bookRow{Identity: id, first: first}).keep(ctx, tx)
		}
		if err != nil {
			return err
		}
		if err := have.Identity.check(id); err != nil {
			return err
		}
		if first < have.first && have.sealed == 0 {
			if err := b.lower(ctx, tx, first); err != nil {
				return err
			}
			if have, err = readBookRow(ctx, tx); err != nil {
				return err
			}
		}
		if id.Genesis.Known() && !have.Genesis.Known() {
			have.Genesis = id.Genesis
			return have.keep(ctx, tx)
		}
		return nil
	})
}

// check wants the same chain.
func (id Identity) check(other Identity) error {
	if id.Network != other.Network {
		return fmt.Errorf("%w: of %s, not of %s", ErrOtherChain, id.Network, other.Network)
	}
	have, known := id.Genesis.Get()
	want, told := other.Genesis.Get()
	if known && told && have != want {
		return fmt.Errorf("%w: its %s begins with block 0 %v, not %v", ErrOtherChain, id.Network, have, want)
	}
	return nil
}

// change makes a change to the book as a whole, or not at all.
func (b *Book) change(ctx context.Context, what func(transaction) error) error {
	tx, err := b.engine.begin(ctx)
	if err != nil {
		return b.asLost(err)
	}
	defer tx.rollback()
	if err := what(tx); err != nil {
		return b.asLost(err)
	}
	return b.asLost(tx.commit(ctx))
}

// asLost makes an error ErrLost where the connection of a lone writer is gone.
func (b *Book) asLost(err error) error {
	if e, ok := b.engine.(*postgresEngine); ok && err != nil && e.lost() {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}

// WriteJob stores blocks as Write does, but they may have gaps between them, and none
// is sealed, and does something else in the same transaction. It is for PostgreSQL.
func (b *Book) WriteJob(ctx context.Context, entries []*Entry, also func(ctx context.Context, tx pgx.Tx) error) error {
	if err := b.makeRoom(ctx, entries); err != nil {
		return err
	}
	return b.change(ctx, func(tx transaction) error {
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		for _, run := range runs(entries) {
			if _, err := b.store(ctx, tx, &c, run); err != nil {
				return err
			}
		}
		return also(ctx, tx.(*postgresTransaction).tx)
	})
}

// runs cuts entries where a height does not follow the one before.
func runs(entries []*Entry) (list [][]*Entry) {
	first := 0
	for i := range entries {
		if i+1 == len(entries) || entries[i+1].Height() != entries[i].Height()+1 {
			list = append(list, entries[first:i+1])
			first = i + 1
		}
	}
	return list
}
