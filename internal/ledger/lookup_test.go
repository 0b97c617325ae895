package ledger_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// receiver is sent tokens by the made-up months.
var receiver = chain.Address{19: 0xcc}

// byAccount are the questions for an account's rows.
func byAccount(span chain.Heights) map[string]func(b *ledger.Book, count *int) error {
	payer := chain.Address{19: 1}
	return map[string]func(b *ledger.Book, count *int) error{
		"transactions": func(b *ledger.Book, count *int) error {
			return each(b.Transactions(ctx, in(span, payer)), func(*ledger.Transaction) error { *count++; return nil })
		},
		"costs": func(b *ledger.Book, count *int) error {
			return each(b.Costs(ctx, in(span, payer)), func(*ledger.Cost) error { *count++; return nil })
		},
		"movements": func(b *ledger.Book, count *int) error {
			return each(b.Movements(ctx, in(span, mover)), func(*ledger.Movement) error { *count++; return nil })
		},
		"transfers of the sender": func(b *ledger.Book, count *int) error {
			return each(b.Transfers(ctx, in(span, mover)), func(*ledger.Transfer) error { *count++; return nil })
		},
		"transfers of the recipient": func(b *ledger.Book, count *int) error {
			return each(b.Transfers(ctx, in(span, receiver)), func(*ledger.Transfer) error { *count++; return nil })
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

// A look-up that has lost a row makes no figure smaller: what asks by it is refused, with the
// block, and a verification names it. So it does where a row is too many, which no question is
// misled by.
func TestALookupThatLostARow(t *testing.T) {
	const last, height = 24, 6
	entries := monthsOfBlocks(last+1, 36*time.Hour)
	bits := map[string]int{"transactions": 1, "costs": 1, "movements": 2, "transfers of the sender": 4, "transfers of the recipient": 4}
	accounts := map[string]chain.Address{"transactions": {19: 1}, "costs": {19: 1}, "movements": mover, "transfers of the sender": mover, "transfers of the recipient": receiver}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		require.NoError(t, written(t, place, madeUpChain, entries).Close())
		book, db := reader(t, place), openSQL(t, place)
		for name, ask := range byAccount(chain.Heights{Last: last}) {
			whole, have := 0, 0
			require.NoError(t, ask(book, &whole), name)
			require.Positive(t, whole, name)
			verified(t, book)
			account := accounts[name]
			lost := func(undo string, arguments ...any) {
				err := ask(book, new(int))
				require.ErrorIs(t, err, ledger.ErrDamaged, name)
				require.ErrorContains(t, err, fmt.Sprintf("block %d, table ", height))
				require.ErrorContains(t, err, "does not name it")
				list := damages(t, book)
				require.Len(t, list, 1)
				require.Equal(t, "account_blocks", list[0].Table)
				require.Equal(t, chain.Some(uint64(height)), list[0].Height)
				require.Contains(t, list[0].Message, fmt.Sprintf("%#x", account[:]))
				db.do(t, undo, arguments...)
			}
			// The row is there, and does not tell of these rows.
			db.do(t, fmt.Sprintf("UPDATE account_blocks SET tables = tables + 8 - %d WHERE height = ?1 AND account = ?2", bits[name]), height, account[:])
			err := ask(book, new(int))
			require.ErrorIs(t, err, ledger.ErrDamaged, name)
			db.do(t, fmt.Sprintf("UPDATE account_blocks SET tables = tables - 8 + %d WHERE height = ?1 AND account = ?2", bits[name]), height, account[:])
			verified(t, book)
			// It is not there.
			_, rows := db.table(t, "SELECT tables FROM account_blocks WHERE height = ?1 AND account = ?2", height, account[:])
			db.do(t, "DELETE FROM account_blocks WHERE height = ?1 AND account = ?2", height, account[:])
			lost("INSERT INTO account_blocks (era, account, height, tables) VALUES (0, ?1, ?2, ?3)", account[:], height, rows[0][0])
			verified(t, book)
			// One too many misleads nobody.
			nobody := chain.Address{19: 0xdd}
			db.do(t, "INSERT INTO account_blocks (era, account, height, tables) VALUES (0, ?1, ?2, 7)", nobody[:], height)
			require.NoError(t, ask(book, &have), name)
			require.Equal(t, whole, have)
			list := damages(t, book)
			require.Len(t, list, 1)
			require.Contains(t, list[0].Message, "it has no such rows")
			db.do(t, "DELETE FROM account_blocks WHERE account = ?1", nobody[:])
		}
	})
}

// A look-up by hash that has lost one is found by a verification, as one that has one too
// many, or one where no block is.
func TestAVerificationOfHashes(t *testing.T) {
	entries := monthsOfBlocks(20, 36*time.Hour)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, entries), openSQL(t, place)
		hash := hashIn(t, book, 7)
		require.Equal(t, []uint64{7}, byHash(t, book, hash))
		for _, x := range []struct{ change, says string }{
			{"DELETE FROM hash_blocks WHERE height = 7", "does not name it"},
			{"UPDATE hash_blocks SET hash = hash + 1 WHERE height = 7", "it has no such rows"},
			{"INSERT INTO hash_blocks (era, hash, height) VALUES (0, 5, 7)", "it has no such rows"},
			{"INSERT INTO hash_blocks (era, hash, height) VALUES (0, 5, 20)", "1 rows belong to no block that is looked up, the first of them at the height 20"},
			{"UPDATE hash_blocks SET era = 1 WHERE height = 7", "the first of them at the height 7"},
		} {
			db.do(t, "CREATE TABLE kept AS SELECT * FROM hash_blocks")
			db.do(t, x.change)
			list := damages(t, book)
			require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool {
				return strings.Contains(d.String(), x.says)
			}), "%s: %v", x.change, list)
			for _, back := range []string{"DELETE FROM hash_blocks", "INSERT INTO hash_blocks SELECT * FROM kept", "DROP TABLE kept"} {
				db.do(t, back)
			}
			verified(t, book)
			require.Equal(t, []uint64{7}, byHash(t, book, hash))
		}
	})
}

