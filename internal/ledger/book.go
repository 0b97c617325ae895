package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
)

var (
	// ErrNone reports that a ledger does not exist or is empty.
	ErrNone = failure.New(failure.NotFound, "no ledger")
	// ErrLocked reports that another program is writing the ledger.
	ErrLocked = failure.New(failure.Busy, "another program is writing this ledger")
	// ErrLost reports that the database connection broke, and with it the writer's lock. Stored data
	// is kept; the ledger must be reopened.
	ErrLost = failure.New(failure.Busy, "the database connection was lost")
	// ErrDamaged reports that a ledger does not contain what was written.
	ErrDamaged = failure.New(failure.Damaged, "the ledger is damaged")
	// ErrOtherAccounts reports that blocks have accounts of another size than the ledger's.
	ErrOtherAccounts = failure.New(failure.NotUnderstood, "the ledger has accounts of another size")
	// ErrOtherChain reports that blocks belong to another chain than the ledger.
	ErrOtherChain = failure.New(failure.NotUnderstood, "the ledger belongs to another chain")
)

// Identity identifies the chain of a ledger.
type Identity struct {
	Network string
	Genesis chain.Optional[chain.Hash] // of block 0; unknown if the source does not provide it
	// Decimals are those of the network's token; 0 stands for 18.
	Decimals int
}

// Book is an open ledger: the fees of one chain's blocks from a first height on, their evidence, and
// every movement of native balances.
//
// A Book opened for writing must be used by one goroutine at a time.
type Book struct {
	engine  engine
	tallies tallies // of the days being sealed

	lastBlock chain.Optional[uint64] // of a chain that ended

	sole bool                   // no other program writes blocks
	left chain.Optional[Ending] // how this program's last change left it, if it is the sole writer

	sizing      sync.Mutex
	accountSize int // in bytes; 0 until it is known; guarded by sizing
}

