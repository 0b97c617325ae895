package ledger_test

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

func TestThereIsOneWriter(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		_, err := ledger.OpenWriter(ctx, place)
		require.ErrorIs(t, err, ledger.ErrLocked)
		require.NoError(t, book.Close())
		writer(t, place)
		_, err = ledger.OpenWriter(ctx, place)
		require.ErrorIs(t, err, ledger.ErrLocked)
	})
}

// The lock belongs to the file, whatever path is used.
func TestALinkIsTheSameBook(t *testing.T) {
	place := newFile(t)
	book := writer(t, place)
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(place, link))
	_, err := ledger.OpenWriter(ctx, link)
	require.ErrorIs(t, err, ledger.ErrLocked)
	require.NoError(t, book.Close())
	require.NoError(t, writer(t, link).Begin(ctx, madeUpChain, 0))
	require.NoFileExists(t, link+"-writer")
	verified(t, reader(t, place))
}

// A reader is not blocked by a change in progress, and does not see it.
func TestReadersWhileThereIsAWriter(t *testing.T) {
	entries := madeUp(0, 40)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[:20])
		quiet := statusOf(t, book)
		read := reader(t, place)

		db := openSQL(t, place)
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec("DELETE FROM blocks WHERE height < 3")
		require.NoError(t, err)
		require.Equal(t, quiet, statusOf(t, read))
		verified(t, read)
		require.NoError(t, tx.Rollback())

		done := make(chan error)
		go func() {
			for _, e := range entries[20:] {
				if err := book.Write(ctx, []*ledger.Entry{e}); err != nil {
					done <- err
					return
				}
				if _, err := book.Seal(ctx); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for running := true; running; {
			select {
			case err := <-done:
				require.NoError(t, err)
				running = false
			default:
			}
			verified(t, read)
			s := statusOf(t, read)
			require.EqualValues(t, s.Blocks, s.Totals.Blocks+blocksNotSealed(s), "blocks and totals are of one moment")
		}
		require.EqualValues(t, 40, statusOf(t, read).Totals.Blocks)
	})
}

func blocksNotSealed(s ledger.Status) uint64 {
	last, _ := s.Sealed.Get()
	return s.Blocks - (last + 1)
}

func TestPlacesWithoutABook(t *testing.T) {
	directory := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	missing := filepath.Join(directory, "missing.db")
	_, err := ledger.Open(ctx, missing)
	require.ErrorIs(t, err, ledger.ErrNone)
	require.NoFileExists(t, missing)
	_, err = ledger.OpenWriter(ctx, filepath.Join(directory, "no", "such", "folder"))
	require.ErrorContains(t, err, "no/such does not exist. Create it first")
	_, err = ledger.Open(ctx, filepath.Join(missing, "\x00"))
	require.Error(t, err)

	empty := file("empty.db", "")
	_, err = ledger.Open(ctx, empty)
	require.ErrorIs(t, err, ledger.ErrNone)
	require.ErrorContains(t, err, empty)
	writer(t, empty) // creates it

	text := file("text.db", "this is no database, but a text that is longer than a header of a hundred bytes, which SQLite would need to see.")
	for _, open := range []func(context.Context, string) (*ledger.Book, error){ledger.Open, ledger.OpenWriter} {
		_, err = open(ctx, text)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, text)
		_, err = open(ctx, directory)
		require.Error(t, err)
		require.ErrorContains(t, err, directory)
	}

	others := file("others.db", "")
	db := openSQL(t, others)
	db.do(t, "CREATE TABLE theirs (x)")
	for _, open := range []func(context.Context, string) (*ledger.Book, error){ledger.Open, ledger.OpenWriter} {
		_, err = open(ctx, others)
		require.ErrorIs(t, err, ledger.ErrNone)
	}
	require.Equal(t, []string{"theirs"}, db.names(t, "table"))

	_, err = ledger.OpenShared(ctx, missing)
	require.ErrorContains(t, err, "only a PostgreSQL ledger")
}

