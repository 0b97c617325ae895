package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// ofBlocks are the tables with rows of blocks.
var ofBlocks = []string{"blocks", "transactions"}

// notVerified are the tables that no figure comes from: source only names a gateway in advice.
var notVerified = []string{"book_layout", "rejudgements", "source"}

// loseBlock deletes all rows of a block.
func (d database) loseBlock(t testing.TB, height uint64) {
	t.Helper()
	d.do(t, "DELETE FROM blocks WHERE height = ?1", int64(height))
	d.do(t, "DELETE FROM transactions WHERE id >= ?1 AND id < ?2", int64(height<<20), int64((height+1)<<20))
}

// resum recomputes a block's sum for its current row, as an attacker could.
func (d database) resum(t testing.TB, height uint64) {
	t.Helper()
	_, rows := d.table(t, "SELECT record, time_ms, flags, known FROM blocks WHERE height = ?1", int64(height))
	r := rows[0]
	ms, timed := r[1].(int64)
	if !timed {
		ms = -1
	}
	known, _ := r[3].(string)
	digest := sha256.Sum256(r[0].([]byte))
	text := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(digest[:], uint64(ms)), uint64(r[2].(int64)))
	sum := sha256.Sum256(append(text, known...))
	d.do(t, "UPDATE blocks SET sum = ?1 WHERE height = ?2", sum[:], int64(height))
}

// rewrite changes bytes of a block's record at an offset.
func (d database) rewrite(t testing.TB, height uint64, at int, bytes ...byte) {
	t.Helper()
	record := d.record(t, height)
	copy(record[at:], bytes)
	d.do(t, "UPDATE blocks SET record = ?1 WHERE height = ?2", record, int64(height))
}

// tampered is a ledger in which one table is changed and restored.
type tampered struct {
	database
	book    *ledger.Book
	table   string
	columns []column
	rows    [][]any
}

func TestEveryChangeOfTheDatabaseIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("each change of each table; cmd/fees alters some in TestLedgerDamaged")
	}
	entries := full(t, recording2100())[20:] // few blocks, because each change needs a verification
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, recording2100().id, entries)
		recordActs(t, book)
		verified(t, book)
		db := openSQL(t, place)
		tables := db.names(t, "table")
		require.Subset(t, tables, append(append([]string{"book", "stretches", "parts"}, ofBlocks...), notVerified...))
		for _, table := range tables {
			if slices.Contains(notVerified, table) {
				continue
			}
			x := tampered{database: db, book: reader(t, place), table: table, columns: db.columns(t, table)}
			_, x.rows = db.table(t, "SELECT * FROM "+table)
			require.NotEmpty(t, x.rows, table)
			t.Run(table, x.test)
		}
		verified(t, book)
	})
}

func (x *tampered) test(t *testing.T) {
	x.do(t, "CREATE TABLE kept AS SELECT * FROM "+x.table)
	defer x.do(t, "DROP TABLE kept")
	for i, c := range x.columns {
		for _, r := range []int{0, len(x.rows) - 1} {
			t.Run(fmt.Sprint(c.name, " of row ", r), func(t *testing.T) { x.alter(t, r, i) })
		}
	}
	if x.table != "proved" { // blocks outside it are recorded: nothing shows that they were proved
		t.Run("a row less", func(t *testing.T) {
			r := x.rows[len(x.rows)/2]
			x.deleteRow(t, r)
			x.found(t, r)
		})
	}
	if x.table == "book" { // the schema allows one row
		return
	}
	t.Run("a row more", func(t *testing.T) {
		r := slices.Clone(x.rows[len(x.rows)-1])
		for i, c := range slices.Backward(x.columns) {
			if c.key {
				r[i] = other(r[i], c)
				break
			}
		}
		x.insertRow(t, r)
		x.found(t, r)
	})
	if x.table == "proved" { // tables whose rows are only a key
		return
	}
	t.Run("two rows swapped", func(t *testing.T) {
		a := x.rows[0]
		i := slices.IndexFunc(x.rows, func(b []any) bool { return x.values(a) != x.values(b) })
		require.Positive(t, i, "rows that differ")
		b := x.rows[i]
		x.deleteRow(t, a)
		x.deleteRow(t, b)
		a, b = slices.Clone(a), slices.Clone(b)
		for i, c := range x.columns {
			if c.key {
				a[i], b[i] = b[i], a[i]
			}
		}
		x.insertRow(t, a)
		x.insertRow(t, b)
		x.found(t, a)
	})
	if x.table == "trail" { // nothing shows that lines at its end are missing
		return
	}
	t.Run("no rows", func(t *testing.T) {
		x.do(t, "DELETE FROM "+x.table)
		x.found(t, x.rows[0])
	})
}

