package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// noted are texts of a ledger's database.
func noted(t *testing.T, b *Book, query string, arguments ...any) (found []string) {
	t.Helper()
	require.NoError(t, list(context.Background(), b.engine, []column{{"", text}}, func(r row) error {
		found = append(found, fmt.Sprint(r[0]))
		return nil
	}, query, arguments...))
	return found
}

func sound(t *testing.T, b *Book) {
	t.Helper()
	require.NoError(t, b.Verify(context.Background(), func(d Damage) { t.Error(d) }, func(_, _ uint64) {}))
}

// writeAll writes blocks of some heights, and seals what is possible.
func writeAll(t *testing.T, b *Book, first, count uint64) {
	t.Helper()
	var entries []*Entry
	for h := first; h < first+count; h++ {
		entries = append(entries, quickEntry(t, h))
	}
	require.NoError(t, b.Write(context.Background(), entries))
	_, err := b.Seal(context.Background())
	require.NoError(t, err)
}

// quickEntry is an entry of a chain with a block every six seconds.
func quickEntry(t *testing.T, height uint64) *Entry {
	t.Helper()
	return entryAt(t, height, 1_700_000_000_000+height*6_000)
}

func openedWriter(t *testing.T, place string) *Book {
	t.Helper()
	b, err := OpenWriter(context.Background(), place)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func TestPartitionOf(t *testing.T) {
	require.Equal(t, chain.Heights{First: 0, Last: 1_048_575}, partitionOf(0))
	require.Equal(t, chain.Heights{First: 0, Last: 1_048_575}, partitionOf(1_048_575))
	require.Equal(t, chain.Heights{First: 1_048_576, Last: 2_097_151}, partitionOf(1_048_576))
	require.Equal(t, uint64(maxHeight-1), partitionOf(maxHeight-1).Last)
}

// The rows of blocks are in the partition of their heights, which a writer creates when it is first needed.
func TestPartitions(t *testing.T) {
	ctx := context.Background()
	b := openedWriter(t, postgrestest.Start(t).Database(t))
	const first = partitionHeights - 4
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, first))
	sound(t, b)
	require.Empty(t, noted(t, b, "SELECT relname::text FROM pg_class WHERE relispartition"))
	writeAll(t, b, first, 2)
	require.Equal(t, []string{"blocks_0"}, noted(t, b, "SELECT relname::text FROM pg_class WHERE relispartition AND relname LIKE 'blocks%' AND relkind = 'r'"))
	writeAll(t, b, first+2, 9)
	require.Equal(t, []string{"blocks_0 4", "blocks_1048576 7"}, noted(t, b, "SELECT tableoid::regclass || ' ' || count(*) FROM blocks GROUP BY tableoid ORDER BY 1"))
	there, err := partitionsThere(ctx, b.engine)
	require.NoError(t, err)
	require.Len(t, there, 2*len(cutTables))
	require.Equal(t, partition{"blocks", "blocks_1048576", chain.Heights{First: 1_048_576, Last: 2_097_151}}, there[1])
	sound(t, b)
	writeAll(t, b, first+11, 1)
	sound(t, b)

	// At the end of all heights.
	far := entryAt(t, maxHeight-1, 1_800_000_000_000)
	require.NoError(t, b.Write(ctx, []*Entry{far}))
	sound(t, b)
	s, err := b.Status(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 13, s.Blocks)
}

