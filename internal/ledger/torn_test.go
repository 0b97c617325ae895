package ledger_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/tier"
)

// asTask makes this test binary a program that runs one of the tasks in the directory of asWriter. With goingOn it
// continues after an interruption.
const (
	asTask  = "FEES_LEDGER_TEST_TASK"
	goingOn = "FEES_LEDGER_TEST_GOING_ON"
)

// task is an operation on a ledger in a file, interrupted by a crash.
type task struct {
	prepare func(t *testing.T, directory string)
	run     func(directory string) error
	// goOn continues after a crash, and checks the result. Whole
	// means that the program had succeeded: then everything must be there before.
	goOn func(directory string, whole bool) error
}

var tasks = map[string]task{
	"import":          {func(*testing.T, string) {}, importing, importingGoesOn},
	"beside a reader": {func(*testing.T, string) {}, importingBesideAReader, importingGoesOn},
	"rollback":        {writtenForRollback, rollingBack, rollbackGoesOn},
	"below":           {writtenForBelow, extendingBelow, belowGoesOn},
	"backup":          {writtenForTasks, backingUp, backupGoesOn},
	"detach":          {writtenForTasks, detaching, detachmentGoesOn},
}

// Whatever a crash of the machine leaves of a file, the ledger is intact, and in the end the same.
func TestTornFiles(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		task := tasks[name]
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			task.prepare(t, directory)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), asWriter+"="+directory, asTask+"="+name)
			check := func(directory string, s crashtest.State) error {
				if err := wholeToReaders(directory); err != nil {
					return err
				}
				return task.goOn(directory, s.Whole)
			}
			h := crashtest.Run(t, directory, cmd)
			t.Logf("%v", h.Crashes(t, check))

			// SQLite considers data given up by a failed sync as written, and does not report every failed
			// sync: such a ledger can be damaged and reported as such, or intact. A copy left by an error
			// was not reported as done.
			var damaged atomic.Int64
			h.AfterFailedSyncs(t, crashtest.FailedSync{
				Program: cmd, Variable: asWriter, Again: []string{goingOn + "=1"}, Silent: true,
				Prepare: func(home string) { task.prepare(t, home) },
				Check: func(directory string, s crashtest.State) error {
					s.Whole = s.Whole && name != "backup"
					err := check(directory, s)
					if errors.Is(err, ledger.ErrDamaged) {
						damaged.Add(1)
						return nil
					}
					return err
				},
			})
			t.Logf("%d books were damaged", damaged.Load())
		})
	}
}

// failures are errors of system calls.
var failures = []struct{ call, failure string }{
	{"pwrite64", "ENOSPC"}, {"pwrite64", "EIO"}, {"fsync", "EIO"}, {"fdatasync", "EIO"}, {"fsync", "ENOSPC"},
	{"ftruncate", "EIO"}, {"openat", "EIO"}, {"linkat", "EIO"}, {"unlinkat", "EIO"}, {"mkdirat", "ENOSPC"},
}

// If any system call fails, temporarily or for good, the program reports it or succeeds without it. The ledger is intact,
// and the next program continues.
func TestCallsThatFail(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: starts many programs")
	}
	few, turns := 1, 5 // each task gets two of the failures
	if n := tier.Count(t, crashtest.StatesAsked, 0, 0); n > 0 {
		few, turns = 1+n/20, 1
	}
	for turn, name := range slices.Sorted(maps.Keys(tasks)) {
		task := tasks[name]
		t.Run(name, func(t *testing.T) {
			begun := t.TempDir()
			task.prepare(t, begun)
			ran, failed := 0, 0
			for i, f := range failures {
				if (i+turn)%turns > 0 {
					continue
				}
				for n := range few {
					at := 1 + n
					if f.call == "openat" || f.call == "pwrite64" { // there are many of these
						at += (7*i + 13*n*n + n) % 60
					}
					directory := t.TempDir()
					require.NoError(t, os.CopyFS(directory, os.DirFS(begun)))
					cmd := exec.Command(os.Args[0])
					cmd.Env = append(os.Environ(), asWriter+"="+directory, asTask+"="+name)
					said, err := crashtest.RunFailing(t, cmd, f.call, f.failure, at, (n+i)%2 == 0)
					ran++
					if err != nil {
						failed++
					}
					about := fmt.Sprintf("%s number %d fails with %s: %s", f.call, at, f.failure, said)
					require.NoError(t, wholeToReaders(directory), about)
					require.NoError(t, task.goOn(directory, err == nil), about)
				}
			}
			t.Logf("%d programs, %d of them failed", ran, failed)
		})
	}
}

// asATask runs the task named by the environment.
func asATask(directory, name string) error {
	runtime.LockOSThread() // calls are counted per thread
	if os.Getenv(goingOn) != "" {
		return tasks[name].goOn(directory, false)
	}
	return tasks[name].run(directory)
}

func fileIn(directory string) string { return filepath.Join(directory, "fees.db") }

