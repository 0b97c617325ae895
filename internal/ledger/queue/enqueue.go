package queue

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// MaxJobs is the maximum number of jobs that one call of Enqueue creates.
const MaxJobs = 1_000_000

// Enqueue adds jobs of at most size blocks for spans of heights, and returns how many it added: all or, with
// an error, none. It skips heights that are in an open job. Stored blocks are skipped by the caller, and again
// by the workers. Enqueue creates the table jobs if it is missing.
func Enqueue(ctx context.Context, pool *pgxpool.Pool, spans []chain.Heights, size uint64) (jobs int, err error) {
	if err := check(spans, size); err != nil {
		return 0, err
	}
	if err := prepare(ctx, pool); err != nil {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// One at a time, otherwise two calls would not see each other's jobs.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('fees enqueue'))"); err != nil {
			return err
		}
		taken, err := unfinished(ctx, tx)
		if err != nil {
			return err
		}
		parts, err := cut(without(spans, taken), size)
		if err != nil {
			return err
		}
		jobs = len(parts)
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"jobs"}, []string{"first", "last"}, pgx.CopyFromSlice(jobs, func(i int) ([]any, error) {
			return []any{parts[i].First, parts[i].Last}, nil
		}))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("enqueue: %w", err)
	}
	return jobs, nil
}

func check(spans []chain.Heights, size uint64) error {
	if size == 0 {
		return fmt.Errorf("enqueue: a job needs at least 1 block")
	}
	for _, s := range spans {
		if s.First > s.Last {
			return fmt.Errorf("enqueue: block %d is after block %d", s.First, s.Last)
		}
		if s.Last >= math.MaxInt64 {
			return fmt.Errorf("enqueue: block %d exceeds the greatest height that a ledger can store", s.Last)
		}
	}
	return nil
}

// unfinished returns the spans of the open jobs.
func unfinished(ctx context.Context, tx pgx.Tx) ([]chain.Heights, error) {
	rows, err := tx.Query(ctx, "SELECT first, last FROM jobs WHERE ended IS NULL")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[chain.Heights])
}

// without returns the spans minus others, in order and without overlaps.
func without(spans, others []chain.Heights) (left []chain.Heights) {
	others = union(others)
	for _, s := range union(spans) {
		for len(others) > 0 && others[0].Last < s.First {
			others = others[1:]
		}
		rest := true
		for _, o := range others {
			if o.First > s.Last {
				break
			}
			if s.First < o.First {
				left = append(left, chain.Heights{First: s.First, Last: o.First - 1})
			}
			if rest = o.Last < s.Last; !rest {
				break
			}
			s.First = o.Last + 1
		}
		if rest {
			left = append(left, s)
		}
	}
	return left
}

// union sorts and merges spans.
func union(spans []chain.Heights) []chain.Heights {
	var all []chain.Heights
	for _, s := range slices.SortedFunc(slices.Values(spans), func(a, b chain.Heights) int { return cmp.Compare(a.First, b.First) }) {
		if n := len(all); n > 0 && (s.First <= all[n-1].Last || s.First-1 == all[n-1].Last) {
			all[n-1].Last = max(all[n-1].Last, s.Last)
			continue
		}
		all = append(all, s)
	}
	return all
}

// cut splits spans into parts of at most size blocks.
func cut(spans []chain.Heights, size uint64) ([]chain.Heights, error) {
	var parts []chain.Heights
	for _, s := range spans {
		for first := s.First; ; first += size {
			if len(parts) == MaxJobs {
				return nil, fmt.Errorf("more than %d jobs; enqueue fewer blocks, or use larger jobs", MaxJobs)
			}
			last := s.Last
			if s.Last-first >= size {
				last = first + size - 1
			}
			parts = append(parts, chain.Heights{First: first, Last: last})
			if last == s.Last {
				break
			}
		}
	}
	return parts, nil
}
