package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// content returns the whole contents of a database as text, without the migration history.
func content(t testing.TB, db database) string {
	var out strings.Builder
	for _, table := range db.names(t, "table") {
		if table != "book_layout" {
			list := db.texts(t, "SELECT * FROM "+table)
			slices.SortFunc(list, slices.Compare)
			fmt.Fprintln(&out, table, list)
		}
	}
	return out.String()
}

// branch returns sample blocks of another branch from a height on, the first with a given parent.
func branch(t testing.TB, first, count uint64, parent chain.Hash, number byte, final bool) (list []*ledger.Entry) {
	for h := first; h < first+count; h++ {
		m := makeBlock(h, hashOf(h, number), parent, "100")
		m.Report.Finalized = chain.Some(final)
		list = append(list, m.entry(t))
		parent = hashOf(h, number)
	}
	return list
}

func TestABlockThatIsThereStays(t *testing.T) {
	entries := madeUp(0, 10)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		db := openSQL(t, place)
		before := content(t, db)
		require.NoError(t, book.Write(ctx, entries))
		require.NoError(t, book.Write(ctx, entries[3:5]))
		require.NoError(t, book.Write(ctx, nil))
		require.Equal(t, before, content(t, db))

		m := makeBlock(5, hashOf(5, 0), hashOf(4, 0), "123")
		other := m.entry(t)
		err := book.Write(ctx, []*ledger.Entry{entries[4], other, entries[6]})
		var differs *ledger.DiffersError
		require.ErrorAs(t, err, &differs)
		require.Equal(t, &ledger.DiffersError{Height: 5, Stored: entries[5].Digest(), Offered: other.Digest()}, differs)
		require.ErrorContains(t, err, "block 5 is in the ledger with other content (digest "+entries[5].Digest().String())
		require.Equal(t, before, content(t, db))

		m.Report.Finalized = chain.Some(false) // it stays in both
		require.ErrorAs(t, book.Write(ctx, []*ledger.Entry{m.entry(t)}), &differs)
		require.Equal(t, before, content(t, db))
		verified(t, book)
	})
}

func TestForks(t *testing.T) {
	entries := madeUp(0, 10)
	other := branch(t, 0, 10, chain.Hash{}, 7, true)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, entries[4:6]))
		before := content(t, openSQL(t, place))
		for name, test := range map[string]struct {
			entries []*ledger.Entry
			fork    ledger.ForkError
		}{
			"on top":      {other[6:7], ledger.ForkError{Height: 6, Parent: hashOf(5, 7), Before: hashOf(5, 0)}},
			"below":       {other[3:4], ledger.ForkError{Height: 4, Parent: hashOf(3, 0), Before: hashOf(3, 7)}},
			"in a batch":  {[]*ledger.Entry{entries[7], other[8]}, ledger.ForkError{Height: 8, Parent: hashOf(7, 7), Before: hashOf(7, 0)}},
			"both around": {[]*ledger.Entry{other[3], entries[4]}, ledger.ForkError{Height: 4, Parent: hashOf(3, 0), Before: hashOf(3, 7)}},
		} {
			var fork *ledger.ForkError
			err := book.Write(ctx, test.entries)
			require.ErrorAs(t, err, &fork, name)
			require.Equal(t, test.fork, *fork, name)
			require.ErrorContains(t, err, "one of them was replaced")
			require.Equal(t, before, content(t, openSQL(t, place)), name)
		}
		require.EqualError(t, book.Write(ctx, []*ledger.Entry{entries[6], entries[8]}), "block 8 does not follow block 6")
		require.NoError(t, book.Write(ctx, entries))
		require.EqualValues(t, 6, sealAll(t, book), "those from the first on that was there before")
		require.Equal(t, chain.Some(uint64(9)), statusOf(t, book).Sealed)
		verified(t, book)
	})
}