// alter changes one value of one row.
func (x *tampered) alter(t *testing.T, number, i int) {
	before := x.rows[number]
	after := slices.Clone(before)
	after[i] = other(before[i], x.columns[i])
	if x.columns[i].name == "one" {
		_, err := x.Exec("UPDATE " + x.table + " SET one = 2")
		require.Error(t, err, "the layout takes one row")
		return
	}
	x.deleteRow(t, before)
	x.insertRow(t, after)
	if slices.Contains(ofBlocks, x.table) && x.columns[i].key {
		x.found(t, before)
	} else {
		x.found(t, after)
	}
}

// found requires damage that names the table and, for a block's row, the block; then it restores the table.
func (x *tampered) found(t *testing.T, r []any) {
	list := damages(t, x.book)
	if slices.Contains(ofBlocks, x.table) {
		height := uint64(r[0].(int64))
		if x.table == "transactions" {
			height >>= 20
		}
		require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool { return d.Height == chain.Some(height) }), "block %d: %v", height, list)
	} else {
		require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool {
			return d.Table == x.table && !d.Height.Known() && strings.Contains(d.String(), "table "+x.table+": ")
		}), "%v", list)
	}
	x.do(t, "DELETE FROM "+x.table)
	x.do(t, "INSERT INTO "+x.table+" SELECT * FROM kept")
}

func (x *tampered) deleteRow(t *testing.T, r []any) {
	statement, key := x.deletion(r)
	x.do(t, statement, key...)
}

func (x *tampered) insertRow(t *testing.T, r []any) { x.do(t, x.insertion(), r...) }

// deletion returns the statement that deletes a row, and its arguments.
func (x *tampered) deletion(r []any) (statement string, key []any) {
	var where []string
	for i, c := range x.columns {
		if c.key {
			key = append(key, r[i])
			where = append(where, fmt.Sprintf("%s = ?%d", c.name, len(key)))
		}
	}
	return "DELETE FROM " + x.table + " WHERE " + strings.Join(where, " AND "), key
}

// insertion returns the statement that inserts a row.
func (x *tampered) insertion() string {
	var places []string
	for i := range x.columns {
		places = append(places, fmt.Sprint("?", i+1))
	}
	return "INSERT INTO " + x.table + " VALUES (" + strings.Join(places, ", ") + ")"
}

// values are the columns outside the key.
func (x *tampered) values(r []any) string {
	var out bytes.Buffer
	for i, c := range x.columns {
		if !c.key {
			fmt.Fprintf(&out, "%v ", r[i])
		}
	}
	return out.String()
}

// other returns another value for a column.
func other(v any, c column) any {
	switch v := v.(type) {
	case int64:
		if c.name == "blocks" {
			return -v
		}
		return v + 1_000_000
	case string:
		if strings.HasSuffix(v, "1") {
			return v[:len(v)-1] + "2"
		}
		return v[:max(len(v)-1, 0)] + "1"
	case bool:
		return !v
	case []byte:
		if len(v) == 0 {
			return []byte{7}
		}
		v = bytes.Clone(v)
		v[len(v)-1] ^= 0x40
		return v
	}
	switch strings.ToLower(c.kind) { // it is null
	case "bytea", "blob":
		return []byte{1, 2, 3}
	case "boolean":
		return true
	case "text", "numeric":
		return "7"
	}
	return int64(1)
}

