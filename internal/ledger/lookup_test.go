package ledger_test

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// receiver receives tokens in the sample months.
var receiver = chain.Address20([20]byte{19: 0xcc})

// revertedCalls selects some transactions of the sample months.
var revertedCalls = ledger.Kinds{
	Outcome: chain.Some(fee.Reverted), Call: chain.Some("Ethereum.TRANSACT"), Contract: chain.Some(chain.Address20([20]byte{1, 19: 1})),
}

// byAccount are the queries by account, and one by kinds of transactions.
func byAccount(span chain.Heights) map[string]func(b *ledger.Book) (count int, err error) {
	payer := chain.Address20([20]byte{19: 1})
	return map[string]func(b *ledger.Book) (int, error){
		"transactions":               func(b *ledger.Book) (int, error) { return countOf(b.Transactions(ctx, in(span, payer))) },
		"transactions of kinds":      func(b *ledger.Book) (int, error) { return countOf(b.Transactions(ctx, ofKinds(span, revertedCalls))) },
		"movements":                  func(b *ledger.Book) (int, error) { return countOf(b.Movements(ctx, in(span, mover))) },
		"transfers of the sender":    func(b *ledger.Book) (int, error) { return countOf(b.Transfers(ctx, in(span, mover))) },
		"transfers of the recipient": func(b *ledger.Book) (int, error) { return countOf(b.Transfers(ctx, in(span, receiver))) },
		"activity": func(b *ledger.Book) (n int, err error) {
			err = each(b.Activity(ctx, mover, span, 0), func(a *ledger.Activity) error { n += len(a.Movements); return nil })
			return n, err
		},
		"activity with transfers": func(b *ledger.Book) (n int, err error) {
			err = each(b.Activity(ctx, receiver, span, ledger.WithTransfers), func(a *ledger.Activity) error { n += len(a.Transfers); return nil })
			return n, err
		},
	}
}

// byHash counts the transactions with a hash.
func byHash(t testing.TB, b *ledger.Book, hash chain.Hash) (heights []uint64) {
	t.Helper()
	require.NoError(t, each(b.TransactionsByHash(ctx, hash), func(x *ledger.Transaction) error {
		heights = append(heights, x.Height)
		return nil
	}))
	return heights
}

// An altered or lost part never makes a figure smaller: queries that use it fail, and a verification finds it.
func TestAnAlteredPart(t *testing.T) {
	const last = 24
	entries := monthsOfBlocks(last+1, 36*time.Hour)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		require.NoError(t, written(t, place, madeUpChain, entries).Close())
		book, db := reader(t, place), openSQL(t, place)
		hash := hashIn(t, book, 7)
		asked := byAccount(chain.Heights{Last: last})
		asked["hash"] = func(b *ledger.Book) (int, error) { return countOf(b.TransactionsByHash(ctx, hash)) }
		asked["hashes"] = func(b *ledger.Book) (int, error) {
			var hashes []chain.Hash
			for h := range uint64(last + 1) {
				hashes = append(hashes, hashOfTransaction(h))
			}
			return countOf(b.TransactionsByHash(ctx, hashes...))
		}
		for name, ask := range asked {
			kind := 3
			if strings.HasPrefix(name, "hash") {
				kind = 4
			}
			whole, err := ask(book)
			require.NoError(t, err, name)
			require.Positive(t, whole, name)
			_, parts := db.table(t, "SELECT unit, number, part, body FROM parts WHERE kind = ?1 ORDER BY unit, number, part", kind)
			refused, step := 0, tier.Sparse(21, 7) // 16 parts a day: a multiple would cover the same ones each day
			for i := 0; i < len(parts); i += step {
				p := parts[i]
				body := bytes.Clone(p[3].([]byte))
				body[len(body)-1] ^= 1
				db.do(t, "UPDATE parts SET body = ?1 WHERE unit = ?2 AND number = ?3 AND kind = ?4 AND part = ?5", body, p[0], p[1], kind, p[2])
				if have, err := ask(book); err != nil {
					require.ErrorIs(t, err, ledger.ErrDamaged, name)
					require.ErrorContains(t, err, fmt.Sprintf("table parts: part %v of kind %d of ", p[2], kind))
					refused++
				} else {
					require.Equal(t, whole, have, name)
				}
				db.do(t, "UPDATE parts SET body = ?1 WHERE unit = ?2 AND number = ?3 AND kind = ?4 AND part = ?5", p[3], p[0], p[1], kind, p[2])
			}
			require.Positive(t, refused, name)
		}
		verified(t, book)
		for _, kind := range []int{0, 1, 2, 3, 4} {
			_, parts := db.table(t, "SELECT unit, number, part, body FROM parts WHERE kind = ?1", kind)
			p := parts[len(parts)/2]
			db.do(t, "DELETE FROM parts WHERE unit = ?1 AND number = ?2 AND kind = ?3 AND part = ?4", p[0], p[1], kind, p[2])
			list := damages(t, book)
			require.NotEmpty(t, list)
			require.Contains(t, fmt.Sprint(list), fmt.Sprintf("part %v of kind %d", p[2], kind))
			db.do(t, "INSERT INTO parts (unit, number, kind, part, body) VALUES (?1, ?2, ?3, ?4, ?5)", p[0], p[1], kind, p[2], p[3])
			verified(t, book)
		}
	})
}