// Postgres reports whether a ledger's place is a PostgreSQL address; otherwise it is a file.
func Postgres(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// Open opens a ledger for reading: a file, or a schema of a PostgreSQL database (postgres://…).
// It returns ErrNone if there is no ledger.
func Open(ctx context.Context, place string) (*Book, error) {
	if Postgres(place) {
		return openBook[*postgresEngine](readPostgres(ctx, place))
	}
	return openBook[*sqliteEngine](readSQLite(ctx, place))
}

// OpenWriter opens a ledger for writing, and creates it if it does not exist. It returns ErrLocked
// while another program writes.
func OpenWriter(ctx context.Context, place string) (b *Book, err error) {
	if Postgres(place) {
		b, err = openBook[*postgresEngine](writePostgres(ctx, place, true))
	} else {
		b, err = openBook[*sqliteEngine](writeSQLite(ctx, place))
	}
	if err == nil {
		b.sole = true
	}
	return b, err
}

// OpenShared opens a PostgreSQL ledger for one of several programs that write it together with
// WriteJob and Seal. It returns ErrLocked while a program has it open with OpenWriter.
func OpenShared(ctx context.Context, place string) (*Book, error) {
	if !Postgres(place) {
		return nil, fmt.Errorf("%s: only a PostgreSQL ledger (postgres://…) can have several writers", place)
	}
	return openBook[*postgresEngine](writePostgres(ctx, place, false))
}

// OpenTrail opens a ledger to extend its audit trail with Record, also while another program writes blocks.
func OpenTrail(ctx context.Context, place string) (*Book, error) {
	if Postgres(place) {
		return openBook[*postgresEngine](readPostgres(ctx, place))
	}
	return openBook[*sqliteEngine](trailSQLite(ctx, place))
}

func openBook[E engine](e E, err error) (*Book, error) {
	if err != nil {
		return nil, err
	}
	return &Book{engine: e}, nil
}

// Close closes the ledger and releases the writer's lock.
func (b *Book) Close() error { return b.engine.close() }

// Pool returns the PostgreSQL connections of a ledger; nil for a file. It is not a method: each package that sees a Book
// would compile generic parts of the library.
func Pool(b *Book) *pgxpool.Pool {
	if e, ok := b.engine.(*postgresEngine); ok {
		return e.pool
	}
	return nil
}

// bookRow is the row of the table book: the state of the ledger.
type bookRow struct {
	Identity
	first  uint64
	sealed uint64 // how many blocks
	// removing is the lowest height of detached blocks, below first, whose rows are still being removed.
	removing chain.Optional[uint64]
}

// removed returns the heights of the detached blocks that are still being removed.
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

// next returns the height to be sealed next.
func (c *bookRow) next() uint64 { return c.first + c.sealed }

// sealedHeights returns the heights of the sealed blocks, if there are any.
func (c *bookRow) sealedHeights() (span chain.Optional[chain.Heights]) {
	if c.sealed > 0 {
		span = chain.Some(chain.Heights{First: c.first, Last: c.next() - 1})
	}
	return span
}

// readBookRow reads the state of the ledger. It returns ErrNone before the first Begin.
func readBookRow(ctx context.Context, q querier) (c bookRow, err error) {
	var r row
	err = list(ctx, q, bookColumns, func(found row) error {
		r = found
		return nil
	}, selectFrom("book", bookColumns))
	switch {
	case err != nil:
		return c, err
	case r == nil:
		return c, fmt.Errorf("%w: it is empty", ErrNone)
	}
	altered := readSigned(bookFields, r, &c)
	if altered == nil {
		return c, nil
	}
	if c.Decimals, err = readDecimals(ctx, q); err != nil {
		return c, err
	}
	if hasOtherDecimals(c.Decimals) {
		altered = readSignedBy(bookFields, r, &c, unitFields)
	}
	if altered != nil {
		err = fmt.Errorf("%w: the table book or book_unit was altered: %w", ErrDamaged, altered)
	}
	return c, err
}

// inSnapshot calls do with the state of the ledger, in one snapshot. If the context ends it, the error is that of the
// context: reads that run in other goroutines only find that the transaction is over.
func (b *Book) inSnapshot(ctx context.Context, do func(q querier, c *bookRow) error) (err error) {
	defer func() {
		if ended := ctx.Err(); err != nil && ended != nil && !errors.Is(err, ended) {
			err = ended
		}
	}()
	q, end, err := b.engine.snapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	c, err := readBookRow(ctx, q)
	if err != nil {
		return err
	}
	return do(q, &c)
}

// keep writes the row of the table book.
func (c *bookRow) keep(ctx context.Context, tx transaction) error {
	columns := append([]column{{"one", integer}}, bookColumns...)
	r, digest := signedRow(bookFields, c), c.digest()
	r[len(bookFields)] = digest[:]
	return tx.exec(ctx, putInto("book", columns, 1), append(row{int64(1)}, r...)...)
}

// Identity returns the ledger's chain, or ErrNone before the first Begin.
func (b *Book) Identity(ctx context.Context) (Identity, error) {
	c, err := readBookRow(ctx, b.engine)
	return c.Identity, err
}

// Begin starts a new ledger for a chain, from a height on. For an existing ledger it checks the chain.
// If nothing is sealed yet and first is lower, the ledger then starts at first; otherwise it does so
// once the blocks below it are sealed.
func (b *Book) Begin(ctx context.Context, id Identity, first uint64) error {
	if _, err := b.clear(ctx, func(_, _ uint64) {}); err != nil && !errors.Is(err, ErrNone) && !IsTransient(err) {
		return err
	}
	return b.change(ctx, func(tx transaction) error {
		have, err := readBookRow(ctx, tx)
		if errors.Is(err, ErrNone) {
			if first >= maxHeight {
				return fmt.Errorf("block %d exceeds the greatest height that a ledger can store", first)
			}
			if err := setDecimals(ctx, tx, id.Decimals); err != nil {
				return err
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
			if have, err = lower(ctx, tx, first); err != nil {
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

// RememberSource stores where blocks come from. The place must not contain secrets.
func (b *Book) RememberSource(ctx context.Context, place string) error {
	if have, err := b.Source(ctx); err != nil || have == place {
		return err
	}
	return b.change(ctx, func(tx transaction) error {
		return tx.exec(ctx, "INSERT INTO source (one, place) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET place = excluded.place", place)
	})
}

// Source returns where the last blocks came from, "" if that is unknown.
func (b *Book) Source(ctx context.Context) (place string, err error) {
	_, err = one(ctx, b.engine, []any{&place}, "SELECT place FROM source")
	return place, err
}

// check returns ErrOtherChain unless both are the same chain.
func (id Identity) check(other Identity) error {
	if id.Network != other.Network {
		return fmt.Errorf("%w: %s, not %s", ErrOtherChain, id.Network, other.Network)
	}
	if have, want := decimalsOf(id.Decimals), decimalsOf(other.Decimals); have != want {
		return fmt.Errorf("%w: its token has %d decimals, not %d", ErrOtherChain, have, want)
	}
	have, known := id.Genesis.Get()
	want, wanted := other.Genesis.Get()
	if known && wanted && have != want {
		return fmt.Errorf("%w: its block 0 on %s is %v, not %v", ErrOtherChain, id.Network, have, want)
	}
	return nil
}

// change runs a change to the ledger in one transaction. The sole writer's also checks that the ledger ends where the last
// one left it.
func (b *Book) change(ctx context.Context, what func(transaction) error) error {
	if !b.sole {
		return b.wrapLost(inTransaction(ctx, b.engine, what))
	}
	var now Ending
	err := inTransaction(ctx, b.engine, func(tx transaction) error {
		err := b.checkEnding(ctx, tx)
		if err == nil {
			err = what(tx)
		}
		if err == nil {
			now, err = endingOf(ctx, tx)
		}
		return err
	})
	if err == nil {
		b.left = chain.Some(now)
	}
	return b.wrapLost(err)
}

// changeBook is change with the state of the ledger.
func (b *Book) changeBook(ctx context.Context, what func(tx transaction, c *bookRow) error) error {
	return b.change(ctx, func(tx transaction) error {
		c, err := readBookRow(ctx, tx)
		if err != nil {
			return err
		}
		return what(tx, &c)
	})
}

// wrapLost wraps an error in ErrLost if a sole writer has lost its connection.
func (b *Book) wrapLost(err error) error {
	if e, ok := b.engine.(*postgresEngine); ok && err != nil && e.lost() {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	return err
}

// WriteJob stores blocks like Write, but allows gaps between them and seals none. It calls also in
// the same transaction. It requires PostgreSQL. Like [Pool], it is not a method.
func WriteJob(ctx context.Context, b *Book, entries []*Entry, also func(ctx context.Context, tx pgx.Tx) error) error {
	if err := b.prepare(ctx, entries); err != nil {
		return err
	}
	return b.changeBook(ctx, func(tx transaction, c *bookRow) error {
		for _, run := range runs(entries, nil) {
			if _, err := b.store(ctx, tx, c, run); err != nil {
				return err
			}
		}
		return also(ctx, tx.(*postgresTransaction).tx)
	})
}

// runs splits entries wherever heights are not consecutive, or two neighbours are not alike; nil means that all are.
func runs(entries []*Entry, alike func(a, b *Entry) bool) (list [][]*Entry) {
	first := 0
	for i, e := range entries {
		if i+1 == len(entries) || entries[i+1].Height() != e.Height()+1 || alike != nil && !alike(e, entries[i+1]) {
			list = append(list, entries[first:i+1])
			first = i + 1
		}
	}
	return list
}
