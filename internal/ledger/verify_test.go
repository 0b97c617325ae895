package ledger_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// ofBlocks are the tables with rows of blocks. All others of the catalogue but
// book, book_layout and rejudgements are totals.
var ofBlocks = []string{"blocks", "transactions", "movements", "unclassified", "transfers", "diagnoses", "findings", "unanswered"}

var notVerified = []string{"book_layout", "rejudgements", "removal", "unsealed"}

// tampered is a book of which one table is changed and put back.
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
	entries := full(t, recording2100())[20:] // not more, for it is verified once for each change
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, recording2100().id, entries)
		verified(t, book)
		db := openSQL(t, place)
		tables := db.names(t, "table")
		require.Subset(t, tables, append(append([]string{"book", "days"}, ofBlocks...), notVerified...))
		for _, table := range tables {
			if slices.Contains(notVerified, table) || table == "words" { // an altered word alters the rows that have it: TestAlteredWords
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
	if x.table != "proved" { // blocks that are not in it are recorded: nothing tells that they were proved
		t.Run("a row less", func(t *testing.T) {
			r := x.rows[len(x.rows)/2]
			x.deleteRow(t, r)
			x.found(t, r)
		})
	}
	if x.table == "book" { // it has one row, which the layout sees to
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
	if x.table == "proved" || x.table == "hash_blocks" { // whose rows are nothing but a key
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
	if slices.Contains(ofBlocks, x.table) && x.columns[i].name == "height" {
		x.found(t, before)
	} else {
		x.found(t, after)
	}
}

// found wants a damage that names the table and, of a block's row, the block; then
// it puts the table back.
func (x *tampered) found(t *testing.T, r []any) {
	list := damages(t, x.book)
	if slices.Contains(ofBlocks, x.table) {
		height := uint64(r[0].(int64))
		require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool { return d.Height == chain.Some(height) }), "block %d: %v", height, list)
	} else if strings.HasSuffix(x.table, "_blocks") {
		require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool { return d.Table == x.table }), "%v", list)
	} else {
		require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool {
			return d.Table == x.table && !d.Height.Known() && strings.Contains(d.String(), "table "+x.table+": ")
		}), "%v", list)
	}
	x.do(t, "DELETE FROM "+x.table)
	x.do(t, "INSERT INTO "+x.table+" SELECT * FROM kept")
}

func (x *tampered) deleteRow(t *testing.T, r []any) {
	var where []string
	var key []any
	for i, c := range x.columns {
		if c.key {
			key = append(key, r[i])
			where = append(where, fmt.Sprintf("%s = ?%d", c.name, len(key)))
		}
	}
	x.do(t, "DELETE FROM "+x.table+" WHERE "+strings.Join(where, " AND "), key...)
}

func (x *tampered) insertRow(t *testing.T, r []any) {
	var places []string
	for i := range r {
		places = append(places, fmt.Sprint("?", i+1))
	}
	x.do(t, "INSERT INTO "+x.table+" VALUES ("+strings.Join(places, ", ")+")", r...)
}

// values are those outside of the key.
func (x *tampered) values(r []any) string {
	var out bytes.Buffer
	for i, c := range x.columns {
		if !c.key {
			fmt.Fprintf(&out, "%v ", r[i])
		}
	}
	return out.String()
}

// other is another value for a column.
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
			for _, table := range ofBlocks {
				db.do(t, "DELETE FROM "+table+" WHERE height = ?1", height)
			}
			require.Contains(t, damages(t, book), ledger.Damage{Height: chain.Some(uint64(height)), Table: "blocks", Message: message})
		}
	})
}