// Sealing stops at two blocks that were altered not to fit.
func TestSealRefusesAFork(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, madeUp(0, 3)))
		sealAll(t, book)
		require.NoError(t, book.Write(ctx, madeUp(4, 3)))
		db := openSQL(t, place)
		db.do(t, "UPDATE blocks SET height = 3 WHERE height = 4")
		_, err := book.Seal(ctx)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 3")
		db.rewrite(t, 3, 1, 0, 0, 0, 0, 0, 0, 0, 3)
		_, err = book.Seal(ctx)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 3")
		require.ErrorIs(t, book.Write(ctx, madeUp(4, 1)), ledger.ErrDamaged)
		db.resum(t, 3)
		var fork *ledger.ForkError
		_, err = book.Seal(ctx)
		require.ErrorAs(t, err, &fork)
		require.Equal(t, ledger.ForkError{Height: 3, Parent: hashOf(3, 0), Before: hashOf(2, 0)}, *fork)
		sealed, err := book.Sealed(ctx)
		require.NoError(t, err)
		require.Equal(t, heights(0, 2), sealed)
	})
}

func TestBlocksThatAreNotFinal(t *testing.T) {
	entries := madeUp(0, 10)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[:5])
		pending := branch(t, 5, 4, hashOf(4, 0), 1, false)
		require.NoError(t, book.Write(ctx, pending))
		require.Zero(t, sealAll(t, book))
		s := statusOf(t, book)
		require.Equal(t, []any{uint64(9), uint64(4), chain.Some(uint64(4)), chain.Some(chain.Heights{First: 0, Last: 8})}, []any{s.Blocks, s.NotFinal, s.Sealed, s.Stored})
		verified(t, book)
		missing, err := book.Missing(ctx, chain.Heights{First: 0, Last: 11})
		require.NoError(t, err)
		require.Equal(t, []chain.Heights{{First: 5, Last: 11}}, missing, "they are to be read once more")
		first, next, err := book.Extent(ctx)
		require.NoError(t, err)
		require.Equal(t, []uint64{0, 5}, []uint64{first, next})

		// One of them is replaced: those above were built on it, and are removed.
		second := branch(t, 6, 1, hashOf(5, 1), 2, false)
		require.NoError(t, book.Write(ctx, second))
		s = statusOf(t, book)
		require.Equal(t, []any{uint64(7), uint64(2)}, []any{s.Blocks, s.NotFinal})
		// The same, now final.
		require.NoError(t, book.Write(ctx, branch(t, 5, 1, hashOf(4, 0), 1, true)))
		require.Equal(t, chain.Some(uint64(5)), statusOf(t, book).Sealed)
		require.Zero(t, sealAll(t, book))
		verified(t, book)
		// The content of a final block is not replaced.
		var fork *ledger.ForkError
		require.ErrorAs(t, book.Write(ctx, branch(t, 6, 1, hashOf(5, 0), 3, true)), &fork)

		removed, err := book.Rollback(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 1, removed)
		removed, err = book.Rollback(ctx)
		require.NoError(t, err)
		require.Zero(t, removed)
		s = statusOf(t, book)
		require.Equal(t, []any{uint64(6), uint64(0)}, []any{s.Blocks, s.NotFinal})
		require.Empty(t, openSQL(t, place).texts(t, "SELECT height FROM blocks WHERE height > 5 UNION ALL SELECT id FROM transactions WHERE id >= 6 * 1048576"))
		verified(t, book)
	})
}

