package ledger_test

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// The environment of this test binary when it runs as a program that writes a ledger.
const (
	asWriter  = "FEES_LEDGER_TEST_WRITER" // the ledger
	fileLimit = "FEES_LEDGER_TEST_LIMIT"  // limit of file sizes, in bytes
	detachTo  = "FEES_LEDGER_TEST_DETACH" // detach blocks from the ledger into this file instead
	extending = "FEES_LEDGER_TEST_EXTEND" // add this many blocks below the ledger instead
	holding   = "FEES_LEDGER_TEST_HOLD"   // begin the ledger, and then wait
)

// crashBlocks is the number of blocks that it writes.
const crashBlocks = 400

// crashChain are the blocks that it writes: days and months end among them.
func crashChain(count uint64) []*ledger.Entry { return monthsOfBlocks(count, time.Hour) }

// limitFiles makes writing beyond a file size an error; nil if the system cannot do that.
var limitFiles func(bytes uint64) error

// child writes all blocks in small batches, some of which it seals.
func child(place string) {
	if err := writeAll(place); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeAll(place string) (err error) {
	if text := os.Getenv(fileLimit); text != "" {
		bytes, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return err
		}
		if err := limitFiles(bytes); err != nil {
			return err
		}
	}
	if name := os.Getenv(asTask); name != "" {
		return asATask(place, name)
	}
	book, err := ledger.OpenWriter(ctx, place)
	for try := 0; errors.Is(err, ledger.ErrLocked) && try < 6_000; try++ { // PostgreSQL has not noticed yet that the previous one is dead
		time.Sleep(10 * time.Millisecond)
		book, err = ledger.OpenWriter(ctx, place)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	if file := os.Getenv(detachTo); file != "" {
		fmt.Println("detaching")
		step := func(done, _ uint64) { fmt.Println(done) }
		_, err := book.Detach(ctx, detachedMonth, file, ledger.DetachProgress{Copied: step, Verified: step, Removed: step})
		return err
	}
	if text := os.Getenv(extending); text != "" {
		count, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return err
		}
		return extend(book, crashChain(count))
	}
	return goOn(book, crashChain(crashBlocks), func() {
		if fmt.Println("writing"); os.Getenv(holding) != "" {
			time.Sleep(time.Minute) // until it is killed
		}
	})
}

// goOn writes and seals the missing blocks.
func goOn(book *ledger.Book, entries []*ledger.Entry, begun func()) error {
	if err := book.Begin(ctx, madeUpChain, 0); err != nil {
		return err
	}
	missing, err := book.Missing(ctx, chain.Heights{First: 0, Last: uint64(len(entries)) - 1})
	if err != nil {
		return err
	}
	begun()
	for _, span := range missing {
		for first := span.First; first <= span.Last; {
			last := min(first+rand.Uint64N(5), span.Last)
			if err := book.Write(ctx, entries[first:last+1]); err != nil {
				return err
			}
			if rand.IntN(4) == 0 {
				if _, err := book.Seal(ctx); err != nil {
					return err
				}
			}
			first = last + 1
		}
	}
	_, err = book.Seal(ctx)
	return err
}

// start starts this test binary as a program that writes a ledger. Its output arrives line by line, its errors at the end.
func start(t *testing.T, place string, environment ...string) (cmd *exec.Cmd, said *bufio.Scanner, errs *strings.Builder) {
	cmd, errs = exec.Command(os.Args[0]), &strings.Builder{}
	cmd.Env = append(append(os.Environ(), asWriter+"="+place), environment...)
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return cmd, bufio.NewScanner(out), errs
}

// finish lets a program write the rest.
func finish(t *testing.T, place string) {
	cmd, _, errs := start(t, place)
	require.NoError(t, cmd.Wait(), errs)
}

// quietSeal is the seal of those blocks when nothing is killed.
func quietSeal(t *testing.T) chain.Optional[ledger.Seal] {
	return statusOf(t, written(t, newFile(t), madeUpChain, crashChain(crashBlocks))).Seal
}

func TestAnotherProgramWrites(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		cmd, said, _ := start(t, place, holding+"=1")
		defer cmd.Wait()
		defer cmd.Process.Kill()
		require.True(t, said.Scan())
		_, err := ledger.OpenWriter(ctx, place)
		require.ErrorIs(t, err, ledger.ErrLocked)
		verified(t, reader(t, place))

		require.NoError(t, cmd.Process.Kill())
		cmd.Wait()
		require.Eventually(t, func() bool { // PostgreSQL's server must notice it
			book, err := ledger.OpenWriter(ctx, place)
			if err != nil {
				require.ErrorIs(t, err, ledger.ErrLocked)
				return false
			}
			return book.Close() == nil
		}, time.Minute, 5*time.Millisecond)
	})
}