// hashIn is that of a block's.
func hashIn(t testing.TB, book *ledger.Book, height uint64) (hash chain.Hash) {
	t.Helper()
	require.NoError(t, at(book, height, 1, func(x *ledger.Transaction) error { hash = x.Hash; return nil }))
	require.NotZero(t, hash)
	return hash
}

// The look-ups are what the rows say by plain SQL, however they were made: while blocks are
// written, of what a writer left, or in a copy; also where a new era begins.
func TestLookupsFollowFromTheRows(t *testing.T) {
	const first, count = ledger.EraHeights - 12, 24
	both(t, func(t *testing.T, r *recording) {
		for name, entries := range map[string][]*ledger.Entry{r.name: full(t, r), "two eras": madeUp(first, count)} {
			id := r.id
			if name != r.name {
				id = madeUpChain
			}
			engines(t, func(t *testing.T, newPlace func() string) {
				place := newPlace()
				book, db := writer(t, place), openSQL(t, place)
				require.NoError(t, book.Begin(ctx, id, entries[0].Height()))
				require.NoError(t, book.Write(ctx, entries[:10]))
				sealAll(t, book)
				require.NoError(t, book.Write(ctx, entries[10:]))
				book.Forget()
				sealAll(t, book)
				follow(t, db)
				verified(t, book)
				for _, e := range entries {
					if db.texts(t, fmt.Sprintf("SELECT count(*) FROM transactions WHERE height = %d AND extrinsic = 1", e.Height()))[0][0] != "0" {
						require.Contains(t, byHash(t, book, hashIn(t, book, e.Height())), e.Height())
					}
				}
				copied := newFile(t)
				require.NoError(t, book.Backup(ctx, copied, quietly))
				follow(t, openSQL(t, copied))
			})
		}
	})
}

// follow wants the look-ups that follow from the rows.
func follow(t testing.TB, db database) {
	t.Helper()
	era := fmt.Sprint("height / ", ledger.EraHeights)
	want := db.texts(t, "SELECT "+era+`, account, height, sum(bit) FROM (
		SELECT DISTINCT payer AS account, height, 1 AS bit FROM transactions WHERE payer IS NOT NULL
		UNION ALL SELECT DISTINCT account, height, 2 FROM movements
		UNION ALL SELECT account, height, 4 FROM (SELECT sender AS account, height FROM transfers UNION SELECT recipient, height FROM transfers) AS parties
	) AS named GROUP BY account, height ORDER BY 1, 2, 3`)
	require.NotEmpty(t, want)
	require.Equal(t, want, db.texts(t, "SELECT era, account, height, tables FROM account_blocks ORDER BY 1, 2, 3"))
	_, rows := db.table(t, "SELECT height, hash, evm_hash FROM transactions")
	hashes := map[string]bool{}
	for _, r := range rows {
		for _, v := range r[1:] {
			if hash, ok := v.([]byte); ok && len(hash) > 0 {
				hashes[fmt.Sprint(r[0].(int64)/ledger.EraHeights, int64(binary.BigEndian.Uint64(hash)), r[0])] = true
			}
		}
	}
	have := map[string]bool{}
	for _, r := range db.texts(t, "SELECT era, hash, height FROM hash_blocks") {
		have[r[0]+" "+r[1]+" "+r[2]] = true
	}
	require.Equal(t, hashes, have)
}

