package ledger

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// laidOutEntry is a block with one transaction, of which there are two a day.
func laidOutEntry(t *testing.T, height uint64) *Entry {
	t.Helper()
	return entryAt(t, height, 1_700_000_000_000+height*40_000_000)
}

// entryAt is a block with one transaction that was made at a time, in milliseconds since 1970.
func entryAt(t *testing.T, height, ms uint64) *Entry {
	t.Helper()
	hash := func(n uint64) chain.Hash { return chain.Hash{1, 31: byte(n)} }
	at, err := chain.TimeAt(ms)
	require.NoError(t, err)
	r := &evidence.Report{Report: &fee.Report{Network: "moonbeam", Rules: "made up", Number: height, Hash: hash(height), ParentHash: hash(height - 1),
		Time: chain.Some(at), Finalized: chain.Some(true)}}
	payer := chain.Address{19: byte(height % 3)}
	r.Transactions = []evidence.Transaction{{Transaction: &fee.Transaction{
		Index: 1, Layer: fee.Native, Call: "a.b", Hash: hash(height), From: chain.Some(payer), Payer: chain.Some(payer), Fee: chain.Some(chain.NewWei(height)),
	}}}
	e, err := NewEntry(&chain.Block{Number: height, Hash: hash(height), ParentHash: hash(height - 1)}, r)
	require.NoError(t, err)
	return e
}

// A later layout adds a column to a table. A ledger of the first one is brought to it
// unharmed: its digests and seals are those of before, its questions are answered, and it
// goes on with blocks that have the column, whose digests are over it.
func TestALaterLayout(t *testing.T) {
	ctx := context.Background()
	place := filepath.Join(t.TempDir(), "fees.db")
	write := func(entries ...*Entry) (seals []*stretch, digests []string) {
		book, err := OpenWriter(ctx, place)
		require.NoError(t, err)
		defer func() { require.NoError(t, book.Close()) }()
		require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
		require.NoError(t, book.Write(ctx, entries))
		_, err = book.Seal(ctx)
		require.NoError(t, err)
		require.NoError(t, book.Verify(ctx, func(d Damage) { t.Error(d) }, func(_, _ uint64) {}))
		seals, err = readStretches(ctx, book.engine, daily, "true")
		require.NoError(t, err)
		for r, err := range book.walk(ctx, nil, Span{Last: 100}, nil) {
			require.NoError(t, err)
			l, err := readLeaves(r.rows[blocks][0][leavesColumn])
			require.NoError(t, err)
			digests = append(digests, fmt.Sprint(l.layout, l.digest()))
		}
		return seals, digests
	}
	var first []*Entry
	for h := range uint64(9) {
		first = append(first, laidOutEntry(t, h+1))
	}
	before, digests := write(first...)
	require.Len(t, digests, 9)

	// What a program of the later layout has otherwise.
	kept, keptLayouts := tables[transactions], layouts
	t.Cleanup(func() { tables[transactions], layouts, layoutNow = kept, keptLayouts, 1 })
	tables[transactions].columns = append(slices.Clone(kept.columns), column{"memo", text, fact})
	tables[transactions].later = map[string]byte{"memo": 4}
	layouts, layoutNow = append(slices.Clone(layouts), "ALTER TABLE transactions ADD COLUMN memo TEXT"), 4
	memo := func(e *Entry, text string) *Entry {
		for i := range e.rows[transactions] {
			e.rows[transactions][i] = append(e.rows[transactions][i][:len(kept.columns):len(kept.columns)], text)
		}
		e.sumUp()
		return e
	}
	bare := func(h uint64) *Entry { // as NewEntry of the first layout makes it, the column being null
		layoutNow = 1
		defer func() { layoutNow = 4 }()
		tables[transactions].columns = kept.columns
		defer func() { tables[transactions].columns = append(slices.Clone(kept.columns), column{"memo", text, fact}) }()
		return laidOutEntry(t, h)
	}
	after, now := write() // brought to the later layout, and nothing else
	require.Equal(t, before, after)
	require.Equal(t, digests, now)

	again := memo(bare(9), "said later") // a block that is there, read again by the new program
	after, now = write(again, memo(bare(10), "hello"), memo(bare(11), "world"))
	require.Equal(t, digests, now[:9], "a digest stays one of the layout that it names")
	require.True(t, strings.HasPrefix(now[9], "4") && strings.HasPrefix(now[10], "4"), "%v", now)
	require.Equal(t, before[:len(before)-1], after[:len(before)-1])
	other := memo(bare(10), "another")
	require.NotEqual(t, now[9], fmt.Sprint(4, other.digest), "the column is in the digest")

	book, err := Open(ctx, place)
	require.NoError(t, err)
	paid := chain.Wei{}
	for c, err := range book.Costs(ctx, Query{Span: Span{First: 1, Last: 11}}) {
		require.NoError(t, err)
		wei, _ := c.Fee.Get()
		paid, err = paid.Add(wei)
		require.NoError(t, err)
	}
	require.Equal(t, "66", paid.String())
	require.NoError(t, book.Close())

	// The first program does not touch it.
	tables[transactions], layouts, layoutNow = kept, keptLayouts, 1
	_, err = OpenWriter(ctx, place)
	require.ErrorIs(t, err, ErrNewer)
}
