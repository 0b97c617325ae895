package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// blockOfCalls has a transaction for each call.
func blockOfCalls(t testing.TB, height uint64, calls ...string) *ledger.Entry {
	m := makeBlock(height, hashOf(height, 0), hashOf(height-1, 0), "7").event("balances", "Deposit", `["0x00000000000000000000000000000000000000aa","1"]`)
	first := *m.Report.Transactions[0].Transaction
	m.Report.Transactions = nil
	for i, call := range calls {
		x := first
		x.Index, x.Call = i+1, call
		m.Report.Transactions = append(m.Report.Transactions, evidence.Transaction{Transaction: &x})
	}
	return m.entry(t)
}

// callsOf returns the calls of a ledger's transactions.
func callsOf(book *ledger.Book) (list []string, err error) {
	err = each(book.Transactions(ctx, in(chain.Heights{Last: 1 << 40})), func(x *ledger.Transaction) error {
		list = append(list, x.Call)
		return nil
	})
	return list, err
}

// Every text is in its record and in the row for SQL: usual ones, ones that look like a word's number, and many unknown
// ones.
func TestTextsThatAreNoWords(t *testing.T) {
	calls := []string{strings.Repeat("x", 65), "7", "", "-1", "evm"}
	for i := range 5_000 {
		calls = append(calls, fmt.Sprint("hostile.call", i))
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, []*ledger.Entry{blockOfCalls(t, 1, calls...), blockOfCalls(t, 2, calls...)})
		verified(t, book)
		have, err := callsOf(reader(t, place))
		require.NoError(t, err)
		require.Equal(t, slices.Concat(calls, calls), have)
		require.Equal(t, [][]string{{"5005", "2"}}, openSQL(t, place).texts(t, "SELECT count(DISTINCT call), min(n) FROM (SELECT call, count(*) AS n FROM book_transactions GROUP BY call) AS x"))
	})
}

// An altered word changes what SQL shows, but no query's answer; a verification finds it, and also an altered row for SQL.
func TestAlteredWords(t *testing.T) {
	entries := []*ledger.Entry{blockOfCalls(t, 1, "a.b", "ethereum.transact"), blockOfCalls(t, 2, "a.b")}
	for _, alter := range []string{
		"UPDATE words SET word = 'a.c' WHERE word = 'evm'", "DELETE FROM words WHERE word = 'evm'", "DELETE FROM words", "UPDATE words SET number = number + 1000",
		"INSERT INTO words VALUES (5000, 'x')", "DROP TABLE words",
	} {
		place := newFile(t)
		book := written(t, place, madeUpChain, entries)
		openSQL(t, place).do(t, alter)
		require.Contains(t, fmt.Sprint(damages(t, book)), "words", alter)
		have, err := callsOf(reader(t, place))
		require.NoError(t, err)
		require.Equal(t, []string{"a.b", "ethereum.transact", "a.b"}, have)
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, entries), openSQL(t, place)
		number := map[bool]string{false: "6", true: "'evm'"}[db.postgres]
		for _, alter := range []string{
			"UPDATE transactions SET call = " + number + " WHERE id = 1048577", "UPDATE transactions SET call = '4096' WHERE id = 1048577", "UPDATE transactions SET call = '-1' WHERE id = 1048577",
			"UPDATE transactions SET fee = 8 WHERE id = 1048577", "UPDATE transactions SET payer = sender WHERE id = 1048577", "UPDATE transactions SET success = NULL WHERE id = 1048577",
			"UPDATE transactions SET hash = sender WHERE id = 1048577", "UPDATE transactions SET id = 1048579 WHERE id = 1048577", "DELETE FROM transactions WHERE id = 1048577", "UPDATE transactions SET verdict = 'match' WHERE id = 1048577",
		} {
			db.altered(t, "transactions", alter, func() {
				require.Contains(t, damages(t, book), ledger.Damage{Height: chain.Some(uint64(1)), Table: "transactions", Message: "the rows of this block differ from its record"}, alter)
				have, err := callsOf(book)
				require.NoError(t, err)
				require.Equal(t, []string{"a.b", "ethereum.transact", "a.b"}, have)
			})
		}
		verified(t, book)
	})
}