// Blocks that are not final are replaced up to the first final one.
func TestReplacementEndsAtAFinalBlock(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, madeUp(0, 3))
		require.NoError(t, book.Write(ctx, branch(t, 3, 3, hashOf(2, 0), 1, false)))
		require.NoError(t, book.Write(ctx, branch(t, 6, 2, hashOf(5, 1), 1, true)))
		require.NoError(t, book.Write(ctx, branch(t, 3, 1, hashOf(2, 0), 2, false)))
		require.Equal(t, []chain.Heights{{First: 4, Last: 5}}, statusOf(t, book).Gaps)
		require.NoError(t, book.Write(ctx, branch(t, 8, 2, hashOf(7, 1), 1, false)))
		removed, err := book.Rollback(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 3, removed, "those below the final ones, and those above")
		s := statusOf(t, book)
		require.Equal(t, []any{uint64(5), uint64(0)}, []any{s.Blocks, s.NotFinal})
		verified(t, book)
	})
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	entries := madeUp(0, 10)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.ErrorIs(t, book.Write(ctx, entries), ledger.ErrNone, "nothing was begun")
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, entries[:3]))
		db := openSQL(t, place)
		before := content(t, db)

		for table, asked := range map[string]bool{"transactions": false, "stretches": true, "parts": false} {
			db.do(t, "ALTER TABLE "+table+" RENAME TO elsewhere")
			if table != "parts" { // written for an ended day
				require.ErrorContains(t, book.Write(ctx, entries[3:8]), table)
			}
			_, err := book.Status(ctx)
			require.Equal(t, asked, err != nil, table)
			require.NotEmpty(t, damages(t, book))
			db.do(t, "ALTER TABLE elsewhere RENAME TO "+table)
			require.Equal(t, before, content(t, db))
		}
		db.do(t, "ALTER TABLE blocks RENAME TO elsewhere")
		_, err := book.Compare(ctx, entries[:3])
		require.Error(t, err)
		db.do(t, "ALTER TABLE elsewhere RENAME TO blocks")

		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		require.Error(t, book.Write(cancelled, entries[3:8]))
		require.Equal(t, before, content(t, db))
		require.NoError(t, book.Close())
		require.Eventually(t, func() bool { // in PostgreSQL the cancelled connection keeps the lock until the server notices its end
			book, err = ledger.OpenWriter(ctx, place)
			return !errors.Is(err, ledger.ErrLocked)
		}, 30*time.Second, 20*time.Millisecond)
		require.NoError(t, err)
		t.Cleanup(func() { book.Close() })

		require.NoError(t, book.Write(ctx, entries[3:]))
		require.Equal(t, chain.Some(uint64(9)), statusOf(t, book).Sealed)
		verified(t, book)
	})
}

func TestBegin(t *testing.T) {
	entries := madeUp(100, 10)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		_, err := book.Status(ctx)
		require.ErrorIs(t, err, ledger.ErrNone)
		_, err = book.Missing(ctx, chain.Heights{})
		require.ErrorIs(t, err, ledger.ErrNone)
		require.ErrorIs(t, book.Verify(ctx, nil, nil), ledger.ErrNone)
		require.Error(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, math.MaxUint64))

		require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 102))
		require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 105))
		s := statusOf(t, book)
		require.Equal(t, ledger.Status{Identity: ledger.Identity{Network: "moonbeam"}, First: 102, Evidence: evidence.Recorded(0)}, s)
		require.ErrorIs(t, book.Begin(ctx, ledger.Identity{Network: "moonriver"}, 102), ledger.ErrOtherChain)

		require.NoError(t, book.Begin(ctx, madeUpChain, 102))
		require.Equal(t, madeUpChain, statusOf(t, book).Identity, "the genesis was learned")
		require.NoError(t, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 102))
		require.Equal(t, madeUpChain, statusOf(t, book).Identity)
		other := ledger.Identity{Network: "moonbeam", Genesis: chain.Some(hashOf(1, 1))}
		require.ErrorIs(t, book.Begin(ctx, other, 102), ledger.ErrOtherChain)
		verified(t, book)

		require.NoError(t, book.Write(ctx, entries[2:4]))
		require.NoError(t, book.Write(ctx, entries[6:7]))
		require.NoError(t, book.Write(ctx, entries[9:]))
		sealAll(t, book)
		require.Equal(t, []chain.Heights{{First: 104, Last: 105}, {First: 107, Last: 108}}, statusOf(t, book).Gaps)
		for _, test := range []struct {
			span chain.Heights
			want []chain.Heights
		}{
			{chain.Heights{First: 102, Last: 103}, nil},
			{chain.Heights{First: 100, Last: 104}, []chain.Heights{{First: 100, Last: 101}, {First: 104, Last: 104}}},
			{chain.Heights{First: 103, Last: 111}, []chain.Heights{{First: 104, Last: 105}, {First: 107, Last: 108}, {First: 110, Last: 111}}},
			{chain.Heights{First: 106, Last: 106}, nil},
			{chain.Heights{First: 200, Last: 210}, []chain.Heights{{First: 200, Last: 210}}},
		} {
			missing, err := book.Missing(ctx, test.span)
			require.NoError(t, err)
			require.Equal(t, test.want, missing, test.span.String())
		}
		require.EqualValues(t, 3, chain.Heights{First: 4, Last: 6}.Blocks())
		verified(t, book)
	})
}