// hashIn returns the hash of a block's transaction.
func hashIn(t testing.TB, book *ledger.Book, height uint64) (hash chain.Hash) {
	t.Helper()
	require.NoError(t, at(book, height, 1, func(x *ledger.Transaction) error { hash = x.Hash; return nil }))
	require.NotZero(t, hash)
	return hash
}

// An index search finds the same as a scan of all blocks, however the ledger was written: at once, by a writer that left,
// or in a copy.
func TestLookupsFollowFromTheBlocks(t *testing.T) {
	both(t, func(t *testing.T, r *recording) {
		for name, entries := range map[string][]*ledger.Entry{r.name: full(t, r), "months": monthsOfBlocks(60, 31*time.Hour)} {
			id := r.id
			if name != r.name {
				id = madeUpChain
			}
			engines(t, func(t *testing.T, newPlace func() string) {
				place := newPlace()
				book := writer(t, place)
				require.NoError(t, book.Begin(ctx, id, entries[0].Height()))
				require.NoError(t, book.Write(ctx, entries[:10]))
				sealAll(t, book)
				book.Forget()
				require.NoError(t, book.Write(ctx, entries[10:]))
				sealAll(t, book)
				follow(t, book)
				verified(t, book)
				copied := newFile(t)
				require.NoError(t, book.Backup(ctx, copied, quietly))
				follow(t, reader(t, copied))
			})
		}
	})
}

// follow requires index searches to match the blocks.
func follow(t testing.TB, book *ledger.Book) {
	t.Helper()
	everything := chain.Heights{Last: 1 << 40}
	hashes := map[chain.Hash][]uint64{}
	payers, movers, parties := map[chain.Address][]string{}, map[chain.Address][]string{}, map[chain.Address][]string{}
	require.NoError(t, each(book.Transactions(ctx, in(everything)), func(x *ledger.Transaction) error {
		hashes[x.Hash] = append(hashes[x.Hash], x.Height)
		if hash, ok := x.EVMHash.Get(); ok && hash != x.Hash {
			hashes[hash] = append(hashes[hash], x.Height)
		}
		if payer, ok := x.Payer.Get(); ok {
			payers[payer] = append(payers[payer], x.Place().String())
		}
		return nil
	}))
	require.NoError(t, each(book.Movements(ctx, in(everything)), func(m *ledger.Movement) error {
		movers[m.Account] = append(movers[m.Account], m.Place().String())
		return nil
	}))
	require.NoError(t, each(book.Transfers(ctx, in(everything)), func(x *ledger.Transfer) error {
		parties[x.Sender] = append(parties[x.Sender], x.Place().String())
		if x.Sender != x.Recipient {
			parties[x.Recipient] = append(parties[x.Recipient], x.Place().String())
		}
		return nil
	}))
	require.NotEmpty(t, movers)
	for hash, heights := range hashes {
		require.Equal(t, heights, byHash(t, book, hash))
	}
	require.Equal(t, placesOf(t, book.Transactions(ctx, in(everything))), placesOf(t, book.TransactionsByHash(ctx, slices.Collect(maps.Keys(hashes))...)))
	for account, want := range payers {
		require.Equal(t, want, placesOf(t, book.Transactions(ctx, in(everything, account))))
	}
	for account, want := range movers {
		require.Equal(t, want, placesOf(t, book.Movements(ctx, in(everything, account))))
		var at []uint64
		var some []string
		for _, place := range want {
			height, _, _ := strings.Cut(place, "-")
			h, err := strconv.ParseUint(height, 10, 64)
			require.NoError(t, err)
			if h%3 == 0 {
				at, some = append(at, h), append(some, place)
			}
		}
		require.Equal(t, some, placesOf(t, book.MovementsAt(ctx, slices.Compact(at), []chain.Address{account})))
	}
	for account, want := range parties {
		require.Equal(t, want, placesOf(t, book.Transfers(ctx, in(everything, account))))
	}
}

