package ledger_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// readings read all rows of a ledger, one kind each, and return their number.
func readings(book *ledger.Book, account chain.Address) map[string]func() (rows int, err error) {
	everything := chain.Heights{Last: 1_000}
	return map[string]func() (int, error){
		"blocks":       func() (int, error) { return countOf(book.Blocks(ctx, in(everything))) },
		"transactions": func() (int, error) { return countOf(book.Transactions(ctx, in(everything))) },
		"movements":    func() (int, error) { return countOf(book.Movements(ctx, in(everything, account))) },
		"transfers":    func() (int, error) { return countOf(book.Transfers(ctx, in(everything, account))) },
		"findings":     func() (int, error) { return countOf(book.Findings(ctx, in(everything))) },
		"unclassified": func() (int, error) { return countOf(book.Unclassified(ctx, in(everything))) },
	}
}

// everyTable is a block with a row in every table, and an account with a movement and a transfer.
func everyTable(t *testing.T) (e *ledger.Entry, account chain.Address) {
	account = chain.Address20([20]byte{19: 0xaa})
	m := makeBlock(3, hashOf(3, 0), hashOf(2, 0), "7").event("balances", "Minced", `["a"]`)
	m.event("balances", "Transfer", `["`+account.String()+`","0x00000000000000000000000000000000000000bb","7"]`)
	m.Findings = []evidence.Finding{{Check: "made-up", Block: 3, Extrinsic: chain.Some(1), Message: "nothing"}}
	m.Report.Transactions[0].Transfers = []evm.Transfer{{Token: chain.Address20([20]byte{1}), From: account, To: chain.Address20([20]byte{2}), Amount: tokens(t, "5")}}
	return m.entry(t), account
}

// record returns a block's record.
func (d database) record(t testing.TB, height uint64) []byte {
	t.Helper()
	_, rows := d.table(t, "SELECT record FROM blocks WHERE height = ?1", int64(height))
	return rows[0][0].([]byte)
}

// putRecord replaces a block's record and recomputes its sum.
func (d database) putRecord(t *testing.T, height uint64, record []byte) {
	t.Helper()
	d.do(t, "UPDATE blocks SET record = ?1 WHERE height = ?2", record, int64(height))
	d.resum(t, height)
}

// literal formats bytes, X'00', for the engine.
func (d database) literal(text string) string {
	if digits, ok := strings.CutPrefix(text, "X'"); ok && d.postgres {
		return `'\x` + digits + "::bytea"
	}
	return text
}

// altered runs a function while rows of a table are altered by a statement.
func (d database) altered(t *testing.T, table, statement string, do func()) {
	t.Helper()
	d.do(t, "CREATE TABLE kept AS SELECT * FROM "+table)
	d.do(t, statement)
	do()
	d.do(t, "DELETE FROM "+table)
	d.do(t, "INSERT INTO "+table+" SELECT * FROM kept")
	d.do(t, "DROP TABLE kept")
}

// A column with an invalid value is damage that names the block: nothing is read from its row, even if its sum matches.
func TestAColumnThatHoldsSomethingElse(t *testing.T) {
	entry, account := everyTable(t)
	wrong := map[string][]string{
		"time_ms": {"-7"},
		"flags":   {"-7"},
		"record":  {"X''", "X'010203'", "X'02'", "substr(record, 1, 73)", "substr(record, 1, 100)"},
		"known":   {"'{'", "'7'", `'{"findings":7}'`, `'{"findings":[{"extrinsic":-7}]}'`, `'{"diagnoses":[{"extrinsic":4294967296}]}'`},
		"sum":     {"X''", "X'010203'"},
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, []*ledger.Entry{entry}), openSQL(t, place)
		for kind, read := range readings(book, account) {
			rows, err := read()
			require.NoError(t, err)
			require.Positive(t, rows, kind)
			refused := func(what string) {
				rows, err := read()
				require.ErrorIs(t, err, ledger.ErrDamaged, what)
				require.Regexp(t, `block 3, table blocks: |table blocks: \d blocks of 0..1000 have `, err, what)
				require.Zero(t, rows)
			}
			for column, values := range wrong {
				for _, value := range values {
					what := fmt.Sprintf("%s, where %s is %s", kind, column, value)
					db.altered(t, "blocks", "UPDATE blocks SET "+column+" = "+db.literal(value), func() {
						refused(what)
						if column != "sum" {
							db.resum(t, 3)
							refused(what + ", with its sum")
						}
					})
				}
			}
			again, err := read()
			require.NoError(t, err)
			require.Equal(t, rows, again)
		}
		verified(t, book)
	})
}