// Several programs create a new partition at once, while others query.
func TestPartitionsThatSeveralMake(t *testing.T) {
	ctx := context.Background()
	place := postgrestest.Start(t).Database(t)
	b := openedWriter(t, place)
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 1))
	writeAll(t, b, 1, 3)
	require.NoError(t, b.Close())
	const writers, partitions = 4, 6
	var group, readers sync.WaitGroup
	ended := make(chan struct{})
	readers.Add(1)
	go func() {
		defer readers.Done()
		b, err := Open(ctx, place)
		if !must(t, err) {
			return
		}
		defer b.Close()
		for {
			select {
			case <-ended:
				return
			default:
			}
			_, err := b.Status(ctx)
			if !must(t, err) {
				return
			}
		}
	}()
	for w := range writers {
		var jobs [][]*Entry
		for p := range partitions {
			height := uint64(p+1) * partitionHeights
			jobs = append(jobs, []*Entry{quickEntry(t, height+uint64(w)), quickEntry(t, height+partitionHeights/2+uint64(w))})
		}
		group.Add(1)
		go func() {
			defer group.Done()
			b, err := OpenShared(ctx, place)
			if !must(t, err) {
				return
			}
			defer b.Close()
			for _, entries := range jobs {
				must(t, WriteJob(ctx, b, entries, func(context.Context, pgx.Tx) error { return nil }))
			}
		}()
	}
	group.Wait()
	close(ended)
	readers.Wait()
	b = openedWriter(t, place)
	sound(t, b)
	there, err := partitionsThere(ctx, b.engine)
	require.NoError(t, err)
	require.Len(t, there, (1+partitions)*len(cutTables))
	s, err := b.Status(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 3+2*writers*partitions, s.Blocks)
}

// must reports an error in a goroutine of the test.
func must(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// explained returns the number of partitions that the queries read.
type explained struct {
	*pgxpool.Pool
	t       *testing.T
	most    int
	queries int
}

func (e *explained) Query(ctx context.Context, query string, arguments ...any) (pgx.Rows, error) {
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		tx, err := e.Begin(ctx)
		require.NoError(e.t, err)
		for _, setting := range []string{"SET LOCAL enable_seqscan = off", "SET LOCAL enable_bitmapscan = off", "SET LOCAL plan_cache_mode = " + mode} { // a test's tables are small
			_, err = tx.Exec(ctx, setting)
			require.NoError(e.t, err)
		}
		rows, err := tx.Query(ctx, "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "+query, arguments...)
		require.NoError(e.t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(e.t, err)
		require.NoError(e.t, tx.Rollback(ctx))
		read := 0
		for _, line := range plan {
			if strings.Contains(line, " on ") && !strings.Contains(line, "never executed") && strings.Contains(line, "_") {
				read++
				require.NotContains(e.t, line, "Seq Scan")
			}
			require.NotContains(e.t, line, "Sort", query)
		}
		require.LessOrEqual(e.t, read, e.most, "%s\n%s", query, strings.Join(plan, "\n"))
		require.Positive(e.t, read, strings.Join(plan, "\n"))
	}
	e.queries++
	return e.Pool.Query(ctx, query, arguments...)
}

// A query by height reads the partitions of those heights, and the next one if they contain too few rows, but not twenty.
func TestQuestionsByHeightReadTheirPartitions(t *testing.T) {
	ctx := context.Background()
	b := openedWriter(t, postgrestest.Start(t).Database(t))
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 1))
	for p := range uint64(20) {
		var entries []*Entry
		for h := range uint64(300) {
			entries = append(entries, quickEntry(t, p*partitionHeights+1+h))
		}
		require.NoError(t, b.Write(ctx, entries))
	}
	e := &explained{Pool: Pool(b), t: t, most: 1}
	q := pgQuerier{e}
	const height = 7*partitionHeights + 5
	for _, ask := range []func() error{
		func() error {
			_, _, err := readRows(ctx, q, "height = ?", int64(height))
			return err
		},
		func() error {
			_, _, err := readRows(ctx, q, "height >= ? AND height <= ?", int64(height), int64(height+batchSize))
			return err
		},
		func() error {
			return readBatch(ctx, q, batch{span: chain.Heights{First: height, Last: height + 3}, heights: []uint64{height, height + 3}}, whole).err
		},
		func() error { // it stops after one batch, before the end of the span
			return readBatch(ctx, q, batch{span: chain.Heights{First: height, Last: everyBlock.Last}}, whole).err
		},
		func() error {
			_, err := one(ctx, q, []any{new(int64)}, "SELECT max(height) FROM blocks WHERE flags & 1 = 0")
			return err
		},
	} {
		before := e.queries
		require.NoError(t, ask())
		require.Greater(t, e.queries, before)
	}
	e.most = 2
	apart := []uint64{height, height + partitionHeights}
	require.NoError(t, readBatch(ctx, q, batch{span: chain.Heights{First: apart[0], Last: apart[1]}, heights: apart}, whole).err)
}