func placesOf[T interface{ Place() ledger.Place }](t testing.TB, rows iter.Seq2[T, error]) (list []string) {
	t.Helper()
	require.NoError(t, each(rows, func(x T) error {
		list = append(list, x.Place().String())
		return nil
	}))
	return list
}

// Two hashes with the same beginning are different.
func TestHashesThatBeginAlike(t *testing.T) {
	one, other := makeBlock(0, hashOf(0, 0), chain.Hash{}, "1"), makeBlock(1, hashOf(1, 0), hashOf(0, 0), "2")
	first := one.Report.Transactions[0].Hash
	second := first
	second[31] ^= 1
	other.Report.Transactions[0].Hash = second
	other.Report.Transactions[0].EVMHash = chain.Some(chain.Hash(bytes.Repeat([]byte{0xff}, 32)))
	third := makeBlock(2, hashOf(2, 0), hashOf(1, 0), "3") // not sealed
	third.Report.Transactions[0].Hash = first
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, []*ledger.Entry{one.entry(t), other.entry(t)})
		require.Equal(t, []uint64{0}, byHash(t, book, first))
		require.Equal(t, []uint64{1}, byHash(t, book, second))
		require.Equal(t, []uint64{1}, byHash(t, book, chain.Hash(bytes.Repeat([]byte{0xff}, 32))))
		require.Empty(t, byHash(t, book, chain.Hash{1}))
		third.Block.Finalized, third.Report.Finalized = chain.Some(false), chain.Some(false)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{third.entry(t)}))
		require.Equal(t, chain.Some(uint64(1)), statusOf(t, book).Sealed)
		require.Equal(t, []uint64{0, 2}, byHash(t, book, first), "what is not sealed is looked through")
		third.Block.Finalized, third.Report.Finalized = chain.Some(true), chain.Some(true)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{third.entry(t)}))
		require.Equal(t, []uint64{0, 2}, byHash(t, book, first))
	})
}

// Many hashes or places at once find what one after the other does, in the order of the chain: among the sealed blocks and
// those above, but not in missing blocks or in those that are not yet the ledger's.
func TestManyAtOnce(t *testing.T) {
	entries := monthsOfBlocks(60, 31*time.Hour)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, entries[10:40])
		for _, span := range []chain.Heights{{First: 44, Last: 50}, {First: 53, Last: 54}, {First: 3, Last: 6}} {
			require.NoError(t, book.Write(ctx, entries[span.First:span.Last+1]))
		}
		require.Equal(t, chain.Some(uint64(39)), statusOf(t, book).Sealed)
		var want []string
		var hashes []chain.Hash
		var places []ledger.Place
		for h := range uint64(70) {
			hash, at := hashOfTransaction(h), ledger.Place{Height: h, Row: 1}
			hashes, places = append(hashes, hash, chain.Hash{1, 31: byte(h)}), append(places, at, ledger.Place{Height: h, Row: 2})
			there := h >= 10 && h < 40 || h >= 44 && h <= 50 || h == 53 || h == 54
			if there {
				want = append(want, at.String())
			}
			require.Equal(t, there, len(byHash(t, book, hash)) == 1, h)
			one, err := book.TransactionAt(ctx, at)
			require.NoError(t, err)
			require.Equal(t, there, one != nil, h)
		}
		for _, size := range []int{7, 1000} {
			var byHash, byPlace []string
			for part := range slices.Chunk(hashes, size) {
				byHash = append(byHash, placesOf(t, book.TransactionsByHash(ctx, part...))...)
			}
			for part := range slices.Chunk(places, size) {
				byPlace = append(byPlace, placesOf(t, book.TransactionsAt(ctx, part...))...)
			}
			require.Equal(t, want, byHash, size)
			require.Equal(t, want, byPlace, size)
		}
		slices.Reverse(hashes)
		slices.Reverse(places)
		require.Equal(t, want, placesOf(t, book.TransactionsByHash(ctx, append(hashes, hashes...)...)))
		require.Equal(t, want, placesOf(t, book.TransactionsAt(ctx, append(places, places...)...)))
		require.Empty(t, placesOf(t, book.TransactionsByHash(ctx)))
		require.Empty(t, placesOf(t, book.TransactionsAt(ctx)))
	})
}

// growing are the tables that grow with the chain, and their keys.
var growing = map[string]string{"blocks": "height", "transactions": "id", "stretches": "unit", "parts": "unit", "rejudgements": "height"}