// wholeToReaders requires a reader to find an undamaged ledger, or none.
func wholeToReaders(directory string) error {
	book, err := ledger.Open(ctx, fileIn(directory))
	if errors.Is(err, ledger.ErrNone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("a reader: %w", err)
	}
	defer book.Close()
	if _, err := book.Status(ctx); errors.Is(err, ledger.ErrNone) {
		return nil
	} else if err != nil {
		return fmt.Errorf("a reader: %w", err)
	}
	return undamaged(book)
}

// undamaged requires a ledger without damage.
func undamaged(book *ledger.Book) error {
	var list []error
	err := book.Verify(ctx, func(d ledger.Damage) { list = append(list, fmt.Errorf("%w: %v", ledger.ErrDamaged, d)) }, func(_, _ uint64) {})
	return errors.Join(append(list, err)...)
}

// inBook runs a function on a ledger opened for writing.
func inBook(place string, do func(*ledger.Book) error) error {
	book, err := ledger.OpenWriter(ctx, place)
	if err != nil {
		return err
	}
	return errors.Join(do(book), book.Close())
}

// has requires a ledger in a file to contain the blocks, sealed, like an undisturbed one.
func has(place string, entries []*ledger.Entry) error {
	book, err := ledger.Open(ctx, place)
	if err != nil {
		return err
	}
	defer book.Close()
	if err := undamaged(book); err != nil {
		return err
	}
	s, err := book.Status(ctx)
	if err != nil {
		return err
	}
	if want := sealAlone(entries); s.Seal != want {
		return fmt.Errorf("%s is sealed up to %v with %v, not with %v", filepath.Base(place), s.Sealed, s.Seal, want)
	}
	return nil
}

var sealsAlone sync.Map

// sealAlone is the seal of a ledger that one program fills without interruption.
func sealAlone(entries []*ledger.Entry) chain.Optional[ledger.Seal] {
	key := [2]chain.Hash{entries[0].Hash(), entries[len(entries)-1].Hash()}
	seal, _ := sealsAlone.LoadOrStore(key, sync.OnceValue(func() (seal chain.Optional[ledger.Seal]) {
		directory, err := os.MkdirTemp("", "fees-quiet-")
		must(err)
		defer os.RemoveAll(directory)
		must(inBook(fileIn(directory), func(book *ledger.Book) error {
			must(errors.Join(book.Begin(ctx, madeUpChain, entries[0].Height()), book.Write(ctx, entries)))
			_, err := book.Seal(ctx)
			must(err)
			s, err := book.Status(ctx)
			seal = s.Seal
			return err
		}))
		return seal
	}))
	return seal.(func() chain.Optional[ledger.Seal])()
}

// The blocks that the tasks write, in two months.
const taskBlocks = 24

var taskEntries = sync.OnceValue(func() []*ledger.Entry { return monthsOfBlocks(taskBlocks, 12*time.Hour) })

func writtenForTasks(t *testing.T, directory string) {
	require.NoError(t, written(t, fileIn(directory), madeUpChain, taskEntries()).Close())
}