func TestCoverageOfAnEmptyBook(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		_, _, err := book.Extent(ctx)
		require.ErrorIs(t, err, ledger.ErrNone)
		require.NoError(t, book.Begin(ctx, madeUpChain, 7))
		first, next, err := book.Extent(ctx)
		require.NoError(t, err)
		require.Equal(t, []uint64{7, 7}, []uint64{first, next})
	})
}

func TestWhatIsNoEntry(t *testing.T) {
	m := makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1")
	m.Report.Time = chain.Optional[chain.Time]{}
	_, err := ledger.NewEntry(m.Block, m.Report)
	require.EqualError(t, err, "block 5 has transactions but no time")
	m.Report.Transactions = nil
	m.entry(t)

	for _, height := range []uint64{math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		m = makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1")
		m.Block.Number = height
		_, err = ledger.NewEntry(m.Block, m.Report)
		require.EqualError(t, err, fmt.Sprintf("block %d exceeds the greatest height that a ledger can store", height))
	}

	m = makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1")
	m.Report.Transactions[0].Call = strings.Repeat("x", 1_001)
	_, err = ledger.NewEntry(m.Block, m.Report)
	require.EqualError(t, err, "block 5: extrinsic 1: the name of its call is too long (1001 bytes)")

	m = makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1")
	m.Report.Transactions[0].Gas = chain.Some(chain.NewGas(math.MaxInt64 + 1))
	_, err = ledger.NewEntry(m.Block, m.Report)
	require.ErrorIs(t, err, chain.ErrOverflow)
	require.ErrorContains(t, err, "block 5: extrinsic 1: adding it to the block's totals failed: the sum of gas")

	m = makeBlock(5, hashOf(5, 0), hashOf(4, 0), largestWei)
	second := *m.Report.Transactions[0].Transaction
	second.Index = 2
	m.Report.Transactions = append(m.Report.Transactions, evidence.Transaction{Transaction: &second})
	_, err = ledger.NewEntry(m.Block, m.Report)
	require.ErrorIs(t, err, chain.ErrOverflow)
	require.EqualError(t, err, "block 5: extrinsic 2: adding it to the block's totals failed: the sum of fee: overflow")
}

// Data from a hostile gateway is stored in both engines, identically.
func TestHostileTexts(t *testing.T) {
	long := strings.Repeat("long ", 1<<21)
	if testing.Short() {
		long = long[:1<<18]
	}
	baseFee, err := chain.ParseGasPrice(largestToken)
	require.NoError(t, err)
	price, err := chain.ParseGasPrice(largestWei) // × 1 gas is the maximum of an amount
	require.NoError(t, err)
	fee, err := chain.ParseWei(largestWei)
	require.NoError(t, err)
	entry := func() *ledger.Entry {
		m := makeBlock(7, hashOf(1, 0), hashOf(0, 0), largestWei)
		m.Block.Number, m.Report.Number = 1<<43-2, 1<<43-2 // the greatest height that a ledger can store
		m.event("balances", "Nul\x00\x00 \xff\xfe and \u2028'; DROP TABLE blocks; --", `["\u0000"]`)
		m.Report.Rules = "rules\x00"
		m.BaseFeePerGas = chain.Some(baseFee)
		x := &m.Report.Transactions[0]
		x.Call, x.Status, x.Gas, x.GasPrice = "nul\x00", chain.Some("status\x00"), chain.Some(chain.NewGas(1)), chain.Some(price)
		m.Findings = []evidence.Finding{{Check: "c", Message: "\x00" + long}, {Check: "d", Message: "?$1 \\ \t\n\r\""}}
		return m.entry(t)
	}()
	require.Greater(t, entry.Size(), len(long))
	seals := make(chan chain.Optional[ledger.Seal], 2)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, []*ledger.Entry{entry})
		require.NoError(t, book.Write(ctx, []*ledger.Entry{entry}))
		verified(t, book)
		seals <- statusOf(t, book).Seal
		require.Equal(t, largestWei, statusOf(t, book).Totals.Fee.String())
		all := in(chain.Heights{Last: math.MaxInt64})
		for c, err := range book.Contents(ctx, all.Span) {
			require.NoError(t, err)
			require.Equal(t, "rules\uFFFD", c.Rules)
			require.Equal(t, chain.Some(baseFee), c.BaseFeePerGas)
			u, x := c.Unclassified[0], c.Transactions[0]
			require.Equal(t, []string{"balances.Nul\uFFFD\uFFFD \uFFFD and \u2028'; DROP TABLE blocks; --", `["\u0000"]`}, []string{u.Event, u.Data})
			require.Equal(t, []string{"nul\uFFFD", "status\uFFFD"}, []string{x.Call, x.Status})
			require.Equal(t, []any{chain.Some(price), chain.Some(fee)}, []any{x.GasPrice, x.Fee})
		}
		var said []string
		require.NoError(t, each(book.Findings(ctx, all), func(f *ledger.Finding) error { said = append(said, f.Message); return nil }))
		require.Equal(t, []string{"\uFFFD" + long, "?$1 \\ \t\n\r\""}, said)
		require.Equal(t, [][]string{{"nul\uFFFD", largestWei, largestWei}}, openSQL(t, place).texts(t, "SELECT call, gas_price, fee FROM book_transactions"))
		differences, err := book.Compare(ctx, []*ledger.Entry{entry})
		require.NoError(t, err)
		require.Empty(t, differences)
	})
	close(seals)
	first := <-seals
	for other := range seals {
		require.Equal(t, first, other)
	}
}

