package ledger_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// A ledger stores its chain from the first Begin on, and the hash of block 0 once a source provides it.
func TestIdentity(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		_, err := book.Identity(ctx)
		require.ErrorIs(t, err, ledger.ErrNone)
		begun := func(id ledger.Identity) ledger.Identity {
			require.NoError(t, book.Begin(ctx, id, 7))
			have, err := book.Identity(ctx)
			require.NoError(t, err)
			return have
		}
		unknown := ledger.Identity{Network: "moonbeam"}
		require.Equal(t, unknown, begun(unknown))
		require.Equal(t, madeUpChain, begun(madeUpChain))
		require.Equal(t, madeUpChain, begun(unknown), "what is known is not forgotten")
	})
}

// Unsealed reports the next block once it is stored and final; an unsealed block has no seal.
func TestUnsealed(t *testing.T) {
	entries := madeUp(0, 6)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		other := reader(t, place)
		unsealed := func() bool {
			left, err := other.Unsealed(ctx)
			require.NoError(t, err)
			return left
		}
		seal := func(height uint64) (s ledger.Seal, ok bool) {
			s, err := other.SealOf(ctx, heights(0, height), chain.Heights{Last: height})
			if err != nil {
				require.ErrorIs(t, err, ledger.ErrNone)
			}
			return s, err == nil
		}
		require.False(t, unsealed(), "nothing was begun")
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.False(t, unsealed(), "nothing is there")
		require.NoError(t, book.Write(ctx, entries[1:3]))
		require.False(t, unsealed(), "block 0 is missing")
		require.NoError(t, book.Write(ctx, entries[:1]))
		require.True(t, unsealed())
		_, ok := seal(1)
		require.False(t, ok, "it is stored, and not sealed")
		sealAll(t, book)
		require.False(t, unsealed())
		_, ok = seal(2)
		require.True(t, ok)
		require.NoError(t, book.Write(ctx, branch(t, 3, 1, hashOf(2, 0), 1, false)))
		require.False(t, unsealed(), "block 3 is not final")
		_, ok = seal(3)
		require.False(t, ok)
		_, ok = seal(4)
		require.False(t, ok, "it is not there")
	})
}

// A transaction with an unknown payer is returned, but belongs to no account.
func TestWithoutPayer(t *testing.T) {
	first := makeBlock(0, hashOf(0, 0), chain.Hash{}, "5")
	second := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "7")
	second.unpaid()
	engines(t, func(t *testing.T, newPlace func() string) {
		book := writer(t, newPlace())
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{first.entry(t), second.entry(t)}))
		sealAll(t, book)
		heights := func(span chain.Heights) (list []uint64) {
			require.NoError(t, each(book.WithoutPayer(ctx, in(span)), func(x *ledger.Transaction) error {
				require.False(t, x.Payer.Known())
				list = append(list, x.Height)
				return nil
			}))
			return list
		}
		require.Equal(t, []uint64{1}, heights(chain.Heights{Last: 1}))
		require.Empty(t, heights(chain.Heights{}))
		paid, _, err := totalled(book, ever, ledger.ByAccount)
		require.NoError(t, err)
		require.Len(t, paid, 2, "one account paid in block 0, none in block 1")
		require.Equal(t, "5", statusOf(t, book).Totals.Fee.String())
	})
}

// partlySealed writes a new ledger whose first blocks are sealed, and the others not final.
func partlySealed(t *testing.T, place string, list []made, sealed int) *ledger.Book {
	t.Helper()
	book := writer(t, place)
	require.NoError(t, book.Begin(ctx, madeUpChain, 0))
	for i, m := range list {
		m.Report.Finalized = chain.Some(i < sealed)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{m.entry(t)}))
	}
	sealAll(t, book)
	return book
}

