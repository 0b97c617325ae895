package ledger

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/feeledger/fees/chain"
)

// partitionHeights is the number of heights of a partition. With blocks of 6 or 12 seconds that is two and a
// half or five months, so data older than a year is mostly in whole partitions. A chain of 17 million blocks
// has 17 of them, which barely affects query planning.
const partitionHeights = 1 << 20

// partition contains the rows of a table for a span of blocks.
type partition struct {
	table, name string
	chain.Heights
}

var partitionFields = []field[partition]{
	{"table", fact, func(p *partition) any { return &p.table }},
	{"name", fact, func(p *partition) any { return &p.name }},
	{"first", fact, func(p *partition) any { return &p.First }},
	{"last", fact, func(p *partition) any { return &p.Last }},
}

// cutTables are the partitioned tables, with the factor from a height to their key.
var cutTables = []struct {
	name  string
	times uint64
}{{"blocks", 1}, {"transactions", 1 << extrinsicBits}}

// partitionsThere returns the existing partitions of all tables.
func partitionsThere(ctx context.Context, q querier) (there []partition, err error) {
	for _, t := range cutTables {
		err := scan(ctx, q, partitionFields, func(p *partition) error {
			p.First, p.Last = p.First/t.times, (p.Last+1)/t.times-1
			there = append(there, *p)
			return nil
		}, `SELECT parent.relname::text, part.relname::text,
			coalesce(substring(pg_get_expr(part.relpartbound, part.oid) FROM 'FROM [(]''*([0-9]+)')::bigint, 0),
			coalesce(substring(pg_get_expr(part.relpartbound, part.oid) FROM 'TO [(]''*([0-9]+)')::bigint - 1, 9223372036854775807)
			FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent JOIN pg_class part ON part.oid = inhrelid
			WHERE inhparent = to_regclass(quote_ident(?)) ORDER BY 3`, t.name)
		if err != nil {
			return nil, err
		}
	}
	return there, nil
}

// partitionOf returns the span of a height's partition.
func partitionOf(height uint64) chain.Heights {
	first := height / partitionHeights * partitionHeights
	return chain.Heights{First: first, Last: min(first+partitionHeights, maxHeight) - 1}
}

// makePartitions creates the partitions for a span's rows. Several programs may do so at once while others
// read and write: a table is created first and then attached, which blocks no one.
func (e *postgresEngine) makePartitions(ctx context.Context, span chain.Heights) error {
	for height := span.First; height <= span.Last && height < maxHeight; height = partitionOf(height).Last + 1 {
		part := partitionOf(height)
		if _, known := e.partitions.Load(part.First); known {
			continue
		}
		if err := e.makePartition(ctx, part); err != nil {
			return fmt.Errorf("the partitions of blocks %v: %w", part, err)
		}
		e.partitions.Store(part.First, true)
	}
	return nil
}

func (e *postgresEngine) makePartition(ctx context.Context, span chain.Heights) error {
	return inTransaction(ctx, e, func(tx transaction) error {
		if err := tx.lock(ctx, lockPartitions); err != nil {
			return err
		}
		there, err := partitionsThere(ctx, tx)
		if err != nil {
			return err
		}
		for _, t := range cutTables {
			if slices.ContainsFunc(there, func(p partition) bool { return p.table == t.name && p.First <= span.First && p.Last >= span.Last }) {
				continue
			}
			if err := makePartitionTable(ctx, tx, t.name, t.times, span); err != nil {
				return err
			}
		}
		return nil
	})
}

// makePartitionTable creates the partition of a table for a span, with the factor from a height to the table's key.
func makePartitionTable(ctx context.Context, q querier, table string, times uint64, span chain.Heights) error {
	name := fmt.Sprintf("%s_%d", table, span.First)
	return execAll(ctx, q,
		fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL)", name, table),
		fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)", table, name, span.First*times, (span.Last+1)*times))
}

// below returns the partitions that are entirely below a height.
func (e *postgresEngine) below(ctx context.Context, height uint64) ([]partition, error) {
	there, err := partitionsThere(ctx, e)
	return slices.DeleteFunc(there, func(p partition) bool { return p.Last >= height }), err
}

// dropPartitions waits for running queries but does not block others for long: each table is dropped in a
// separate transaction.
func (e *postgresEngine) dropPartitions(ctx context.Context, height uint64) error {
	gone, err := e.below(ctx, height)
	if err != nil {
		return err
	}
	e.partitions.Clear()
	for _, p := range gone {
		err := inTransaction(ctx, e, func(tx transaction) error {
			return execAll(ctx, tx, "SET LOCAL lock_timeout = '10s'", "DROP TABLE IF EXISTS "+pgx.Identifier{p.name}.Sanitize())
		})
		if err != nil {
			return fmt.Errorf("the partition %s: %w", p.name, err)
		}
	}
	return nil
}

func (e *postgresEngine) partitionBytes(ctx context.Context, height uint64) (none chain.Optional[uint64], err error) {
	gone, err := e.below(ctx, height)
	if err != nil {
		return none, err
	}
	sum := uint64(0)
	for _, p := range gone {
		var bytes uint64
		if _, err := one(ctx, e, []any{&bytes}, "SELECT pg_total_relation_size(quote_ident(?)::regclass)", p.name); err != nil {
			return none, err
		}
		sum += bytes
	}
	return chain.Some(sum), nil
}
