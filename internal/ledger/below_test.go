package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// sameBook requires two ledgers to have the same contents.
func sameBook(t *testing.T, want map[string][][]string, place string) {
	t.Helper()
	have := rowsIn(t, place)
	for table := range want {
		require.Equal(t, want[table], have[table], table)
	}
	require.NotEmpty(t, want["parts"])
	require.NotEmpty(t, want["stretches"])
}

const disorderlyPace = 4 * time.Hour

// disorderly are blocks of two months. The first has no time, and some times go backwards by a day or a month.
func disorderly(t testing.TB) (list []*ledger.Entry) {
	for _, m := range disordered() {
		list = append(list, m.entry(t))
	}
	return list
}

// disordered are those blocks before they become entries, so that they can be changed.
func disordered() []made {
	all := monthsMade(300, disorderlyPace)
	all[0].Block.Extrinsics, all[0].Report.Time = nil, chain.Optional[chain.Time]{}
	all[0].Report.Transactions, all[0].Report.Totals = nil, evidence.Totals{}
	for _, h := range []uint64{77, 160, 161, 231} {
		at, _ := all[h-37].Report.Time.Get()
		all[h] = all[h].at(uint64(at.Std().UnixMilli()) + 1)
	}
	return all
}

// A ledger extended downwards and upwards in any order equals one that started at its lowest block.
func TestExtendedInAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("each order")
	}
	entries := disorderly(t)
	count := len(entries)
	ledger.SealAtOnce(t, 40)
	enginesInTurn(t, func(t *testing.T, newPlace func() string) {
		quiet := newPlace()
		require.NoError(t, written(t, quiet, madeUpChain, entries).Close())
		want := rowsIn(t, quiet)
		rounds := 12 / tier.Sparse(1, 3)
		if ledger.Postgres(quiet) {
			rounds = 6 / tier.Sparse(1, 3)
		}
		for seed := range uint64(rounds) {
			random := rand.New(rand.NewPCG(seed, 7))
			place := newPlace()
			book := writer(t, place)
			low := random.IntN(count)
			high := low // stored so far: low..high-1, and some blocks below
			require.NoError(t, book.Begin(ctx, madeUpChain, uint64(low)))
			write := func(from, to int) {
				if ledger.Postgres(place) && random.IntN(2) == 0 {
					require.NoError(t, ledger.WriteJob(ctx, book, entries[from:to], func(context.Context, pgx.Tx) error { return nil }))
					return
				}
				require.NoError(t, book.Write(ctx, entries[from:to]))
			}
			for low > 0 || high < count {
				if random.IntN(2) == 0 && high < count {
					to := min(high+1+random.IntN(60), count)
					write(high, to)
					high = to
				} else if low > 0 {
					from := max(0, low-1-random.IntN(60))
					if middle := from + (low-from)/2; random.IntN(2) == 0 && middle > from { // from below: the upper part comes later
						write(from, middle)
						if random.IntN(2) == 0 {
							sealAll(t, book)
						}
						write(middle, low)
					} else {
						write(from, low)
					}
					low = from
				}
				if random.IntN(3) == 0 {
					sealAll(t, book)
				}
				if random.IntN(9) == 0 {
					verified(t, book)
				}
				if random.IntN(5) == 0 { // another writer continues
					require.NoError(t, book.Close())
					book = writer(t, place)
					require.NoError(t, book.Begin(ctx, madeUpChain, uint64(low)))
				}
			}
			sealAll(t, book)
			left, err := book.Unsealed(ctx)
			require.NoError(t, err)
			require.False(t, left)
			s := statusOf(t, book)
			require.Zero(t, s.First)
			require.False(t, s.Below.Known())
			require.Empty(t, s.Gaps)
			verified(t, book)
			require.NoError(t, book.Close())
			sameBook(t, want, place)
		}
	})
}