// A block with sums that no balance can have is rejected.
func TestSumsThatOverflow(t *testing.T) {
	first := makeBlock(0, hashOf(0, 0), chain.Hash{}, largestWei)
	first.Report.Transactions[0].Gas = chain.Some(chain.NewGas(math.MaxInt64))
	amount := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "1")
	amount.Report.Transactions[0].Gas = chain.Optional[chain.Gas]{}
	gas := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "0")
	engines(t, func(t *testing.T, newPlace func() string) {
		for _, second := range []made{amount, gas} {
			place := newPlace()
			book := writer(t, place)
			require.NoError(t, book.Begin(ctx, madeUpChain, 0))
			before := content(t, openSQL(t, place))
			err := book.Write(ctx, []*ledger.Entry{first.entry(t), second.entry(t)})
			require.ErrorIs(t, err, chain.ErrOverflow)
			require.ErrorContains(t, err, "block 1")
			require.Equal(t, before, content(t, openSQL(t, place)))

			// Added to existing totals.
			require.NoError(t, book.Write(ctx, []*ledger.Entry{first.entry(t)}))
			before = content(t, openSQL(t, place))
			require.ErrorIs(t, book.Write(ctx, []*ledger.Entry{second.entry(t)}), chain.ErrOverflow)
			require.Equal(t, before, content(t, openSQL(t, place)))
			require.Equal(t, chain.Some(uint64(0)), statusOf(t, book).Sealed)
			verified(t, book)

			// Blocks stored by another program are not sealed.
			place = newPlace()
			book = writer(t, place)
			require.NoError(t, book.Begin(ctx, madeUpChain, 0))
			require.NoError(t, book.Write(ctx, []*ledger.Entry{second.entry(t)}))
			require.NoError(t, book.Write(ctx, []*ledger.Entry{first.entry(t)}))
			before = content(t, openSQL(t, place))
			_, err = book.Seal(ctx)
			require.ErrorIs(t, err, chain.ErrOverflow)
			require.ErrorContains(t, err, "block 1")
			require.Equal(t, before, content(t, openSQL(t, place)))
			verified(t, book)
		}
	})
}

func TestEntry(t *testing.T) {
	e := branch(t, 5, 1, hashOf(4, 0), 0, false)[0]
	require.EqualValues(t, 5, e.Height())
	require.Equal(t, hashOf(5, 0), e.Hash())
	require.Equal(t, hashOf(4, 0), e.ParentHash())
	require.False(t, e.Final())
	require.Positive(t, e.Size())
}
