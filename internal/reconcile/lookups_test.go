package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// counted is a ledger that counts what is looked up in it.
type counted struct {
	reconcile.Book
	hashes [][]chain.Hash
	places [][]ledger.Place
}

func (c *counted) TransactionsByHash(ctx context.Context, hashes ...chain.Hash) iter.Seq2[*ledger.Transaction, error] {
	c.hashes = append(c.hashes, slices.Clone(hashes))
	return c.Book.TransactionsByHash(ctx, hashes...)
}

func (c *counted) TransactionsAt(ctx context.Context, places ...ledger.Place) iter.Seq2[*ledger.Transaction, error] {
	c.places = append(c.places, slices.Clone(places))
	return c.Book.TransactionsAt(ctx, places...)
}

// A comparison does not depend on how many rows are looked up at once, and each portion of rows is looked up once.
func TestPortions(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	evm := slices.DeleteFunc(slices.Clone(list), func(s *sent) bool { return s.EthHash == "" })
	other := native(list)
	unknown := func(n int) string { return fmt.Sprintf("0x%064d", n) }
	g := grid{{"Tx Hash", "EVM hash", "Extrinsic hash", "Extrinsic ID", "fee_wei"}}
	add := func(s *sent, cells ...string) { g = append(g, append(cells, s.Charged)) }
	want := map[reconcile.Outcome]int{}
	for n, s := range evm[:20] { // known, by any of their names
		switch n % 4 {
		case 0:
			add(s, s.EthHash, "", "", "")
		case 1:
			add(s, "", s.EthHash, s.XtHash, s.place())
		case 2:
			add(s, "", "", s.XtHash, "")
		case 3:
			add(s, "", "", "", s.place())
		}
		want[reconcile.Matched]++
	}
	for n := range 5 { // of no transaction
		add(other[0], unknown(n), "", "", "")
		want[reconcile.OnlyInBooks]++
	}
	add(other[0], "", "", "", "4000000000-1")
	add(other[0], "", "", "", "1-400")
	want[reconcile.OnlyInBooks] += 2
	for _, s := range evm[:3] { // again, far from the first
		add(s, s.EthHash, "", "", "")
		add(s, "", "", "", s.place())
		want[reconcile.Duplicate] += 2
	}
	add(other[1], other[1].XtHash, "", "", other[2].place()) // contradictory
	add(other[2], "", unknown(7), "", other[2].place())
	add(other[2], "", unknown(7), other[2].XtHash, "")
	want[reconcile.Ambiguous] += 3
	add(other[3], "", "", other[3].XtHash, other[3].place())
	want[reconcile.Matched]++
	rows := len(g) - 1

	o := reconcile.Options{Accounts: payers(t, list)}
	read := read(t, g.csv(','), o)
	var first string
	for _, size := range []int{1, 2, 3, rows - 1, rows, 1 << 13} {
		restore := reconcile.PortionRows(size)
		b := &counted{Book: book(t, "moonbeam-2100")}
		var compared, scanned, total uint64
		o.Compared = func(done uint64) {
			require.LessOrEqual(t, done, min(compared+uint64(size), uint64(rows)))
			compared = done
		}
		o.Scanned = func(done, of uint64) {
			require.Greater(t, done, scanned)
			scanned, total = done, of
		}
		r := match(t, b, read, o)
		restore()
		have := counts(r)
		delete(have, reconcile.OnlyOnChain)
		require.Equal(t, want, have, size)
		var out bytes.Buffer
		require.NoError(t, r.WriteJSON(&out, true))
		if first == "" {
			first = out.String()
		}
		require.Equal(t, first, out.String(), size)
		require.EqualValues(t, rows, compared)
		require.EqualValues(t, lasts["moonbeam-2100"]+1, total)
		require.Equal(t, total, scanned)
		portions := (rows + size - 1) / size
		require.LessOrEqual(t, len(b.hashes), portions, size)
		require.LessOrEqual(t, len(b.places), portions, size)
		for _, hashes := range b.hashes {
			seen := map[chain.Hash]bool{}
			for _, h := range hashes {
				require.False(t, seen[h], "%d: %v is looked up twice", size, h)
				seen[h] = true
			}
		}
	}
}