// While blocks are added below, a ledger's answers and status stay correct.
func TestBlocksThatComeBelow(t *testing.T) {
	const count, pace = 300, 4 * time.Hour
	entries := monthsOfBlocks(count, pace)
	engines(t, func(t *testing.T, newPlace func() string) {
		single := newPlace()
		want := statusOf(t, written(t, single, madeUpChain, entries[200:]))
		wanted := saidOf(t, reader(t, single), chain.Heights{First: 0, Last: count})
		place := newPlace()
		book := written(t, place, madeUpChain, entries[200:])
		unchanged := func() ledger.Status {
			t.Helper()
			s := statusOf(t, book)
			require.Equal(t, want.Seal, s.Seal)
			require.Equal(t, want.Totals, s.Totals)
			require.Equal(t, want.Evidence, s.Evidence)
			require.Equal(t, []uint64{want.First, want.Blocks, want.Findings, want.Unread, want.Unanswered}, []uint64{s.First, s.Blocks, s.Findings, s.Unread, s.Unanswered})
			require.Equal(t, want.Stored, s.Stored)
			require.Equal(t, wanted, saidOf(t, book, chain.Heights{First: 0, Last: count}))
			first, next, err := book.Extent(ctx)
			require.NoError(t, err)
			require.Equal(t, []uint64{200, count}, []uint64{first, next})
			verified(t, book)
			return s
		}
		require.NoError(t, book.Begin(ctx, madeUpChain, 100))
		require.NoError(t, book.Write(ctx, entries[100:150]))
		require.Zero(t, sealAll(t, book), "block 199 is missing")
		s := unchanged()
		require.Equal(t, chain.Some(chain.Heights{First: 100, Last: 149}), s.Below)
		require.Equal(t, []chain.Heights{{First: 150, Last: 199}}, s.Gaps)
		missing, err := book.Missing(ctx, chain.Heights{First: 90, Last: 310})
		require.NoError(t, err)
		require.Equal(t, []chain.Heights{{First: 90, Last: 99}, {First: 150, Last: 199}, {First: 300, Last: 310}}, missing)

		require.NoError(t, book.Write(ctx, entries[180:200]))
		left, err := book.Unsealed(ctx)
		require.NoError(t, err)
		require.True(t, left)
		s = unchanged()
		require.Equal(t, []chain.Heights{{First: 150, Last: 179}}, s.Gaps)

		// A copy continues where the ledger is.
		copies := newFile(t)
		require.NoError(t, book.Backup(ctx, copies, func(_, _ uint64) {}))
		for _, b := range []*ledger.Book{book, writer(t, copies)} {
			verified(t, b)
			require.NoError(t, b.Begin(ctx, madeUpChain, 100))
			require.EqualValues(t, 20, sealAll(t, b))
			s = statusOf(t, b)
			require.EqualValues(t, 180, s.First)
			require.EqualValues(t, 120, s.Blocks)
			require.NoError(t, b.Write(ctx, entries[150:180]))
			require.EqualValues(t, 80, sealAll(t, b))
			s = statusOf(t, b)
			require.EqualValues(t, 100, s.First)
			require.False(t, s.Below.Known())
			verified(t, b)
		}
		begun := newPlace()
		require.NoError(t, written(t, begun, madeUpChain, entries[100:]).Close())
		require.NoError(t, book.Close())
		sameBook(t, rowsIn(t, begun), place)
	})
}

// saidOf returns the answers of some queries as texts.
func saidOf(t *testing.T, book *ledger.Book, span chain.Heights) (list []string) {
	add := func(x any) { list = append(list, fmt.Sprintf("%+v", x)) }
	require.NoError(t, each(book.Transactions(ctx, in(span)), func(x *ledger.Transaction) error { add(*x); return nil }))
	require.NoError(t, each(book.Movements(ctx, in(span, mover)), func(m *ledger.Movement) error { add(*m); return nil }))
	for by := ledger.ByQuarterHour; by <= ledger.ByAccount; by++ {
		sums := map[string]*ledger.Sums{}
		_, err := book.Totals(ctx, ledger.Period{Heights: chain.Some(span)}, span, by, func(x *ledger.Total) error {
			key := *x
			key.Sums = ledger.Sums{}
			k := fmt.Sprintf("%+v", key)
			if sums[k] == nil {
				sums[k] = &ledger.Sums{}
			}
			return sums[k].Add(&x.Sums)
		}, func(uint64) {})
		require.NoError(t, err)
		var lines []string
		for k, s := range sums {
			lines = append(lines, fmt.Sprintf("%s: %+v", k, *s))
		}
		slices.Sort(lines)
		list = append(list, lines...)
	}
	return list
}

// sameMeanwhile requires the sum of the totals of a span to be the same if something happens after its first snapshot.
func sameMeanwhile(t *testing.T, place string, span chain.Heights, by ledger.TotalsBy, do func()) {
	t.Helper()
	var quiet, meanwhile ledger.Sums
	asked := reader(t, place)
	for _, sums := range []*ledger.Sums{&quiet, &meanwhile} {
		_, err := asked.Totals(ctx, ledger.Period{Heights: chain.Some(span)}, span, by, func(x *ledger.Total) error { return sums.Add(&x.Sums) }, func(uint64) {})
		require.NoError(t, err)
		ledger.AfterSnapshot(asked, do)
	}
	require.Equal(t, quiet, meanwhile)
}

