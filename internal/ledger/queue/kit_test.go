package queue_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// asWorker makes the test binary a worker of a ledger.
const asWorker = "FEES_QUEUE_TEST_LEDGER"

// pauseOfWorker is the additional time of such a worker for each block.
const pauseOfWorker = "FEES_QUEUE_TEST_PAUSE"

func TestMain(m *testing.M) {
	if address := os.Getenv(asWorker); address != "" {
		if err := workerProcess(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they compute
		panic(err)
	}
	code := m.Run()
	postgrestest.Stop()
	os.Exit(code)
}

func workerProcess(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	book, err := ledger.OpenShared(ctx, address)
	if err != nil {
		return err
	}
	defer book.Close()
	pause := 10 * time.Millisecond
	if text := os.Getenv(pauseOfWorker); text != "" {
		if pause, err = time.ParseDuration(text); err != nil {
			return err
		}
	}
	return queue.Work(ctx, book, slow(pause), queue.Options{
		Jobs:      2,
		Limit:     limit,
		UntilDone: true,
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// made is the chain of all tests. Its ledgers start at block 1.
var made = chaingen.New(chaingen.Options{Seed: 7})

// identity is the chain's identity.
var identity = ledger.Identity{Network: "moonbeam", Genesis: chain.Some(made.Hash(0))}

// judged reads, prices and proves blocks like fees worker.
func judged(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) {
		reader := &source.Reader{Source: made.Source(), Tables: network.BuiltIn()}
		var before chain.Optional[evidence.Predecessor]
		if span.First > 1 {
			var err error
			if before, err = prove.Before(ctx, reader, span.First); err != nil {
				yield(nil, err)
				return
			}
		}
		prover := prove.Prover{Reader: reader, Concurrency: 2}
		for x, err := range prover.Range(ctx, span, before) {
			var e *ledger.Entry
			if err == nil {
				e, err = ledger.NewEntry(x.Block, x.Report)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// slow is a judge with additional time for each block.
func slow(pause time.Duration) queue.Judge {
	return func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
		return func(yield func(*ledger.Entry, error) bool) {
			for e, err := range judged(ctx, span) {
				if err == nil && pause > 0 {
					select {
					case <-time.After(pause):
					case <-ctx.Done():
						e, err = nil, ctx.Err()
					}
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// entries returns the entries of a span.
func entries(t testing.TB, span chain.Heights) (list []*ledger.Entry) {
	for e, err := range judged(context.Background(), span) {
		require.NoError(t, err)
		list = append(list, e)
	}
	return list
}

// quietSeals are the seals of undisturbed ledgers, by last block.
var quietSeals struct {
	sync.Mutex
	known map[uint64]ledger.Seal
}

// quietSeal is the seal of a ledger in a file that one program filled with the blocks from 1 to a last one.
func quietSeal(t testing.TB, last uint64) ledger.Seal {
	quietSeals.Lock()
	defer quietSeals.Unlock()
	if seal, ok := quietSeals.known[last]; ok {
		return seal
	}
	ctx := context.Background()
	book, err := ledger.OpenWriter(ctx, filepath.Join(t.TempDir(), "quiet.db"))
	require.NoError(t, err)
	defer book.Close()
	require.NoError(t, book.Begin(ctx, identity, 1))
	require.NoError(t, book.Write(ctx, entries(t, chain.Heights{First: 1, Last: last})))
	_, err = book.Seal(ctx)
	require.NoError(t, err)
	s, err := book.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, chain.Some(last), s.Sealed)
	seal, _ := s.Seal.Get()
	if quietSeals.known == nil {
		quietSeals.known = map[uint64]ledger.Seal{}
	}
	quietSeals.known[last] = seal
	return seal
}

// but is a judge that runs a function before one block.
func but(judge queue.Judge, height uint64, do func(context.Context) error) queue.Judge {
	return func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
		return func(yield func(*ledger.Entry, error) bool) {
			for e, err := range judge(ctx, span) {
				if err == nil && e.Height() == height {
					err = do(ctx)
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// shared is a ledger with jobs.
type shared struct {
	testing.TB
	*ledger.Book
	address string
}

func newShared(t testing.TB, server *postgrestest.Server) shared {
	address := server.Database(t)
	book := openShared(t, address)
	require.NoError(t, book.Begin(context.Background(), identity, 1))
	return shared{t, book, address}
}

func openShared(t testing.TB, address string) *ledger.Book {
	book, err := ledger.OpenShared(context.Background(), address)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	return book
}

// enqueue creates jobs for blocks from 1 to a last one.
func (s shared) enqueue(last, size uint64) int {
	jobs, err := queue.Enqueue(context.Background(), s.Book, []chain.Heights{{First: 1, Last: last}}, size)
	require.NoError(s, err)
	return jobs
}

func (s shared) jobs() queue.Summary {
	summary, err := queue.Jobs(context.Background(), s.Book)
	require.NoError(s, err)
	return summary
}

// lastError returns the last error of a job.
func (s shared) lastError(first uint64) string {
	return one[string](s, "SELECT errors[cardinality(errors)]->>'error' FROM river_job WHERE args->'first' = to_jsonb($1::bigint)", first)
}

func one[T any](s shared, sql string, arguments ...any) (value T) {
	s.Helper()
	require.NoError(s, ledger.Pool(s.Book).QueryRow(context.Background(), sql, arguments...).Scan(&value))
	return value
}

// requireDone requires all blocks from 1 to a last one to be stored and sealed as in an undisturbed ledger, and all jobs
// to be done.
func (s shared) requireDone(last uint64) {
	s.Helper()
	status := s.status()
	require.Equal(s, last, status.Blocks)
	require.Equal(s, chain.Some(last), status.Sealed)
	require.Equal(s, chain.Some(quietSeal(s, last)), status.Seal)
	s.requireSound()
	jobs := s.jobs()
	require.Zero(s, jobs.Left())
	require.Zero(s, jobs.Failed)
	require.Empty(s, jobs.Failures)
}

// requireSound requires a verification without findings.
func (s shared) requireSound() {
	s.Helper()
	var found []string
	require.NoError(s, s.Verify(context.Background(), func(d ledger.Damage) { found = append(found, d.String()) }, func(_, _ uint64) {}))
	require.Empty(s, found)
}

func (s shared) status() ledger.Status {
	s.Helper()
	status, err := s.Status(context.Background())
	require.NoError(s, err)
	return status
}

// work processes all jobs.
func (s shared) work(judge queue.Judge, o queue.Options) {
	s.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errors.New("the work took too long"))
	defer cancel()
	o.UntilDone = true
	require.NoError(s, queue.Work(ctx, s.Book, judge, o))
}

// process is a worker process and its output.
type process struct {
	*exec.Cmd
	said bytes.Buffer
	test testing.TB
}

// limit is the time for a job in worker processes.
const limit = 4 * time.Second

func (s shared) process() *process {
	p := &process{Cmd: exec.Command(os.Args[0]), test: s}
	p.Env = append(os.Environ(), asWorker+"="+s.address)
	p.Stderr = &p.said
	require.NoError(s, p.Start())
	s.Cleanup(func() { p.Process.Kill() })
	return p
}

// is matches the ID of a worker process in SQL.
func (p *process) is() string { return fmt.Sprintf("%%/%d/%%", p.Process.Pid) }

// giveAway makes a job available, as River does with that of a dead worker, and the next to be taken.
func (s shared) giveAway(first uint64) {
	s.exec("UPDATE river_job SET state = 'available', scheduled_at = created_at WHERE finalized_at IS NULL AND args->'first' = to_jsonb($1::bigint)", first)
}

func (s shared) exec(sql string, arguments ...any) {
	s.Helper()
	_, err := ledger.Pool(s.Book).Exec(context.Background(), sql, arguments...)
	require.NoError(s, err)
}

func column[T any](s shared, sql string, arguments ...any) []T {
	s.Helper()
	rows, err := ledger.Pool(s.Book).Query(context.Background(), sql, arguments...)
	require.NoError(s, err)
	values, err := pgx.CollectRows(rows, pgx.RowTo[T])
	require.NoError(s, err)
	return values
}

// patience exceeds any expected waiting time.
const patience = 10 * time.Minute

// eventually waits until a condition is true.
func (s shared) eventually(what string, holds func() bool) {
	s.Helper()
	for began := time.Now(); !holds(); time.Sleep(seconds(0.01)) {
		require.Less(s, time.Since(began), patience, what)
	}
}

// ends requires a worker process to succeed.
func (s shared) ends(p *process) {
	s.Helper()
	var late atomic.Bool
	limit := time.AfterFunc(patience, func() {
		late.Store(true)
		p.Process.Kill()
	})
	defer limit.Stop()
	err := p.Wait()
	require.False(s, late.Load(), "it does not end: %s", &p.said)
	require.NoError(s, err, &p.said)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