// importing fills a ledger in three runs of a program. In the second one, SQLite's write-ahead log is checkpointed, as it
// is every 4000 pages in a long run.
func importing(directory string) error {
	for run, part := range slices.Collect(slices.Chunk(taskEntries(), taskBlocks/3)) {
		err := inBook(fileIn(directory), func(book *ledger.Book) error {
			if err := book.Begin(ctx, madeUpChain, 0); err != nil {
				return err
			}
			for i, few := range slices.Collect(slices.Chunk(part, 3)) {
				if err := book.Write(ctx, few); err != nil {
					return err
				}
				if i%2 == 0 {
					if _, err := book.Seal(ctx); err != nil {
						return err
					}
				}
				if run == 1 {
					if err := checkpoint(fileIn(directory)); err != nil {
						return err
					}
				}
			}
			_, err := book.Seal(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// importingBesideAReader fills a ledger that another program has open until the machine crashes.
func importingBesideAReader(directory string) error {
	err := inBook(fileIn(directory), func(book *ledger.Book) error {
		return errors.Join(book.Begin(ctx, madeUpChain, 0), book.Write(ctx, taskEntries()[:3]))
	})
	if err != nil {
		return err
	}
	reader, err := ledger.Open(ctx, fileIn(directory))
	if err != nil {
		return err
	}
	if _, err := reader.Status(ctx); err != nil {
		return err
	}
	return inBook(fileIn(directory), func(book *ledger.Book) error { return goOn(book, taskEntries(), func() {}) })
}

func importingGoesOn(directory string, ended bool) error {
	place := fileIn(directory)
	if ended {
		if err := has(place, taskEntries()); err != nil {
			return fmt.Errorf("the import had ended: %w", err)
		}
	}
	err := inBook(place, func(book *ledger.Book) error { return goOn(book, taskEntries(), func() {}) })
	return errors.Join(err, has(place, taskEntries()))
}

// The blocks before a rollback: from rolledBack on they belong to an abandoned branch.
const rolledBack = 18

func writtenForRollback(t *testing.T, directory string) {
	book := written(t, fileIn(directory), madeUpChain, taskEntries()[:rolledBack])
	require.NoError(t, book.Write(ctx, branch(t, rolledBack, 5, hashOf(rolledBack-1, 0), 1, false)))
	require.NoError(t, book.Close())
}

// rollingBack removes the blocks of the branch, and continues with the chain's.
func rollingBack(directory string) error {
	err := inBook(fileIn(directory), func(book *ledger.Book) error {
		_, err := book.Rollback(ctx)
		if err == nil {
			err = book.Write(ctx, taskEntries()[rolledBack:rolledBack+3])
		}
		return err
	})
	if err != nil {
		return err
	}
	return inBook(fileIn(directory), func(book *ledger.Book) error { return goOn(book, taskEntries(), func() {}) })
}

func rollbackGoesOn(directory string, ended bool) error {
	place := fileIn(directory)
	if ended {
		if err := has(place, taskEntries()); err != nil {
			return fmt.Errorf("the rollback had ended: %w", err)
		}
	}
	err := inBook(place, func(book *ledger.Book) error {
		s, err := book.Status(ctx)
		if err == nil && s.Blocks < rolledBack {
			err = fmt.Errorf("of %d final blocks that were there before, %d are left", rolledBack, s.Blocks)
		}
		if err == nil && s.NotFinal > 0 {
			_, err = book.Rollback(ctx)
		}
		if err != nil {
			return err
		}
		return goOn(book, taskEntries(), func() {})
	})
	return errors.Join(err, has(place, taskEntries()))
}

const begunAt = 14

func writtenForBelow(t *testing.T, directory string) {
	require.NoError(t, written(t, fileIn(directory), madeUpChain, taskEntries()[begunAt:]).Close())
}

func extendingBelow(directory string) error {
	return inBook(fileIn(directory), func(book *ledger.Book) error { return extend(book, taskEntries()) })
}

func belowGoesOn(directory string, ended bool) error {
	place := fileIn(directory)
	if ended {
		if err := has(place, taskEntries()); err != nil {
			return fmt.Errorf("the blocks below were there: %w", err)
		}
	}
	err := inBook(place, func(book *ledger.Book) error { return extend(book, taskEntries()) })
	return errors.Join(err, has(place, taskEntries()))
}

func copyIn(directory string) string { return filepath.Join(directory, "copy.db") }

func backingUp(directory string) error {
	book, err := ledger.Open(ctx, fileIn(directory))
	if err != nil {
		return err
	}
	return errors.Join(book.Backup(ctx, copyIn(directory), func(_, _ uint64) {}), book.Close())
}

// backupGoesOn requires a copy to be complete or missing.
func backupGoesOn(directory string, ended bool) error {
	_, err := os.Lstat(copyIn(directory))
	if errors.Is(err, fs.ErrNotExist) && !ended {
		err = backingUp(directory)
	}
	if err == nil {
		_, err = os.Lstat(copyIn(directory))
	}
	return errors.Join(err, has(copyIn(directory), taskEntries()), has(fileIn(directory), taskEntries()))
}

func detachedIn(directory string) string { return filepath.Join(directory, "earlier.db") }

// detachedTasks is the month before which 13 blocks are detached.
var detachedTasks = ledger.MonthOf(time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC))

const detachedBlocks = 13

func detaching(directory string) error {
	return inBook(fileIn(directory), func(book *ledger.Book) error {
		_, err := book.Detach(ctx, detachedTasks, detachedIn(directory), quiet())
		return err
	})
}

// detachmentGoesOn requires each block to be in the ledger or in the file, and then the file to be complete.
func detachmentGoesOn(directory string, ended bool) error {
	earlier := taskEntries()[:detachedBlocks]
	err := inBook(fileIn(directory), func(book *ledger.Book) error {
		s, err := book.Status(ctx)
		if err != nil || s.First == 0 && !ended {
			return err
		}
		if s.First != detachedBlocks {
			return fmt.Errorf("the book begins with block %d", s.First)
		}
		return has(detachedIn(directory), earlier)
	})
	if err != nil {
		return err
	}
	if err := detaching(directory); err != nil && !errors.Is(err, ledger.ErrNoCut) { // already done
		return err
	}
	if err := has(detachedIn(directory), earlier); err != nil {
		return err
	}
	book, err := ledger.Open(ctx, fileIn(directory))
	if err != nil {
		return err
	}
	defer book.Close()
	s, err := book.Status(ctx)
	if err == nil && (s.First != detachedBlocks || s.Blocks != taskBlocks-detachedBlocks) {
		err = fmt.Errorf("the book has %d blocks from %d on", s.Blocks, s.First)
	}
	return errors.Join(err, undamaged(book))
}

// checkpoint writes SQLite's write-ahead log to the file.
func checkpoint(place string) error {
	db, err := sql.Open("sqlite", place+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	_, err = db.Exec("PRAGMA wal_checkpoint(PASSIVE)")
	return errors.Join(err, db.Close())
}