// A query that runs while the ledger is extended below its day and month returns the answer from when it began.
func TestQuestionsWhileABookIsExtended(t *testing.T) {
	const count, pace = 500, 4 * time.Hour
	entries := monthsOfBlocks(count, pace)
	engines(t, func(t *testing.T, newPlace func() string) {
		for by := ledger.ByQuarterHour; by <= ledger.ByAccount; by += ledger.TotalsBy(tier.Sparse(3, 1)) {
			place := newPlace()
			book := written(t, place, madeUpChain, entries[100:])
			span := chain.Heights{First: 100, Last: count - 1}
			reached := uint64(100)
			sameMeanwhile(t, place, span, by, func() {
				reached--
				require.NoError(t, book.Write(ctx, entries[reached:reached+1]))
				sealAll(t, book)
			})
			require.EqualValues(t, 99, reached)
		}

		// The rows of an account are compared with its days.
		place := newPlace()
		book := written(t, place, madeUpChain, entries[100:])
		asked, reached, rows := reader(t, place), uint64(100), 0
		require.NoError(t, each(asked.Movements(ctx, in(chain.Heights{First: 100, Last: count - 1}, mover)), func(*ledger.Movement) error {
			if rows++; rows == 1 {
				reached -= 3
				require.NoError(t, book.Write(ctx, entries[reached:reached+3]))
				sealAll(t, book)
			}
			return nil
		}))
		quiet, err := countOf(asked.Movements(ctx, in(chain.Heights{First: 100, Last: count - 1}, mover)))
		require.NoError(t, err)
		require.Equal(t, quiet, rows)
		require.Positive(t, rows)
		require.EqualValues(t, 97, statusOf(t, asked).First)

		// The first day, in which several conditions are looked up, gets other parts.
		book = written(t, newPlace(), madeUpChain, entries[100:])
		kinds := ofKinds(chain.Heights{First: 100, Last: count - 1}, ledger.Kinds{Layer: chain.Some(fee.EVM), Outcome: chain.Some(fee.Succeeded)})
		quiet, err = countOf(book.Transactions(ctx, kinds))
		require.NoError(t, err)
		require.EqualValues(t, 300, quiet)
		ledger.AfterSnapshot(book, func() {
			require.NoError(t, book.Write(ctx, entries[97:100]))
			sealAll(t, book)
		})
		rows, err = countOf(book.Transactions(ctx, kinds))
		require.NoError(t, err)
		require.Equal(t, quiet, rows)
		require.EqualValues(t, 97, statusOf(t, book).First)
	})
}

// A block that does not lead up to the ledger's first one is rejected, and so is one inserted there by SQL.
func TestTheSeamBelowABook(t *testing.T) {
	entries := madeUp(0, 20)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[10:])
		require.NoError(t, book.Begin(ctx, madeUpChain, 5))
		fork := branch(t, 5, 5, entries[4].Hash(), 3, true)
		var err *ledger.ForkError
		require.ErrorAs(t, book.Write(ctx, fork), &err)
		require.Equal(t, ledger.ForkError{Height: 10, Parent: entries[9].Hash(), Before: fork[4].Hash()}, *err)
		require.False(t, statusOf(t, book).Below.Known())

		require.NoError(t, book.Write(ctx, fork[:4]), "nothing is beside them yet")
		require.ErrorAs(t, book.Write(ctx, entries[9:10]), &err)
		require.EqualValues(t, 9, err.Height)
		require.Zero(t, sealAll(t, book))
		require.EqualValues(t, 10, statusOf(t, book).First)

		// Blocks that are not final are not sealed, and are removed if the chain replaces them.
		open := branch(t, 0, 3, chain.Hash{}, 4, false)
		require.NoError(t, book.Write(ctx, open))
		removed, failed := book.Rollback(ctx)
		require.NoError(t, failed)
		require.EqualValues(t, 3, removed)

		place = newPlace()
		book = written(t, place, madeUpChain, entries[10:])
		require.NoError(t, book.Write(ctx, entries[5:10]))
		openSQL(t, place).do(t, "UPDATE blocks SET record = (SELECT record FROM blocks WHERE height = 11) WHERE height = 10")
		_, failed = book.Seal(ctx)
		require.ErrorIs(t, failed, ledger.ErrDamaged)
		first, _, failed := book.Extent(ctx)
		require.NoError(t, failed)
		require.EqualValues(t, 10, first)
	})
}