func TestABlockThatIsGoneIsFound(t *testing.T) {
	entries := full(t, recording2100())
	engines(t, func(t *testing.T, newPlace func() string) {
		for height, message := range map[int]string{0: "missing, up to block 0", 13: "missing, up to block 13", 29: "missing, up to block 29"} {
			place := newPlace()
			book := written(t, place, recording2100().id, entries)
			db := openSQL(t, place)
			db.loseBlock(t, uint64(height))
			require.Contains(t, damages(t, book), ledger.Damage{Height: chain.Some(uint64(height)), Table: "blocks", Message: message})
		}
	})
}

func TestWhatIsNotAValueIsFound(t *testing.T) {
	entries := full(t, recording2100())
	whole := newFile(t)
	require.NoError(t, written(t, whole, recording2100().id, entries).Close())
	for _, test := range []struct{ query, table, message string }{
		{"UPDATE transactions SET fee = 'much' WHERE id / 1048576 = 28", "transactions", "differ from its record"},
		{"UPDATE blocks SET flags = 7 WHERE height = 28", "blocks", "altered"},
		{"UPDATE blocks SET record = x'00' WHERE height = 28", "blocks", "its record does not have version 1"},
		{"UPDATE blocks SET record = (SELECT record FROM blocks WHERE height = 27) WHERE height = 28", "blocks", "its record belongs to block 27"},
		{"UPDATE blocks SET sum = x'00' WHERE height = 28", "blocks", "altered"},
		{"UPDATE blocks SET known = '{' WHERE height = 28", "blocks", "altered"},
		{"UPDATE blocks SET time_ms = -1 WHERE height = 28", "blocks", "time_ms"},
		{"UPDATE stretches SET fee = 'much' WHERE unit = 'month'", "stretches", "fee"},
		{"UPDATE stretches SET evm = -1 WHERE unit = 'day'", "stretches", "evm"},
		{"UPDATE stretches SET seal = x'00'", "stretches", "altered"},
		{"UPDATE stretches SET unit = 'year' WHERE unit = 'month'", "stretches", "rows belong to nothing"},
		{"UPDATE parts SET body = x'00'", "parts", "altered"},
		{"UPDATE parts SET kind = 9 WHERE kind = 2 AND part = 0", "parts", "missing"},
		{"UPDATE book SET genesis = x'00'", "book", "column genesis"},
		{"UPDATE book SET sealed = -1", "book", "altered"},
		{"DELETE FROM book", "book", "missing"},
		{"INSERT INTO transactions (id, layer, call, hash) VALUES (99 * 1048576, 'evm', 'x', x'00')", "transactions", "1 rows belong to nothing"},
		{"UPDATE blocks SET height = 4611686018427387904 WHERE height = 29", "blocks", "its record belongs to block 29"},
	} {
		t.Run(test.query, func(t *testing.T) {
			place := copied(t, whole)
			openSQL(t, place).do(t, test.query)
			list := damages(t, reader(t, place))
			require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool {
				return d.Table == test.table && strings.Contains(d.Message, test.message)
			}), "%v", list)
		})
	}
}

// A row with a recomputed sum contradicts other rows.
func TestRowsThatWereAlteredWithTheirSums(t *testing.T) {
	entries := madeUp(0, 9)
	engines(t, func(t *testing.T, newPlace func() string) {
		whole := newPlace()
		require.NoError(t, written(t, whole, madeUpChain, entries).Close())
		for message, alter := range map[string]func(db database){
			"its parent is 0xaaaaaaaa":                    func(db database) { db.rewrite(t, 5, 41, 0xaa, 0xaa, 0xaa, 0xaa) },
			"its parent is " + entries[5].Hash().String(): func(db database) { db.rewrite(t, 5, 9, 0xaa) },
			"its record: not what":                        func(db database) { db.rewrite(t, 5, 73, 0xff, 0xff, 0xff, 0xff, 0x7f) },
		} {
			place := copied(t, whole)
			db := openSQL(t, place)
			alter(db)
			db.resum(t, 5)
			var said []string
			for _, d := range damages(t, reader(t, place)) {
				said = append(said, d.String())
			}
			require.Contains(t, strings.Join(said, "\n"), message)
			require.NoError(t, db.Close())
		}
	})
}