// handmade is the record of block 3 with one native transaction, built from the documentation: lists are the texts,
// accounts and amounts, and others are values that differ from the usual ones.
func handmade(head []byte, lists []byte, others map[string]uint64) []byte {
	out := slices.Concat(head[:73], lists)
	value := func(name string, usual uint64) {
		n, other := others[name]
		if !other {
			n = usual
		}
		out = binary.AppendUvarint(out, n)
	}
	value("time", 1_700_000_018_001)
	for _, name := range []string{"runtime", "rules", "certain", "base_fee_per_gas", "multiplier_at", "multiplier", "inherents"} {
		value(name, 0)
	}
	value("transactions", 1)
	value("extrinsic", 1)
	value("layer", 2) // native
	value("type", 0)
	value("call", 1)
	out = append(out, make([]byte, 32)...) // its hash
	for _, name := range []string{"evm_hash", "sender", "recipient", "payer", "nonce", "gas_price", "gas", "weight", "fee", "method", "priority_fee", "tip", "success",
		"outcome", "status", "error", "charged", "verdict", "drift", "burned", "treasury", "author", "movements", "transfers", "unclassified"} {
		value(name, 0)
	}
	return out
}

// A record with an invalid value is damage, even if the block's sum matches.
func TestARecordThatHoldsSomethingElse(t *testing.T) {
	entry := makeBlock(3, hashOf(3, 0), hashOf(2, 0), "7").entry(t)
	none := []byte{0, 0, 0}
	amounts := func(bytes ...byte) []byte { return append([]byte{0, 0, 1}, bytes...) }
	power := func(bit int) []byte { // of 2
		return amounts(append([]byte{byte(bit/8 + 1), 1}, make([]byte, bit/8)...)...)
	}
	is := func(name string, n uint64) map[string]uint64 { return map[string]uint64{name: n} }
	wrong := []struct {
		lists  []byte
		others map[string]uint64
	}{
		{none, is("time", 253402300800001)}, // the first millisecond of the year 10000
		{none, is("time", 1<<63+1)}, {none, is("runtime", 1<<32+1)}, {none, is("rules", 1_000)}, {none, is("certain", 2)}, {none, is("base_fee_per_gas", 1)},
		{none, is("multiplier_at", 1<<63+1)}, {power(128), is("multiplier", 1)}, {none, is("inherents", 1<<63)}, {none, is("transactions", 2)}, {none, is("transactions", 1<<63)},
		{none, is("extrinsic", 1<<31)}, {none, is("call", 1<<40)}, {none, is("evm_hash", 2)}, {none, is("evm_hash", 1)}, {none, is("sender", 1)}, {none, is("payer", 1<<40)},
		{power(64), is("nonce", 1)}, {power(64), is("gas", 1)}, {power(64), is("weight", 1)}, {power(128), is("fee", 1)}, {power(128), is("charged", 1)}, {power(128), is("drift", 2)},
		{none, is("drift", 2)}, {none, is("success", 3)}, {none, is("movements", 1)}, {none, is("transfers", 1<<63)}, {none, is("unclassified", 1)},
		{[]byte{1, 5, 'a', 0, 0}, nil}, {[]byte{1}, nil}, {[]byte{0, 200, 1, 0}, nil}, {[]byte{0, 1, 7, 0}, nil}, {amounts(33), nil}, {amounts(1<<7 | 17), nil},
		{amounts(append([]byte{1<<7 | 16}, bytes.Repeat([]byte{0xff}, 16)...)...), is("fee", 1)},
		{bytes.Repeat([]byte{0xff}, 11), nil},
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, []*ledger.Entry{entry}), openSQL(t, place)
		read := func() (found ledger.Transaction, err error) {
			err = each(book.Contents(ctx, chain.Heights{Last: 9}), func(c *ledger.Content) error { found = c.Transactions[0]; return nil })
			return found, err
		}
		whole := db.record(t, 3)
		for _, fits := range []map[string]uint64{nil, is("success", 2), is("drift", 1), is("extrinsic", 1<<31-1), is("runtime", 1<<32)} {
			db.putRecord(t, 3, handmade(whole, none, fits))
			x, err := read()
			require.NoError(t, err, fits)
			require.Equal(t, "evm", x.Call)
		}
		records := [][]byte{append(handmade(whole, none, nil), 0)} // one byte too many
		for _, x := range wrong {
			records = append(records, handmade(whole, x.lists, x.others))
		}
		for i, record := range records {
			db.putRecord(t, 3, record)
			_, err := read()
			require.ErrorIs(t, err, ledger.ErrDamaged, "%d: %x", i, record)
			require.ErrorContains(t, err, "block 3, table blocks: its record: ", "%d: %x", i, record)
			require.Contains(t, fmt.Sprint(damages(t, book)), "block 3, table blocks: its record: ", "%d: %x", i, record)
		}
	})
}