func TestWhatIsNotAValueIsFound(t *testing.T) {
	entries := full(t, recording2100())
	for _, test := range []struct{ query, table, message string }{
		{"UPDATE transactions SET fee = 'much' WHERE height = 28", "transactions", "altered"},
		{"UPDATE blocks SET certain = 7 WHERE height = 28", "blocks", "certain: not what"},
		{"UPDATE blocks SET parent_hash = x'00' WHERE height = 28", "blocks", "its parent is 0x00"},
		{"UPDATE blocks SET leaves = x'00' WHERE height = 28", "blocks", "its leaves"},
		{"UPDATE blocks SET final = 0 WHERE height = 28", "blocks", "not final"},
		{"UPDATE account_months SET fee = 'much'", "account_months", "much"},
		{"UPDATE account_days SET fee = 'much'", "account_days", "much"},
		{"UPDATE account_months SET evm = -1", "account_months", "evm is -1"},
		{"UPDATE seals SET seal = x'00'", "seals", "altered"},
		{"UPDATE seals SET unit = 'year' WHERE unit = 'month'", "seals", "of no day and no month"},
		{"UPDATE book SET genesis = x'00'", "book", "column genesis"},
		{"UPDATE book SET sealed = -1", "book", "altered"},
		{"DELETE FROM book", "book", "missing"},
		{"INSERT INTO findings VALUES (99, 0, 'x', NULL, 'x')", "findings", "belong to no block of the ledger, the first of them at the height 99"},
		{"UPDATE blocks SET height = 4611686018427387904 WHERE height = 29", "blocks", "altered"},
	} {
		t.Run(test.query, func(t *testing.T) {
			place := newFile(t)
			book := written(t, place, recording2100().id, entries)
			db := openSQL(t, place)
			db.do(t, test.query)
			list := damages(t, book)
			require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool {
				return d.Table == test.table && strings.Contains(d.Message, test.message)
			}), "%v", list)
		})
	}
}

// What is above the sealed blocks or below them has digests too.
func TestDamageOutsideOfTheSealedBlocks(t *testing.T) {
	entries := madeUp(10, 20)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 10))
		verified(t, book)
		require.NoError(t, book.Write(ctx, entries[:10]))
		sealAll(t, book)
		require.NoError(t, book.Write(ctx, entries[12:]))
		verified(t, book)
		db := openSQL(t, place)
		db.do(t, "UPDATE movements SET event_index = 9 WHERE height = 25")
		db.do(t, "UPDATE blocks SET height = 3 WHERE height = 10")
		db.do(t, "DELETE FROM blocks WHERE height = 29")
		list := damages(t, book)
		var places []string
		for _, d := range list {
			height, _ := d.Height.Get()
			places = append(places, fmt.Sprint(height, " ", d.Table, " ", d.Message[:min(len(d.Message), 20)]))
		}
		for _, want := range []string{
			"3 blocks rows of this block w", "10 blocks missing, up to block",
			"10 transactions 1 rows belong to no ", "25 movements rows of this block w", "0 transactions 1 rows belong to no ",
		} {
			require.Contains(t, places, want)
		}
		require.NotContains(t, places, "4 blocks missing, up to block")
	})
}

// A book of several days, whose totals are compared when a day is done.
func TestVerifyOfManyDays(t *testing.T) {
	var entries []*ledger.Entry
	parent := chain.Hash{}
	for h := range uint64(600) {
		m := makeBlock(h, hashOf(h, 0), parent, "1000")
		m.at(h * 1_200_000) // every twenty minutes: eight days and a bit
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
			"UPDATE account_days SET evm_failed = evm_failed + 1 WHERE day = 2":                                       "account_days",
			"UPDATE account_days SET outcome_unknown = outcome_unknown + 1 WHERE day = 7":                             "account_days",
			"DELETE FROM contract_days WHERE day = 1":                                                                 "contract_days",
			"UPDATE days SET blocks = -1 WHERE day = 1":                                                               "days",
			"UPDATE days SET day = 99 WHERE day = 1":                                                                  "days",
			"UPDATE account_days SET day = 99 WHERE day = 1":                                                          "account_days",
			"DELETE FROM account_months":                                                                              "account_months",
			"DELETE FROM contract_months":                                                                             "contract_months",
			"UPDATE contract_months SET gas = gas + 1":                                                                "contract_months",
			"UPDATE contract_months SET call = 'other'":                                                               "contract_months",
			"UPDATE seals SET totals = NULL":                                                                          "seals",
			"UPDATE account_days SET fee = '" + largestWei + "'":                                                      "account_days",
			"DELETE FROM quarter_hours WHERE quarter_hour = 100":                                                      "quarter_hours",
			"DELETE FROM account_days WHERE account IN (SELECT account FROM account_months ORDER BY account LIMIT 1)": "account_days",
		} {
			changed := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(query, "DELETE FROM "), "UPDATE "))[0]
			db.do(t, "CREATE TABLE kept AS SELECT * FROM "+changed)
			db.do(t, query)
			require.True(t, slices.ContainsFunc(damages(t, book), func(d ledger.Damage) bool { return d.Table == table }), query)
			db.do(t, "DELETE FROM "+changed)
			db.do(t, "INSERT INTO "+changed+" SELECT * FROM kept")
			db.do(t, "DROP TABLE kept")
		}
		verified(t, book)
	})
}