// The creator of a ledger was killed before the file switched to WAL: SQLite's journal next to the file undoes the
// unfinished change, also in a file of another program.
func TestAWriterThatWasKilledAtItsFirstStep(t *testing.T) {
	for table, refused := range map[string]bool{"": false, "theirs": true} {
		begun, place := newFile(t), newFile(t)
		db := openSQL(t, begun)
		db.SetMaxOpenConns(1)
		for _, step := range []string{"PRAGMA synchronous = OFF", "CREATE TABLE " + cmp.Or(table, "passing") + " (x)", "DROP TABLE IF EXISTS passing", "BEGIN", "CREATE TABLE half (x)"} {
			db.do(t, step)
		}
		for _, suffix := range []string{"", "-journal"} {
			data, err := os.ReadFile(begun + suffix)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(place+suffix, data, 0o600))
		}
		db.do(t, "ROLLBACK")
		book, err := ledger.OpenWriter(ctx, place)
		if refused {
			require.ErrorContains(t, err, "the file belongs to another program")
			require.FileExists(t, place+"-journal")
			continue
		}
		require.NoError(t, err)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, madeUp(0, 3)))
		verified(t, book)
		require.NoError(t, book.Close())
		require.NotContains(t, openSQL(t, place).names(t, "table"), "half")
	}
}

// The machine crashed while a ledger was created, and its first page is torn. SQLite's journal records that it was empty.
func TestAFirstPageThatIsTorn(t *testing.T) {
	place, mark := newFile(t), "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	tear := func(pagesBefore byte) {
		require.NoError(t, os.WriteFile(place, make([]byte, 3584), 0o600))
		journal := append([]byte(mark), 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, pagesBefore, 0, 0, 2, 0, 0, 0, 16, 0)
		require.NoError(t, os.WriteFile(place+"-journal", append(journal, make([]byte, 512-len(journal))...), 0o600))
	}
	tear(1)
	_, err := ledger.Open(ctx, place)
	require.ErrorIs(t, err, ledger.ErrDamaged)
	_, err = ledger.OpenWriter(ctx, place)
	require.ErrorIs(t, err, ledger.ErrDamaged)
	require.FileExists(t, place+"-journal", "it is somebody's")
	tear(0)
	_, err = ledger.Open(ctx, place)
	require.ErrorIs(t, err, ledger.ErrNone)
	require.ErrorContains(t, err, "its creation was interrupted")
	verified(t, written(t, place, madeUpChain, madeUp(0, 3)))
}

func TestPathsWithOddCharacters(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"what?mode=memory", "100%41.db", "a#b.db", "a b & c;.db", "file:x.db", "ö 日本.db", "'quoted\".db"} {
		book := written(t, path, madeUpChain, madeUp(0, 3))
		require.FileExists(t, path)
		require.NoError(t, book.Backup(ctx, path+".backup", func(_, _ uint64) {}))
		require.NoError(t, book.Close())
		require.EqualValues(t, 3, statusOf(t, reader(t, path)).Blocks, path)
		verified(t, reader(t, path+".backup"))
	}
}

func TestANewerLayout(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		require.NoError(t, written(t, place, madeUpChain, madeUp(0, 3)).Close())
		db := openSQL(t, place)
		db.do(t, "UPDATE book_layout SET version_id = 99 WHERE version_id = 1")
		for _, open := range []func(context.Context, string) (*ledger.Book, error){ledger.Open, ledger.OpenWriter} {
			_, err := open(ctx, place)
			require.ErrorIs(t, err, ledger.ErrNewer)
			require.ErrorContains(t, err, "schema version 99, this program supports 1")
		}
		db.do(t, "DELETE FROM book_layout WHERE version_id > 0") // as after an interrupted creation
		_, err := ledger.Open(ctx, place)
		require.ErrorIs(t, err, ledger.ErrNone)
		db.do(t, "DROP TABLE book_layout")
		db.do(t, "CREATE TABLE book_layout (other INTEGER)")
		_, err = ledger.Open(ctx, place)
		require.Error(t, err)
		_, err = ledger.OpenWriter(ctx, place)
		require.Error(t, err)
	})
}

func TestPostgresWithoutABook(t *testing.T) {
	postgresOnly(t, func(t *testing.T, newPlace func() string) {
		_, err := ledger.Open(ctx, newPlace())
		require.ErrorIs(t, err, ledger.ErrNone)
		require.Nil(t, ledger.Pool(writer(t, newFile(t))))
		require.NotNil(t, ledger.Pool(writer(t, newPlace())))
	})
}

// postgresOnly runs a test in PostgreSQL.
func postgresOnly(t *testing.T, test func(t *testing.T, newPlace func() string)) {
	engines(t, func(t *testing.T, newPlace func() string) {
		if filepath.Base(t.Name()) == "postgres" {
			test(t, newPlace)
		}
	})
}