// If any byte of a sealed record changes and its sum is recomputed, the seal reveals it.
func TestEveryByteOfARecord(t *testing.T) {
	entry, account := everyTable(t)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, []*ledger.Entry{entry}), openSQL(t, place)
		read, whole, step := readings(book, account), db.record(t, 3), tier.Step(5)
		if db.postgres {
			step = 20
		}
		for i := 0; i < len(whole); i += step {
			record := bytes.Clone(whole)
			record[i] ^= 1 << (i % 8)
			db.putRecord(t, 3, record)
			for kind, read := range read {
				if _, err := read(); err != nil {
					require.ErrorIs(t, err, ledger.ErrDamaged, "%s, byte %d", kind, i)
				}
			}
			require.NotEmpty(t, damages(t, book), "byte %d", i)
		}
		db.putRecord(t, 3, whole)
		verified(t, book)
	})
}

// Queries of a single block report its damage too.
func TestABlockThatHoldsSomethingElse(t *testing.T) {
	day := ledger.Period{From: timeAt(t, "2023-11-14T00:00:00Z"), To: timeAt(t, "2023-11-14T22:13:40Z")}
	predecessor := func(b *ledger.Book) error { _, err := b.Predecessor(ctx, 2); return err }
	seal := func(b *ledger.Book) error {
		_, err := b.SealOf(ctx, day, chain.Heights{Last: 4})
		return err
	}
	status := func(b *ledger.Book) error { _, err := b.Status(ctx); return err }
	cover := func(b *ledger.Book) error { _, err := b.Cover(ctx, day); return err }
	const late = "253402300800000" // the first millisecond of the year 10000
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, madeUp(0, 5)), openSQL(t, place)
		for _, c := range []struct {
			column, value string
			height        uint64
			ask           func(*ledger.Book) error
		}{
			{"record", "X'010203'", 2, predecessor}, {"time_ms", "-1", 2, predecessor}, {"time_ms", late, 2, predecessor},
			{"record", "X'010203'", 2, seal}, {"time_ms", "-1", 2, seal}, {"time_ms", late, 2, seal},
			{"time_ms", "-1", 4, status}, {"time_ms", late, 4, status},
			{"time_ms", "-1", 0, cover}, {"time_ms", late, 0, cover}, {"time_ms", "-1", 4, cover}, {"time_ms", late, 4, cover},
		} {
			require.NoError(t, c.ask(book))
			db.altered(t, "blocks", fmt.Sprintf("UPDATE blocks SET %s = %s WHERE height = %d", c.column, db.literal(c.value), c.height), func() {
				for range 2 {
					err := c.ask(book)
					require.ErrorIs(t, err, ledger.ErrDamaged, "%v", c)
					require.ErrorContains(t, err, fmt.Sprintf("block %d, ", c.height), "%v", c)
					db.resum(t, c.height)
				}
			})
		}
		verified(t, book)
	})
}

