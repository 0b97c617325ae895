package reconcile_test

import (
	"encoding/binary"
	"iter"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// A generated chain has 7,200 blocks a day.
const blocksADay = 7_200

// generated fills a ledger with generated blocks, and returns its transactions.
func generated(b *testing.B, blocks uint64) (*ledger.Book, []*ledger.Transaction) {
	ctx := b.Context()
	prover := prove.Prover{Reader: &source.Reader{Source: chaingen.New(chaingen.Options{Seed: 1, Head: blocks}).Source(), Tables: network.BuiltIn()}, Concurrency: 2}
	book, err := ledger.OpenWriter(ctx, filepath.Join(b.TempDir(), "fees.db"))
	require.NoError(b, err)
	b.Cleanup(func() { book.Close() })
	require.NoError(b, book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0))
	var batch []*ledger.Entry
	for p, err := range prover.Range(ctx, chain.Heights{Last: blocks - 1}, chain.Optional[evidence.Predecessor]{}) {
		require.NoError(b, err)
		e, err := ledger.NewEntry(p.Block, p.Report)
		require.NoError(b, err)
		if batch = append(batch, e); len(batch) == 250 || p.Block.Number == blocks-1 {
			require.NoError(b, book.Write(ctx, batch))
			batch = batch[:0]
		}
	}
	_, err = book.Seal(ctx)
	require.NoError(b, err)
	var all []*ledger.Transaction
	for t, err := range book.Transactions(ctx, ledger.Query{Span: chain.Heights{Last: blocks}}) {
		require.NoError(b, err)
		all = append(all, t)
	}
	return book, all
}

// named are rows that name transactions by one of their identifiers.
func named(count int, name func(n int, row *reconcile.Row)) iter.Seq2[*reconcile.Row, error] {
	return func(yield func(*reconcile.Row, error) bool) {
		for n := range count {
			row := &reconcile.Row{Line: n + 2, Fee: chain.NewWei(uint64(n))}
			if name(n, row); !yield(row, nil) {
				return
			}
		}
	}
}

// BenchmarkMatch compares rows in no order with a ledger whose day has ended, and with one that also has 1,200 blocks of the
// next day. An operation is a row: -benchtime 1000000x compares a million.
func BenchmarkMatch(b *testing.B) {
	for name, open := range map[string]uint64{"ended": 12, "open": 1_200} {
		b.Run(name, func(b *testing.B) {
			book, all := generated(b, blocksADay+open)
			at := func(n int) *ledger.Transaction { return all[n*7_919%len(all)] }
			known := func(n int, row *reconcile.Row) {
				if row.Hash = at(n).EVMHash; !row.Hash.Known() {
					row.Hash = chain.Some(at(n).Hash)
				}
			}
			unknown := func(n int, row *reconcile.Row) {
				hash := chain.Hash{31: 1}
				binary.BigEndian.PutUint64(hash[:], uint64(n)*0x9e3779b97f4a7c15)
				row.Hash = chain.Some(hash)
			}
			for name, one := range map[string]func(n int, row *reconcile.Row){
				"known":   known,
				"unknown": unknown,
				"mixed": func(n int, row *reconcile.Row) {
					if n%2 == 0 {
						known(n, row)
					} else {
						unknown(n, row)
					}
				},
				"by ID": func(n int, row *reconcile.Row) { row.Place = chain.Some(at(n).Place()) },
			} {
				b.Run(name, func(b *testing.B) {
					r, err := reconcile.Match(b.Context(), book, named(b.N, one), reconcile.Options{Symbol: "GLMR"})
					require.NoError(b, err)
					require.Equal(b, b.N, r.Total.Count)
					require.NoError(b, r.Close())
				})
			}
		})
	}
}
