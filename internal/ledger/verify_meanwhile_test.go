package ledger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// settled are entries whose questions have been answered.
func settled(t *testing.T, entries []*ledger.Entry, pace time.Duration) (list []*ledger.Entry) {
	for _, m := range monthsMade(uint64(len(entries)), pace) {
		m.Unanswered = nil
		list = append(list, m.entry(t))
	}
	return list
}

// Verifying a ledger that is being written finds no damage, and includes blocks that are sealed meanwhile.
func TestVerifyWhileTheBookIsWritten(t *testing.T) {
	const count, pace = 1_600, 20 * time.Minute // three weeks
	entries := monthsOfBlocks(count, pace)
	answered := settled(t, entries, pace)
	for name, atEnd := range map[string]uint64{"read to the end": 0, "few at the end": 300, "all at the end": count} {
		t.Run(name, func(t *testing.T) {
			ledger.HoldMoments(t, 0, atEnd)
			engines(t, func(t *testing.T, newPlace func() string) {
				place := newPlace()
				book := written(t, place, madeUpChain, entries[:900])
				writeMore := func(at int, seal bool) int {
					to := min(at+110, count)
					require.NoError(t, book.Write(ctx, entries[at:to]))
					if seal {
						sealAll(t, book)
					}
					// Replaced blocks on top, some of them each time.
					_, err := book.Rollback(ctx)
					require.NoError(t, err)
					forked := branch(t, uint64(to), 300, entries[to-1].Hash(), byte(at%7+1), false)
					require.NoError(t, book.Write(ctx, forked))
					return to
				}
				at, batches, relearned := writeMore(900, true), 0, 0
				var last uint64
				require.NoError(t, reader(t, place).Verify(ctx, func(d ledger.Damage) { t.Error(d) }, func(done, total uint64) {
					require.LessOrEqual(t, done, total)
					last = done
					batches++
					if at < count-200 {
						at = writeMore(at, batches%2 == 0)
					}
					for _, i := range []int{batches * 5, 400 + batches*5} { // one that was read, and one that was not
						n, err := book.Relearn(ctx, answered[i:i+1])
						require.NoError(t, err)
						relearned += n
					}
				}))
				require.Greater(t, batches, 4)
				require.Positive(t, relearned)
				require.GreaterOrEqual(t, last, uint64(1_010))
				verified(t, reader(t, place))
			})
		})
	}
}

// Damage that occurs during verification is found in parts not read yet.
func TestDamageWhileABookIsVerified(t *testing.T) {
	ledger.HoldMoments(t, 0, 0)
	const count, pace = 1_200, 20 * time.Minute
	entries := monthsOfBlocks(count, pace)
	engines(t, func(t *testing.T, newPlace func() string) {
		whole := newPlace()
		require.NoError(t, written(t, whole, madeUpChain, entries).Close())
		for statement, wanted := range map[string]string{
			"UPDATE blocks SET known = '{}' WHERE height = 900":                                            "block 900, table blocks: it was altered",
			"DELETE FROM blocks WHERE height = 900":                                                        "block 900, table blocks: missing, up to block 900",
			"UPDATE blocks SET record = (SELECT record FROM blocks WHERE height = 901) WHERE height = 900": "block 900, table blocks: its record belongs to block 901",
			"UPDATE transactions SET fee = 8 WHERE id / 1048576 = 900":                                     "block 900, table transactions: the rows of this block differ",
			"UPDATE stretches SET fee = 8 WHERE unit = 'day' AND number = 19702":                           "table stretches: the day 2023-12-11: ",
			"UPDATE stretches SET evm = 8 WHERE unit = 'day' AND number = 19700":                           "table stretches: the day 2023-12-09: ",
			"DELETE FROM stretches WHERE number = 19700":                                                   "table stretches: the day 2023-12-09: missing",
			"DELETE FROM parts WHERE number = 19700 AND kind = 1":                                          "table parts: the day 2023-12-09: ",
			"UPDATE stretches SET fee = 8 WHERE unit = 'month' AND number = 646":                           "table stretches: the month 2023-11: ",
			"UPDATE parts SET number = 645 WHERE number = 646":                                             "table parts: ",
			"UPDATE stretches SET number = 20000 WHERE number = 19700":                                     "table stretches: the day 2024-10-04",
		} {
			place := copied(t, whole)
			db := openSQL(t, place)
			var found []string
			batches := 0
			require.NoError(t, reader(t, place).Verify(ctx, func(d ledger.Damage) { found = append(found, d.String()) }, func(_, _ uint64) {
				if batches++; batches == 2 {
					db.do(t, statement)
				}
			}), statement)
			require.True(t, slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, wanted) }), "%s: %v", statement, found)
		}
	})
}

// Verification holds no long snapshot: rows deleted meanwhile can be vacuumed.
func TestAVerificationHoldsNoSnapshotForLong(t *testing.T) {
	ledger.HoldMoments(t, 0, 0)
	entries := madeUp(0, 1_200)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[:1_000])
		if !ledger.Postgres(place) {
			t.Skip("SQLite does not report it")
		}
		db := openSQL(t, place)
		oldest := func() int64 {
			_, rows := db.table(t, "SELECT coalesce(min(backend_xmin::text::bigint), 9223372036854775807) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			return rows[0][0].(int64)
		}
		var seen []int64
		require.NoError(t, reader(t, place).Verify(ctx, func(d ledger.Damage) { t.Error(d) }, func(_, _ uint64) {
			require.NoError(t, book.Write(ctx, entries[1_000+len(seen):1_001+len(seen)]))
			sealAll(t, book)
			seen = append(seen, oldest())
		}))
		require.Greater(t, len(seen), 3)
		require.Greater(t, seen[2], seen[1])
		require.Greater(t, seen[3], seen[2])
	})
}
