package ledger_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// readings read all rows of a book, one kind after the other, and say how many there were.
func readings(book *ledger.Book, account chain.Address) map[string]func() (rows int, err error) {
	everything := chain.Heights{Last: 1_000}
	return map[string]func() (int, error){
		"blocks": func() (n int, err error) {
			err = each(book.Blocks(ctx, in(everything)), func(*ledger.Block) error { n++; return nil })
			return n, err
		},
		"transactions": func() (n int, err error) {
			err = each(book.Transactions(ctx, in(everything)), func(*ledger.Transaction) error { n++; return nil })
			return n, err
		},
		"movements": func() (n int, err error) {
			err = each(book.Movements(ctx, in(everything, account)), func(*ledger.Movement) error { n++; return nil })
			return n, err
		},
		"transfers": func() (n int, err error) {
			err = each(book.Transfers(ctx, in(everything, account)), func(*ledger.Transfer) error { n++; return nil })
			return n, err
		},
		"findings": func() (n int, err error) {
			err = each(book.Findings(ctx, in(everything)), func(*ledger.Finding) error { n++; return nil })
			return n, err
		},
		"unclassified": func() (n int, err error) {
			err = each(book.Unclassified(ctx, in(everything)), func(*ledger.Unclassified) error { n++; return nil })
			return n, err
		},
	}
}

// everyTable is a block with a row in every table, and an account that has a movement
// and a transfer.
func everyTable(t *testing.T) (e *ledger.Entry, account chain.Address) {
	account = chain.Address{19: 0xaa}
	m := makeBlock(3, hashOf(3, 0), hashOf(2, 0), "7").event("balances", "Minced", `["a"]`)
	m.event("balances", "Transfer", `["`+account.String()+`","0x00000000000000000000000000000000000000bb","7"]`)
	m.Findings = []evidence.Finding{{Check: "made-up", Block: 3, Extrinsic: chain.Some(1), Message: "nothing"}}
	m.Report.Transactions[0].Transfers = []evm.Transfer{{Token: chain.Address{1}, From: account, To: chain.Address{2}, Amount: tokens(t, "5")}}
	return m.entry(t), account
}

// A column that was altered to hold what it cannot hold is named: nothing is read from
// its row, neither another value nor none.
func TestAColumnThatHoldsSomethingElse(t *testing.T) {
	entry, account := everyTable(t)
	const (
		short   = `X'010203'`                                 // neither a hash nor an account
		empty   = `X''`                                       // likewise
		below   = `-7`                                        // neither a count, an index nor a time
		wide    = `4294967296`                                // 2^32
		late    = `253402300800000`                           // the first millisecond of the year 10000
		minus   = `'-7'`                                      // no amount
		largest = `'340282366920938463463374607431768211456'` // 2^128, more than an amount of wei
		lowest  = `'-340282366920938463463374607431768211456'`
	)
	tables := map[string]map[string][]string{ // with columns of each, and what they are made to hold
		"blocks": {
			"hash": {short, empty}, "parent_hash": {short}, "time_ms": {below, late}, "runtime": {below, wide}, "base_fee_per_gas": {minus},
			"evm": {below}, "native": {below}, "inherents": {below}, "undetermined": {below}, "fee": {minus, largest}, "evm_fee": {minus},
			"native_fee": {minus}, "charged": {minus, largest}, "burned": {minus}, "treasury": {minus}, "author": {minus},
		},
		"transactions": {
			"extrinsic": {below}, "hash": {short, empty}, "evm_hash": {short}, "sender": {short}, "recipient": {short}, "payer": {short, empty},
			"gas_price": {minus}, "gas": {minus}, "fee": {minus, largest}, "priority_fee": {minus}, "tip": {minus}, "charged": {minus},
			"drift": {lowest}, "burned": {minus}, "treasury": {minus}, "author": {minus},
		},
		"movements": {
			"position": {below}, "place": {below, wide}, "event_index": {below}, "counterparty": {short}, "amount": {minus, largest},
			"free": {lowest}, "reserved": {largest},
		},
		"transfers":    {"position": {below}, "extrinsic": {below}, "token": {short}, "recipient": {short}, "amount": {minus}},
		"findings":     {"extrinsic": {below, wide}},
		"unclassified": {"position": {below}, "place": {below, wide}, "event_index": {below}},
	}
	only := map[string]string{"movements": " WHERE position = 0"} // the account's
	flags := map[string][]string{"blocks": {"certain", "final"}, "transactions": {"success"}}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 3))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{entry}))
		db := openSQL(t, place)
		read := readings(book, account)
		require.Len(t, tables, len(read))
		for table, columns := range tables {
			rows, err := read[table]()
			require.NoError(t, err)
			require.Positive(t, rows, table)
			columns := maps.Clone(columns)
			for _, column := range flags[table] {
				if !db.postgres { // in which a boolean cannot be anything else
					columns[column] = []string{below, "2"}
				}
			}
			db.do(t, "CREATE TABLE kept AS SELECT * FROM "+table)
			for column, values := range columns {
				for _, value := range values {
					db.do(t, "UPDATE "+table+" SET "+column+" = "+db.literal(value)+only[table])
					rows, err := read[table]()
					require.ErrorIs(t, err, ledger.ErrDamaged, "%s.%s = %s", table, column, value)
					require.Regexp(t, `block \d+, table `+table+`: |table `+table+`: a height`, err, value)
					require.Zero(t, rows)
					db.leaf(t, entry.Height()) // by whoever altered it
					rows, err = read[table]()
					require.ErrorIs(t, err, ledger.ErrDamaged, "%s.%s = %s", table, column, value)
					require.ErrorContains(t, err, "column "+column)
					require.Zero(t, rows)
					db.do(t, "DELETE FROM "+table)
					db.do(t, "INSERT INTO "+table+" SELECT * FROM kept")
					db.leaf(t, entry.Height())
				}
			}
			db.do(t, "DROP TABLE kept")
			again, err := read[table]()
			require.NoError(t, err)
			require.Equal(t, rows, again)
		}
	})
}