// Blocks altered before sealing are not sealed, even if their sums match. The blocks before them are.
func TestBlocksThatCannotBeSealed(t *testing.T) {
	entries := madeUp(0, 6)
	const height = 4
	column := func(set string, resummed bool) func(*testing.T, database) {
		return func(t *testing.T, db database) {
			name, value, _ := strings.Cut(set, " = ")
			db.do(t, "UPDATE blocks SET "+name+" = "+db.literal(value)+" WHERE height = 4")
			if resummed {
				db.resum(t, height)
			}
		}
	}
	record := func(alter func(whole []byte) []byte) func(*testing.T, database) {
		return func(t *testing.T, db database) { db.putRecord(t, height, alter(db.record(t, height))) }
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		for message, alter := range map[string]func(*testing.T, database){
			"it was altered":                     column("sum = X'010203'", false),
			"it was altered: its sum":            column("time_ms = 7", false),
			"column time_ms":                     column("time_ms = -1", true),
			"column flags":                       column("flags = -8", true),
			"its record: ":                       column("known = '{'", true),
			"its record does not have version 1": column("record = X'010203'", true),
			"its record belongs to block 5":      column("record = (SELECT record FROM blocks WHERE height = 5)", true),
			"its record: not what was written":   record(func(whole []byte) []byte { return handmade(whole, []byte{0, 0, 0}, map[string]uint64{"certain": 2}) }),
			"the parent of block":                record(func(whole []byte) []byte { return slices.Concat(whole[:41], whole[9:41], whole[73:]) }),
			"its time or its flags differ":       column("time_ms = 7", true),
		} {
			place := newPlace()
			book := writer(t, place)
			require.NoError(t, book.Begin(ctx, madeUpChain, 0))
			require.NoError(t, book.Write(ctx, entries[:2]))
			require.NoError(t, book.Write(ctx, entries[3:]))
			alter(t, openSQL(t, place))
			require.NoError(t, book.Write(ctx, entries[2:3]))
			_, err := book.Seal(ctx)
			require.ErrorContains(t, err, "block 4", message)
			require.ErrorContains(t, err, message)
			sealed, err := book.Sealed(ctx)
			require.NoError(t, err)
			require.Equal(t, heights(0, 3), sealed, "what is below it is")
			require.NoError(t, book.Close())
		}
	})
}

// Queries report an altered stretch as damage; Verify also finds one with a recomputed digest.
func TestStretchesThatHoldSomethingElse(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		nextMonth := makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1").at(1_702_000_000_000)
		book := written(t, place, madeUpChain, append(madeUp(0, 5), nextMonth.entry(t)))
		db := openSQL(t, place)
		day := ledger.Period{From: timeAt(t, "2023-11-14T00:00:00Z"), To: timeAt(t, "2023-11-15T00:00:00Z")}
		totals := func(p ledger.Period, by ledger.TotalsBy) func() error {
			return func() error { _, _, err := totalled(book, p, by); return err }
		}
		asked := []struct {
			unit string
			ask  func() error
		}{
			{"day", totals(day, ledger.ByDay)}, {"day", totals(ever, ledger.ByQuarterHour)}, {"day", totals(day, ledger.ByAccount)}, {"day", totals(day, ledger.ByContract)},
			{"month", func() error { _, err := book.Status(ctx); return err }}, {"month", totals(ever, ledger.ByAccount)}, {"month", totals(ever, ledger.ByContract)},
		}
		for _, x := range asked {
			for _, set := range []string{
				"evm = -7", "native_failed = 7", "fee = '-7'", "tip = '340282366920938463463374607431768211456'", "author = '7'", "blocks = 7", "first = 1", "last = -1",
				"seal = X'010203'", "digest = X'010203'", "digest = seal", "leaves = NULL", "leaves = seal", "merged = 2", "rules = 'others'", "findings = 7", "number = number + 100",
			} {
				require.NoError(t, x.ask())
				column, value, _ := strings.Cut(set, " = ")
				db.altered(t, "stretches", "UPDATE stretches SET "+column+" = "+db.literal(value)+" WHERE unit = '"+x.unit+"'", func() {
					err := x.ask()
					require.ErrorIs(t, err, ledger.ErrDamaged, set)
					require.Regexp(t, "table stretches: the ("+x.unit+`|\d days or months of) \d{4}-\d\d`, err, set)
				})
			}
		}
		verified(t, book)
	})
}