// Transactions without a payer, and undetermined or drifting fees, are found on the days that have some, in unsealed
// blocks, and in any part of them.
func TestFewTransactionsOfSpans(t *testing.T) {
	const count, sealed = 60, 50
	made := monthsMade(count, 7*time.Hour)
	for h := 8; h < count; h += 17 {
		made[h].Report.Transactions[0].Verdict = chain.Some(evidence.Drift)
	}
	without := func(x *evidence.Transaction) bool { return !x.Payer.Known() }
	unmatched := func(x *evidence.Transaction) bool {
		v, _ := x.Verdict.Get()
		return !x.Fee.Known() || v == evidence.Drift
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		book := partlySealed(t, newPlace(), made, sealed)
		s, err := book.Sealed(ctx)
		require.NoError(t, err)
		require.Equal(t, heights(0, sealed-1), s)
		for _, x := range []struct {
			of  func(*evidence.Transaction) bool
			ask func(context.Context, ledger.Query) iter.Seq2[*ledger.Transaction, error]
		}{{without, book.WithoutPayer}, {unmatched, book.Unmatched}} {
			for first := uint64(0); first < count; first += 7 {
				for last := first; last < count+10; last += 6 {
					var want, have []uint64
					for h := first; h <= min(last, count-1); h++ {
						if x.of(&made[h].Report.Transactions[0]) {
							want = append(want, h)
						}
					}
					require.NoError(t, each(x.ask(ctx, in(chain.Heights{First: first, Last: last})), func(x *ledger.Transaction) error {
						have = append(have, x.Height)
						return nil
					}))
					require.Equal(t, want, have, "%d..%d", first, last)
				}
			}
		}
	})
}

// Blocks with an undetermined fee or of uncertain rules are found in any span, whatever days and months it cuts; days
// without such blocks are not read.
func TestDoubtful(t *testing.T) {
	const count, sealed = 60, 50
	made := monthsMade(count, 31*time.Hour)
	doubtful := func(h uint64) bool { return h%11 == 10 || h%17 == 8 }
	for h := range uint64(count) {
		made[h].Report.Totals.Match = 1 // the rules do not matter
		if h%17 == 8 {
			made[h].Report.Rules, made[h].Report.Totals.Match = "made up?", 0
		}
		if h%11 == 3 {
			made[h].Report.Rules = "made up?" // and every fee matches
		}
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		book := partlySealed(t, newPlace(), made, sealed)
		for first := uint64(0); first < count; first += 7 {
			for last := first; last < count+10; last += 6 {
				var want, have []uint64
				for h := first; h <= min(last, count-1); h++ {
					if doubtful(h) {
						want = append(want, h)
					}
				}
				require.NoError(t, each(book.Doubtful(ctx, chain.Heights{First: first, Last: last}), func(b *ledger.Block) error {
					have = append(have, b.Height)
					require.Equal(t, b.Height%17 == 8, !b.Certain)
					require.Equal(t, b.Height%11 == 10, b.Undetermined > 0)
					return nil
				}))
				require.Equal(t, want, have, "%d..%d", first, last)
			}
		}
		for _, q := range queriesOf(t, book, func(b *ledger.Book) (string, error) { // a month and a day without any
			return "", each(b.Doubtful(ctx, chain.Heights{First: 11, Last: 13}), func(b *ledger.Block) error { return errors.New("none is doubtful") })
		}) {
			require.NotContains(t, q.text, "record")
		}
	})
}

// Uncertain rules are recognised by their names on every recorded chain.
func TestDoubtfulOfRecordings(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		book := written(t, newFile(t), r.id, r.entries)
		all := chain.Heights{Last: r.last}
		var want, have []ledger.Block
		require.NoError(t, each(book.Blocks(ctx, in(all)), func(b *ledger.Block) error {
			if b.Undetermined > 0 || !b.Certain {
				want = append(want, *b)
			}
			return nil
		}))
		require.NoError(t, each(book.Doubtful(ctx, all), func(b *ledger.Block) error { have = append(have, *b); return nil }))
		require.Equal(t, want, have)
	})
}

// A ledger rejects a fee without a payer: the search for missing payers relies on that.
func TestFeeWithoutPayer(t *testing.T) {
	m := makeBlock(1, hashOf(1, 0), hashOf(0, 0), "7")
	m.Report.Transactions[0].Payer = chain.Optional[chain.Address]{}
	_, err := ledger.NewEntry(m.Block, m.Report)
	require.EqualError(t, err, "block 1, extrinsic 1 has a fee but no known payer")
	m.unpaid()
	_, err = ledger.NewEntry(m.Block, m.Report)
	require.NoError(t, err)
}