// However often its writer is killed, the ledger is intact, and in the end the same.
func TestWritersThatAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: kills many programs")
	}
	seal := quietSeal(t)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		kills, sealed := 100, 0
		if ledger.Postgres(place) {
			kills = 20
		}
		done := func() {
			book := reader(t, place)
			verified(t, book)
			require.Equal(t, seal, statusOf(t, book).Seal)
			require.NoError(t, book.Close())
			sealed++
		}
		for killed := 0; killed < kills; {
			cmd, said, errs := start(t, place)
			if killed%4 > 0 { // the others are killed while they open the ledger
				said.Scan()
			}
			time.Sleep(time.Duration(rand.IntN(40_000)) * time.Microsecond)
			cmd.Process.Kill()
			if cmd.Wait() == nil { // already done
				done()
				place = newPlace()
				continue
			}
			require.Empty(t, errs.String())
			killed++
			book, err := ledger.Open(ctx, place)
			if errors.Is(err, ledger.ErrNone) { // killed before it existed
				continue
			}
			require.NoError(t, err)
			if _, err := book.Status(ctx); !errors.Is(err, ledger.ErrNone) {
				require.NoError(t, err)
				verified(t, book)
			}
			require.NoError(t, book.Close())
		}
		finish(t, place)
		done()
		t.Logf("killed %d times, %d books sealed", kills, sealed)
	})
}

// The same when the server is killed with all of its processes.
func TestServersThatAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: kills a server")
	}
	entries := crashChain(6 * crashBlocks)
	server := postgrestest.StartOwn(t)
	place := server.Database(t)
	failures := 0
	for tries := 0; failures < 5; tries++ {
		require.Less(t, tries, 50, "the server is not killed under load")
		begun, ended := make(chan struct{}), make(chan error)
		go func() {
			book, err := ledger.OpenWriter(ctx, place)
			if err == nil {
				err = goOn(book, entries, func() { close(begun) })
				book.Close()
			} else {
				close(begun)
			}
			ended <- err
		}()
		<-begun
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
		server.Kill()
		if err := <-ended; err != nil {
			failures++
		}
		server.Restart()
		book := reader(t, place)
		verified(t, book)
		require.NoError(t, book.Close())
	}
	book := writer(t, place)
	require.NoError(t, goOn(book, entries, func() {}))
	verified(t, book)
	require.Equal(t, statusOf(t, written(t, newFile(t), madeUpChain, entries)).Seal, statusOf(t, book).Seal)
}

// detachedMonth is the month before which a program detaches blocks.
var detachedMonth = ledger.MonthOf(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))

// However often a program that detaches blocks is killed, the ledger is intact or starts later, and in the end the same.
func TestDetachmentsThatAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: kills many programs")
	}
	const count, pace = 400, 3 * time.Hour // 297 of them are detached
	entries := monthsOfBlocks(count, pace)
	engines(t, func(t *testing.T, newPlace func() string) {
		begun := newPlace()
		quietly := written(t, begun, madeUpChain, entries)
		_, err := quietly.Detach(ctx, detachedMonth, filepath.Join(t.TempDir(), "earlier.db"), quiet())
		require.NoError(t, err)
		want, seals := rowsIn(t, begun), sealsOf(t, begun)
		whole := newPlace()
		require.NoError(t, written(t, whole, madeUpChain, entries).Close())
		wanted, kills, begunLater := 10, 0, 0
		if ledger.Postgres(whole) {
			wanted = 5
		}
		for kills < wanted {
			place, file := copied(t, whole), filepath.Join(t.TempDir(), "earlier.db")
			for range 4 {
				cmd, said, errs := start(t, place, detachTo+"="+file)
				for range rand.IntN(8) {
					said.Scan()
				}
				time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
				cmd.Process.Kill()
				if cmd.Wait() == nil || errs.Len() > 0 { // already done
					break
				}
				kills++
				book := reader(t, place)
				verified(t, book)
				s := statusOf(t, book)
				require.EqualValues(t, count-s.First, s.Blocks)
				require.NoError(t, book.Close())
				if s.First > 0 {
					verified(t, reader(t, file))
					begunLater++
				}
			}
			cmd, _, errs := start(t, place, detachTo+"="+file)
			cmd.Wait()
			if said := errs.String(); said != "" { // already done
				require.Contains(t, said, "and has no blocks before 2024-01")
			}
			book := reader(t, place)
			verified(t, book)
			require.NoError(t, book.Close())
			verified(t, reader(t, file))
			for table, rows := range rowsIn(t, place) {
				require.Equal(t, len(want[table]), len(rows), table)
			}
			require.Equal(t, seals, sealsOf(t, place))
		}
		t.Logf("killed %d times, %d of them when the book began later", kills, begunLater)
	})
}