// leaf gives a block the leaves of the rows that it has now.
func (d database) leaf(t *testing.T, height uint64) {
	t.Helper()
	_, block := d.table(t, "SELECT costs FROM blocks WHERE height = ?1", int64(height))
	leaves, _ := ledgertest.Leaves(t, ledgertest.Ask(t, d.DB), int64(height), block[0][0].([]byte))
	d.do(t, "UPDATE blocks SET leaves = ?1 WHERE height = ?2", leaves, int64(height))
}

// literal has bytes, X'00', as the engine writes them.
func (d database) literal(text string) string {
	if digits, ok := strings.CutPrefix(text, "X'"); ok && d.postgres {
		return `'\x` + digits + "::bytea"
	}
	return text
}

// What is asked of one block is damage too where that holds something else.
func TestABlockThatHoldsSomethingElse(t *testing.T) {
	day := ledger.Period{From: timeAt(t, "2023-11-14T00:00:00Z"), To: timeAt(t, "2023-11-15T00:00:00Z")}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, madeUp(0, 5))
		db := openSQL(t, place)
		for _, c := range []struct {
			column, value string
			height        int
			ask           func() error
			message       string
		}{
			{"hash", "X'010203'", 2, func() error { _, err := book.Predecessor(ctx, 2); return err }, "block 2, "},
			{"time_ms", "-1", 2, func() error { _, err := book.Predecessor(ctx, 2); return err }, "block 2, "},
			{"leaves", "X'010203'", 2, func() error { _, err := book.SealOf(ctx, heights(0, 4), chain.Heights{Last: 4}); return err }, "block 2, "},
			{"time_ms", "-1", 4, func() error { _, err := book.Status(ctx); return err }, "block 4, "},
			{"time_ms", "-1", 0, func() error { _, err := book.Cover(ctx, day); return err }, "block 0, "},
			{"time_ms", "-1", 4, func() error { _, err := book.Cover(ctx, day); return err }, "block 4, "},
		} {
			require.NoError(t, c.ask())
			db.do(t, "CREATE TABLE kept AS SELECT * FROM blocks")
			db.do(t, fmt.Sprintf("UPDATE blocks SET %s = %s WHERE height = %d", c.column, db.literal(c.value), c.height))
			err := c.ask()
			require.ErrorIs(t, err, ledger.ErrDamaged, "%v", c)
			require.ErrorContains(t, err, c.message)
			db.do(t, "DELETE FROM blocks")
			db.do(t, "INSERT INTO blocks SELECT * FROM kept")
			db.do(t, "DROP TABLE kept")
		}
		verified(t, book)
	})
}

// Blocks that were altered before they are sealed are not sealed.
func TestBlocksThatCannotBeSealed(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		for _, column := range []string{"hash", "parent_hash", "leaves"} {
			place := newPlace()
			book := writer(t, place)
			require.NoError(t, book.Begin(ctx, madeUpChain, 0))
			require.NoError(t, book.Write(ctx, madeUp(0, 4)))
			require.NoError(t, book.Close())
			db := openSQL(t, place)
			db.do(t, "UPDATE blocks SET "+column+" = "+db.literal("X'010203'")+" WHERE height = 2")
			book = writer(t, place)
			_, err := book.Seal(ctx)
			require.ErrorIs(t, err, ledger.ErrDamaged, column)
			require.ErrorContains(t, err, "block 2")
			require.Equal(t, chain.Some(uint64(1)), statusOf(t, book).Sealed, "what is below it is")
		}
	})
}

// Totals that are no sums are named, and nothing is made of them.
func TestTotalsThatHoldSomethingElse(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		nextMonth := makeBlock(5, hashOf(5, 0), hashOf(4, 0), "1").at(1_702_000_000_000)
		book := written(t, place, madeUpChain, append(madeUp(0, 5), nextMonth.entry(t)))
		db := openSQL(t, place)
		day := ledger.Period{From: timeAt(t, "2023-11-14T00:00:00Z"), To: timeAt(t, "2023-11-15T00:00:00Z")}
		totals := func(p ledger.Period, by ledger.TotalsBy) func() error {
			return func() error { _, _, err := totalled(book, p, by); return err }
		}
		for table, ask := range map[string]func() error{
			"days":            totals(day, ledger.ByDay),
			"months":          func() error { _, err := book.Status(ctx); return err },
			"quarter_hours":   totals(ever, ledger.ByQuarterHour),
			"account_days":    totals(day, ledger.ByAccount),
			"contract_days":   totals(day, ledger.ByContract),
			"account_months":  totals(ever, ledger.ByAccount),
			"contract_months": totals(ever, ledger.ByContract),
		} {
			for _, column := range []string{"evm", "native_failed", "fee", "tip", "author"} {
				require.NoError(t, ask())
				db.do(t, "CREATE TABLE kept AS SELECT * FROM "+table)
				db.do(t, "UPDATE "+table+" SET "+column+" = '-7'") // also where they are of the day that still grows, and are not read
				err := ask()
				require.ErrorIs(t, err, ledger.ErrDamaged, "%s.%s", table, column)
				require.ErrorContains(t, err, "table "+table+": the totals of 2023-11")
				db.do(t, "DELETE FROM "+table)
				db.do(t, "INSERT INTO "+table+" SELECT * FROM kept")
				db.do(t, "DROP TABLE kept")
			}
		}
		verified(t, book)
	})
}