// A query by account or hash reads only matching rows: its plan never scans a table that grows with the chain.
func TestQuestionsByAccountAndHashDoNotScan(t *testing.T) {
	const last = 120
	entries := monthsOfBlocks(last+1, 7*time.Hour)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, entries), openSQL(t, place)
		db.SetMaxOpenConns(1)
		if db.postgres { // with so few blocks it would scan, whatever the indexes are
			db.do(t, "SET enable_seqscan = off")
			db.do(t, "ANALYZE")
		}
		asked := byAccount(chain.Heights{First: 10, Last: 60})
		asked["hash"] = func(b *ledger.Book) (int, error) { return len(byHash(t, b, hashIn(t, b, 20))), nil }
		asked["pages"] = func(b *ledger.Book) (int, error) {
			q := in(chain.Heights{Last: 100}, mover, receiver)
			q.Limit = 3
			return countOf(b.Movements(ctx, q))
		}
		for name, ask := range asked {
			found, looked := 0, false
			for _, q := range queriesOf(t, book, func(b *ledger.Book) (_ string, err error) { found, err = ask(b); return name, err }) {
				looked = looked || strings.Contains(q.text, "FROM parts")
				require.Empty(t, db.scanned(t, q.text, q.arguments), "%s: %s", name, q.text)
			}
			require.True(t, looked, name)
			require.Positive(t, found, name)
		}
		for _, q := range queriesOf(t, book, func(b *ledger.Book) (string, error) {
			q := ofKinds(chain.Heights{Last: last}, ledger.Kinds{Layer: chain.Some(fee.EVM)})
			q.Limit = 1
			n, err := countOf(b.Transactions(ctx, q))
			require.Equal(t, 1, n)
			return "", err
		}) {
			require.NotContains(t, q.text, "FROM parts", "the first blocks have a page")
		}
		require.Equal(t, []string{"parts"}, db.scanned(t, "SELECT body FROM parts WHERE kind = 3", nil), "which is how a scan looks")
	})
}

var partitionNumber = regexp.MustCompile(`_[0-9]+$`)

// scanned returns the tables that a query's plan scans.
func (d database) scanned(t testing.TB, query string, arguments []any) (list []string) {
	t.Helper()
	if !d.postgres {
		_, plan := d.table(t, "EXPLAIN QUERY PLAN "+query, arguments...)
		for _, r := range plan {
			words := strings.Fields(r[3].(string))
			if words[0] == "SCAN" && growing[words[1]] != "" {
				list = append(list, words[1])
			}
		}
		return list
	}
	for i := 1; strings.Contains(query, "?"); i++ {
		query = strings.Replace(query, "?", fmt.Sprint("$", i), 1)
	}
	_, plan := d.table(t, "EXPLAIN "+query, arguments...)
	for i, r := range plan {
		line := r[0].(string)
		_, on, read := strings.Cut(line, " on ")
		if !read || strings.Contains(line, "Bitmap Index Scan") || strings.Contains(line, "Delete on") { // it is followed by how the rows are found
			continue
		}
		table := partitionNumber.ReplaceAllString(strings.Fields(on)[0], "")
		by := growing[table]
		sought := i+1 < len(plan) && strings.Contains(plan[i+1][0].(string), "Cond: ") && strings.Contains(plan[i+1][0].(string), "("+by+" ")
		if by != "" && !sought {
			list = append(list, table)
		}
	}
	return list
}

// An account's rows cover all days, as a whole and page by page.
func TestAnAccountOnManyDays(t *testing.T) {
	const first, count = 70_000, 24
	var entries []*ledger.Entry
	for h := uint64(first); h < first+count; h++ {
		m := makeBlock(h, hashOf(h, 0), hashOf(h-1, 0), "7").at(1_700_000_000_000 + (h-first)*40_000_000)
		entries = append(entries, m.event("balances", "Deposit", fmt.Sprintf(`["%v","%d"]`, mover, h)).entry(t))
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, entries)
		for limit := range count + 2 {
			q := in(chain.Heights{First: first + 2, Last: first + count}, mover)
			q.Limit = limit
			next := uint64(first + 2)
			for pages := 0; pages < count; pages++ {
				before := next
				require.NoError(t, each(book.Movements(ctx, q), func(m *ledger.Movement) error {
					require.Equal(t, next, m.Height)
					next++
					q.After = chain.Some(ledger.Place{Height: m.Height, Row: m.Position})
					return nil
				}))
				if next == before || limit == 0 {
					break
				}
				require.LessOrEqual(t, next-before, uint64(limit))
			}
			require.EqualValues(t, first+count, next, "pages of %d", limit)
		}
	})
}