// A period of heights ignores times. Block 0 has no time: it is in no period of times, and cannot show where one ends.
func TestPeriodOfABlockWithoutATime(t *testing.T) {
	r := recording2100()
	book := written(t, newFile(t), r.id, r.entries[:1])
	year := ledger.Period{From: timeAt(t, "2026-01-01T00:00:00Z"), To: timeAt(t, "2027-01-01T00:00:00Z")}
	c, err := book.Cover(ctx, year)
	require.NoError(t, err)
	require.Equal(t, ledger.Cover{Lacks: []string{"its end: the ledger is sealed up to block 0"}}, c)
	require.False(t, year.Has(0, chain.Optional[chain.Time]{}))
	for height, in := range []bool{false, true, true, false} {
		require.Equal(t, in, heights(1, 2).Has(uint64(height), chain.Optional[chain.Time]{}), height)
	}
	outside, err := book.Outside(ctx, year, chain.Heights{})
	require.NoError(t, err)
	require.Equal(t, []uint64{0}, outside)
	outside, err = book.Outside(ctx, heights(0, 0), chain.Heights{})
	require.NoError(t, err)
	require.Empty(t, outside)
}

// Queries fail with a clear error if their table is missing. No query needs the tables for SQL users or of rejudgements.
func TestQuestionsWithoutATable(t *testing.T) {
	entry, account := everyTable(t)
	nextMonth := makeBlock(4, hashOf(4, 0), entry.Hash(), "1").at(1_702_000_000_000).entry(t)
	period := ledger.Period{From: timeAt(t, "2023-01-01T00:00:00Z"), To: timeAt(t, "2024-01-01T00:00:00Z")}
	part := ledger.Period{From: timeAt(t, "2023-11-14T22:13:30Z"), To: period.To} // partial days, whose blocks are scanned
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, []*ledger.Entry{entry, nextMonth})
		db := openSQL(t, place)
		type needing struct {
			tables string
			ask    func() error
		}
		questions := map[string]needing{
			"Identity": {"book", func() error { _, err := book.Identity(ctx); return err }},
			"Sealed":   {"book", func() error { _, err := book.Sealed(ctx); return err }},
			"Unsealed": {"book blocks", func() error { _, err := book.Unsealed(ctx); return err }},
			"Cover":    {"book blocks stretches", func() error { _, err := book.Cover(ctx, period); return err }},
			"Outside":  {"book blocks stretches", func() error { _, err := book.Outside(ctx, part, chain.Heights{First: 3, Last: 4}); return err }},
			"SealOf":   {"book blocks", func() error { _, err := book.SealOf(ctx, heights(3, 3), chain.Heights{First: 3, Last: 3}); return err }},
			"Status":   {"book blocks stretches proved", func() error { _, err := book.Status(ctx); return err }},
			"Evidence": {"proved", func() error { _, err := book.Evidence(ctx, chain.Heights{First: 3, Last: 4}); return err }},
			"Totals":   {"book blocks stretches parts", func() error { _, _, err := totalled(book, ever, ledger.ByAccount); return err }},
			"the hash": {"book blocks stretches parts", func() error {
				return each(book.TransactionsByHash(ctx, chain.Hash{1}), func(*ledger.Transaction) error { return nil })
			}},
			"the findings": {"book blocks stretches", func() error {
				return each(book.Findings(ctx, in(chain.Heights{Last: 9})), func(*ledger.Finding) error { return nil })
			}},
		}
		for kind, tables := range map[string]string{"blocks": "book blocks", "transactions": "book blocks", "movements": "book blocks stretches parts", "transfers": "book blocks stretches parts", "unclassified": "book blocks stretches"} {
			read := readings(book, account)[kind]
			questions["rows: "+kind] = needing{tables, func() error { _, err := read(); return err }}
		}
		for _, table := range db.names(t, "table") {
			if table == "book_layout" {
				continue
			}
			db.do(t, "ALTER TABLE "+table+" RENAME TO elsewhere")
			for name, q := range questions {
				if err := q.ask(); slices.Contains(strings.Fields(q.tables), table) {
					require.Error(t, err, "%s without %s", name, table)
				} else if slices.Contains([]string{"transactions", "words", "rejudgements"}, table) {
					require.NoError(t, err, "%s without %s", name, table)
				}
			}
			db.do(t, "ALTER TABLE elsewhere RENAME TO "+table)
		}
		verified(t, book)
	})
}