// Two schemas of one database contain two ledgers with separate locks.
func TestSchemas(t *testing.T) {
	postgresOnly(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		db := openSQL(t, place)
		var books []*ledger.Book
		for i, name := range []string{"one", "two"} {
			db.do(t, "CREATE SCHEMA "+name)
			books = append(books, written(t, place+"&search_path="+name, madeUpChain, madeUp(0, uint64(3+i))))
		}
		for i, book := range books {
			require.EqualValues(t, 3+i, statusOf(t, book).Blocks)
			verified(t, book)
		}
	})
}

// Several programs store blocks; one at a time seals them.
func TestSharedWriters(t *testing.T) {
	entries := madeUp(0, 30)
	postgresOnly(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		single := writer(t, place)
		require.NoError(t, single.Begin(ctx, madeUpChain, 0))
		_, err := ledger.OpenShared(ctx, place)
		require.ErrorIs(t, err, ledger.ErrLocked)
		require.NoError(t, single.Close())

		var books [2]*ledger.Book
		for i := range books {
			books[i], err = ledger.OpenShared(ctx, place)
			require.NoError(t, err)
			defer books[i].Close()
		}
		_, err = ledger.OpenWriter(ctx, place)
		require.ErrorIs(t, err, ledger.ErrLocked)
		nothing := func(context.Context, pgx.Tx) error { return nil }
		require.NoError(t, ledger.WriteJob(ctx, books[0], entries[10:20], nothing))
		require.NoError(t, ledger.WriteJob(ctx, books[1], entries[:10], nothing))
		failed := fmt.Errorf("not done")
		require.ErrorIs(t, ledger.WriteJob(ctx, books[1], entries[20:], func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM blocks")
			require.NoError(t, err)
			return failed
		}), failed)
		require.EqualValues(t, 20, statusOf(t, books[0]).Blocks)
		require.EqualValues(t, 20, sealAll(t, books[0])+sealAll(t, books[1]))
		var fork *ledger.ForkError
		require.ErrorAs(t, ledger.WriteJob(ctx, books[0], branch(t, 20, 1, hashOf(0, 0), 1, true), nothing), &fork)
		require.NoError(t, ledger.WriteJob(ctx, books[0], entries[20:], nothing))

		// While another program seals, there is nothing to do.
		db := openSQL(t, place)
		tx, err := db.Begin()
		require.NoError(t, err)
		_, err = tx.Exec("SELECT pg_advisory_xact_lock(1717921140, hashtext(current_schema()))")
		require.NoError(t, err)
		require.Zero(t, sealAll(t, books[0]))
		require.NoError(t, tx.Rollback())
		require.EqualValues(t, 10, sealAll(t, books[1]))
		verified(t, books[0])
		require.Equal(t, statusOf(t, written(t, newFile(t), madeUpChain, entries)).Seal, statusOf(t, books[1]).Seal)

		empty, err := ledger.OpenShared(ctx, newPlace())
		require.NoError(t, err)
		defer empty.Close()
		require.ErrorIs(t, ledger.WriteJob(ctx, empty, entries, nothing), ledger.ErrNone)
	})
}

const password = "s3cret-Pass"

func TestErrorsHoldNoPassword(t *testing.T) {
	const closed = "127.0.0.1:1" // this port is never open
	places := []string{
		"postgres://fees:" + password + "@" + closed + "/book?sslmode=disable",
		"postgresql://fees:" + password + "@" + closed + "/book?sslmode=nonsense",
		"postgres://fees:" + password + "@[::1/%zz",
		"postgres://fees:" + password + "@" + closed + "/book?password=" + password + "&connect_timeout=x",
	}
	postgresOnly(t, func(t *testing.T, newPlace func() string) {
		place, err := url.Parse(newPlace())
		require.NoError(t, err)
		place.User = url.UserPassword("nobody", password)
		places = append(places, place.String())
	})
	for _, place := range places {
		require.True(t, ledger.Postgres(place))
		for _, open := range []func(context.Context, string) (*ledger.Book, error){ledger.Open, ledger.OpenWriter, ledger.OpenShared} {
			_, err := open(ctx, place)
			require.Error(t, err)
			require.NotContains(t, fmt.Sprintf("%+v", err), password)
		}
	}
}

// A server that accepts the connection and sends nothing times out; otherwise the test would run into its own limit.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, err = ledger.OpenWriter(ctx, "postgres://fees@"+listener.Addr().String()+"/book?sslmode=disable&connect_timeout=1")
	require.ErrorContains(t, err, "failed to connect")
}