// Blocks above and below the sealed ones have sums too.
func TestDamageOutsideOfTheSealedBlocks(t *testing.T) {
	entries := madeUp(10, 20)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 10))
		verified(t, book)
		require.NoError(t, book.Write(ctx, entries[:10]))
		require.NoError(t, book.Write(ctx, entries[12:]))
		verified(t, book)
		db := openSQL(t, place)
		db.rewrite(t, 25, 80, 0x55)
		db.do(t, "UPDATE blocks SET height = 3 WHERE height = 10")
		db.do(t, "DELETE FROM blocks WHERE height = 29")
		list := damages(t, book)
		var places []string
		for _, d := range list {
			height, _ := d.Height.Get()
			places = append(places, fmt.Sprint(height, " ", d.Table, " ", d.Message[:min(len(d.Message), 20)]))
		}
		for _, want := range []string{"3 blocks its record belongs t", "10 blocks missing, up to block", "25 blocks it was altered: its ", "0 transactions 2 rows belong to not"} {
			require.Contains(t, places, want)
		}
		require.NotContains(t, places, "4 blocks missing, up to block")
	})
}

// A ledger of several days, whose totals are compared at the end of each day.
func TestVerifyOfManyDays(t *testing.T) {
	var entries []*ledger.Entry
	parent := chain.Hash{}
	for h := range uint64(600) {
		m := makeBlock(h, hashOf(h, 0), parent, "1000")
		m.at(h * 1_200_000) // every twenty minutes: a little over eight days
		entries = append(entries, m.entry(t))
		parent = hashOf(h, 0)
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		require.EqualValues(t, 600, statusOf(t, book).Totals.Blocks)
		verified(t, book)
		db := openSQL(t, place)
		for query, table := range map[string]string{
			"UPDATE stretches SET evm_failed = evm_failed + 1 WHERE unit = 'day' AND number = 2":                           "stretches",
			"UPDATE stretches SET outcome_unknown = outcome_unknown + 1 WHERE unit = 'day' AND number = 7":                 "stretches",
			"UPDATE stretches SET gas = gas + 1 WHERE unit = 'month'":                                                      "stretches",
			"UPDATE stretches SET blocks = -1 WHERE unit = 'day' AND number = 1":                                           "stretches",
			"UPDATE stretches SET number = 99 WHERE unit = 'day' AND number = 1":                                           "stretches",
			"DELETE FROM stretches WHERE unit = 'day' AND number = 8":                                                      "stretches",
			"DELETE FROM stretches WHERE unit = 'month'":                                                                   "stretches",
			"UPDATE stretches SET leaves = NULL WHERE number = 3":                                                          "stretches",
			"DELETE FROM parts WHERE number = 1 AND kind = 0":                                                              "parts",
			"DELETE FROM parts WHERE number = 4":                                                                           "parts",
			"UPDATE parts SET part = 64 WHERE number = 1 AND kind = 4 AND part = 63":                                       "parts",
			"UPDATE parts SET number = 99 WHERE number = 1":                                                                "parts",
			"UPDATE parts SET body = (SELECT body FROM parts WHERE number = 2 AND kind = 0) WHERE number = 1 AND kind = 0": "parts",
			"INSERT INTO parts SELECT unit, number, 7, part, body FROM parts WHERE number = 2 AND kind = 0":                "parts",
		} {
			db.altered(t, table, query, func() {
				require.True(t, slices.ContainsFunc(damages(t, book), func(d ledger.Damage) bool { return d.Table == table }), query)
			})
		}
		verified(t, book)
	})
}