// A seal is not recomputed from blocks other than the sealed ones.
func TestNothingIsSealedBelowADamagedDay(t *testing.T) {
	entries := madeUp(0, 20)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[10:])
		require.NoError(t, book.Write(ctx, entries[5:10]))
		db := openSQL(t, place)
		db.do(t, "UPDATE blocks SET record = (SELECT record FROM blocks WHERE height = 17) WHERE height = 15")
		_, err := book.Seal(ctx)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "are not the ones that were sealed")
	})
}

// A verification and a copy in several snapshots report that the ledger now starts lower.
func TestVerifyWhileABookIsExtended(t *testing.T) {
	ledger.HoldMoments(t, 0, 0)
	const count, pace = 1_200, 20 * time.Minute
	entries := monthsOfBlocks(count, pace)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[300:])
		first := 300
		err := reader(t, place).Verify(ctx, func(d ledger.Damage) { t.Error(d) }, func(_, _ uint64) {
			first--
			require.NoError(t, book.Write(ctx, entries[first:first+1]))
			sealAll(t, book)
		})
		require.ErrorIs(t, err, ledger.ErrExtended)
		verified(t, reader(t, place))
	})
}

// Detached blocks can be added again, and the ledger is as before.
func TestDetachedBlocksComeBack(t *testing.T) {
	const count, pace = 300, 4 * time.Hour
	entries := monthsOfBlocks(count, pace)
	engines(t, func(t *testing.T, newPlace func() string) {
		whole := newPlace()
		require.NoError(t, written(t, whole, madeUpChain, entries).Close())
		want := rowsIn(t, whole)
		place := copied(t, whole)
		book := writer(t, place)
		_, err := book.Detach(ctx, monthOf(t, "2023-12"), newFile(t), quiet())
		require.NoError(t, err)
		first := int(statusOf(t, book).First)
		require.Positive(t, first)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, entries[:first]))
		sealAll(t, book)
		verified(t, book)
		require.NoError(t, book.Close())
		sameBook(t, want, place)
	})
}

// extend adds blocks below a ledger, the highest first, as a program that may be killed.
func extend(book *ledger.Book, entries []*ledger.Entry) error {
	if err := book.Begin(ctx, madeUpChain, 0); err != nil {
		return err
	}
	fmt.Println("extending")
	if _, err := book.Seal(ctx); err != nil {
		return err
	}
	for {
		first, _, err := book.Extent(ctx)
		if err != nil || first == 0 {
			return err
		}
		from := first - min(first, 1+rand.Uint64N(20))
		missing, err := book.Missing(ctx, chain.Heights{First: from, Last: first - 1})
		if err != nil {
			return err
		}
		for _, span := range missing {
			for at := span.First; at <= span.Last; at++ {
				if err := book.Write(ctx, entries[at:at+1]); err != nil {
					return err
				}
			}
		}
		if _, err := book.Seal(ctx); err != nil {
			return err
		}
	}
}

// However often a program that extends a ledger downwards is killed, the ledger keeps its contents, and in the end equals
// one that started at the lowest block.
func TestExtensionsThatAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("not in a short run: kills many programs")
	}
	entries := crashChain(crashBlocks)
	engines(t, func(t *testing.T, newPlace func() string) {
		whole, upper := newPlace(), newPlace()
		require.NoError(t, written(t, whole, madeUpChain, entries).Close())
		want := rowsIn(t, whole)
		begun := written(t, upper, madeUpChain, entries[crashBlocks-100:])
		require.NoError(t, begun.Close())
		wanted, kills, below := 20, 0, 0
		for kills < wanted {
			place := copied(t, upper)
			for done := false; !done; {
				cmd, said, errs := start(t, place, extending+"="+strconv.Itoa(crashBlocks))
				if kills%3 > 0 {
					said.Scan()
				}
				time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
				cmd.Process.Kill()
				if done = cmd.Wait() == nil; done { // already done
					break
				}
				require.Empty(t, errs.String())
				kills++
				book := reader(t, place)
				verified(t, book)
				s := statusOf(t, book)
				require.EqualValues(t, crashBlocks-s.First, s.Blocks)
				require.Equal(t, chain.Some(uint64(crashBlocks-1)), s.Sealed)
				if s.Below.Known() {
					below++
				}
				require.NoError(t, book.Close())
				done = kills >= wanted
			}
			cmd, _, errs := start(t, place, extending+"="+strconv.Itoa(crashBlocks))
			require.NoError(t, cmd.Wait(), errs)
			verified(t, reader(t, place))
			sameBook(t, want, place)
		}
		t.Logf("killed %d times, %d of them with blocks below that were not sealed", kills, below)
	})
}