// Whole partitions of detached blocks are dropped, and rows of a partly detached one are deleted. Concurrent queries
// succeed, or report what happened.
func TestDetachDropsPartitions(t *testing.T) {
	ctx := context.Background()
	place := postgrestest.Start(t).Database(t)
	b := openedWriter(t, place)
	const first, height, end = partitionHeights - 10, partitionHeights + 600, partitionHeights + 2_000
	january := uint64(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, first))
	for from := uint64(first); from < end; from += 67 {
		var entries []*Entry
		for h := from; h < from+67; h++ {
			entries = append(entries, entryAt(t, h, january+h*6_000-height*6_000))
		}
		require.NoError(t, b.Write(ctx, entries))
	}
	_, err := b.Seal(ctx)
	require.NoError(t, err)
	planned, err := b.Detachable(ctx, MonthOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)))
	require.NoError(t, err)
	bytes, known := planned.Bytes.Get()
	require.True(t, known)
	require.Positive(t, bytes)
	require.Equal(t, chain.Heights{First: first, Last: height - 1}, planned.Span)

	ended := make(chan struct{})
	var readers sync.WaitGroup
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	readers.Add(1)
	go func() {
		defer readers.Done()
		defer begin()
		r, err := Open(ctx, place)
		if !must(t, err) {
			return
		}
		defer r.Close()
		for asked := 0; ; asked++ {
			if asked == 1 {
				begin()
			}
			select {
			case <-ended:
				return
			default:
			}
			if _, err := r.Status(ctx); !must(t, err) {
				return
			}
			for _, err := range r.Transactions(ctx, Query{Span: chain.Heights{First: first, Last: end}}) {
				if err != nil && !errors.Is(err, ErrDetached) {
					t.Error(err)
					return
				}
			}
		}
	}()
	<-begun
	none := func(_, _ uint64) {}
	d, err := b.Detach(ctx, MonthOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)), filepath.Join(t.TempDir(), "earlier.db"), DetachProgress{none, none, none})
	close(ended)
	readers.Wait()
	require.NoError(t, err)
	require.Equal(t, planned, d)
	sound(t, b)
	there, err := partitionsThere(ctx, b.engine)
	require.NoError(t, err)
	require.Len(t, there, len(cutTables))
	for _, p := range there {
		require.EqualValues(t, partitionHeights, p.First)
		require.Empty(t, noted(t, b, fmt.Sprintf("SELECT height::text FROM blocks WHERE height < %d UNION ALL SELECT id::text FROM transactions WHERE id < %d", uint64(height), uint64(height)<<extrinsicBits)))
	}
}

// Dropping partitions waits for older snapshots.
func TestPartitionsAreNotDroppedUnderAReader(t *testing.T) {
	ctx := context.Background()
	b := openedWriter(t, postgrestest.Start(t).Database(t))
	require.NoError(t, b.Begin(ctx, Identity{Network: "moonbeam"}, 1))
	writeAll(t, b, 1, 9)
	q, end, err := b.engine.snapshot(ctx)
	require.NoError(t, err)
	defer end()
	_, err = readBookRow(ctx, q) // and nothing else
	require.NoError(t, err)
	dropped := make(chan error)
	go func() { dropped <- b.engine.dropPartitions(ctx, partitionHeights) }()
	select {
	case err := <-dropped:
		t.Fatal("it did not wait", err)
	case <-time.After(300 * time.Millisecond):
	}
	for _, table := range cutTables {
		var count int
		_, err := one(ctx, q, []any{&count}, "SELECT count(*) FROM "+table.name)
		require.NoError(t, err)
		require.Equal(t, 9, count)
	}
	end()
	require.NoError(t, <-dropped)
	require.Empty(t, noted(t, b, "SELECT relname::text FROM pg_class WHERE relispartition"))
}