// Two hashes that begin alike are two.
func TestHashesThatBeginAlike(t *testing.T) {
	one, other := makeBlock(0, hashOf(0, 0), chain.Hash{}, "1"), makeBlock(1, hashOf(1, 0), hashOf(0, 0), "2")
	first := one.Report.Transactions[0].Hash
	second := first
	second[31] ^= 1
	other.Report.Transactions[0].Hash = second
	other.Report.Transactions[0].EVMHash = chain.Some(chain.Hash(bytes.Repeat([]byte{0xff}, 32)))
	third := makeBlock(2, hashOf(2, 0), hashOf(1, 0), "3") // that nobody sealed
	third.Report.Transactions[0].Hash = first
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, []*ledger.Entry{one.entry(t), other.entry(t)})
		require.Equal(t, []uint64{0}, byHash(t, book, first))
		require.Equal(t, []uint64{1}, byHash(t, book, second))
		require.Equal(t, []uint64{1}, byHash(t, book, chain.Hash(bytes.Repeat([]byte{0xff}, 32))))
		require.Empty(t, byHash(t, book, chain.Hash{1}))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{third.entry(t)}))
		require.Equal(t, chain.Some(uint64(1)), statusOf(t, book).Sealed)
		require.Equal(t, []uint64{0, 2}, byHash(t, book, first), "what is not sealed is looked through")
		sealAll(t, book)
		require.Equal(t, []uint64{0, 2}, byHash(t, book, first))
	})
}

// growing are the tables that grow with the chain, and what they are asked by.
var growing = map[string]string{
	"blocks": "height", "transactions": "height", "movements": "height", "unclassified": "height", "transfers": "height", "diagnoses": "height", "findings": "height", "unanswered": "height",
	"account_blocks": "era", "hash_blocks": "era", "unsealed": "height", "rejudgements": "height",
	"quarter_hours": "quarter_hour", "days": "day", "contract_days": "day", "account_days": "day", "contract_months": "month", "account_months": "month", "months": "month", "seals": "unit",
}

// A question by account or hash looks at what it asks for: no plan of it goes over all of a
// table that grows with the chain.
func TestQuestionsByAccountAndHashDoNotScan(t *testing.T) {
	const last = 120
	entries := monthsOfBlocks(last+1, 7*time.Hour)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, entries), openSQL(t, place)
		db.SetMaxOpenConns(1)
		if db.postgres { // of so few blocks it would read all, whatever the indexes are
			db.do(t, "SET enable_seqscan = off")
			db.do(t, "ANALYZE")
		}
		asked := byAccount(chain.Heights{First: 10, Last: 60})
		asked["hash"] = func(b *ledger.Book, count *int) error {
			*count = len(byHash(t, b, hashIn(t, b, 20)))
			return nil
		}
		asked["pages"] = func(b *ledger.Book, count *int) error {
			q := in(chain.Heights{Last: 100}, mover, receiver)
			q.Limit = 3
			return each(b.Movements(ctx, q), func(*ledger.Movement) error { *count++; return nil })
		}
		for name, ask := range asked {
			found, looked := 0, false
			for _, q := range queriesOf(t, book, func(b *ledger.Book) (string, error) { return name, ask(b, &found) }) {
				looked = looked || strings.Contains(q.text, "account_blocks") || strings.Contains(q.text, "hash_blocks")
				require.Empty(t, db.scanned(t, q.text, q.arguments), "%s: %s", name, q.text)
			}
			require.True(t, looked, name)
			require.Positive(t, found, name)
		}
		require.Equal(t, []string{"account_blocks"}, db.scanned(t, "SELECT height FROM account_blocks WHERE height = 3", nil), "which is how a scan looks")
		require.Equal(t, []string{"movements"}, db.scanned(t, "SELECT height FROM movements WHERE account = ?", []any{mover[:]}))
	})
}

var partitionNumber = regexp.MustCompile(`_[0-9]+$`)

// scanned are the tables that a query's plan goes over as a whole.
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
		if !read || strings.Contains(line, "Bitmap Index Scan") || strings.Contains(line, "Delete on") { // what finds its rows follows
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

// An account's rows are those of all eras, whole and page by page.
func TestAnAccountInTwoEras(t *testing.T) {
	const first, count = ledger.EraHeights - 12, 24
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
