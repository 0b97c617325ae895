package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
)

// blockOfCalls has a transaction of each call.
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

// callsOf are the calls of a book's transactions.
func callsOf(book *ledger.Book) (list []string, err error) {
	err = each(book.Transactions(ctx, in(chain.Heights{Last: 1 << 40})), func(x *ledger.Transaction) error {
		list = append(list, x.Call)
		return nil
	})
	return list, err
}

// A file has so many words and no more, none of them long: every other text stands in its row.
func TestTextsThatAreNoWords(t *testing.T) {
	calls := []string{strings.Repeat("x", 65), "7", "", "-1"}
	for i := range 5_000 {
		calls = append(calls, fmt.Sprint("hostile.call", i))
	}
	place := newFile(t)
	book := written(t, place, madeUpChain, []*ledger.Entry{blockOfCalls(t, 1, calls...), blockOfCalls(t, 2, calls...)})
	verified(t, book)
	have, err := callsOf(reader(t, place))
	require.NoError(t, err)
	require.Equal(t, slices.Concat(calls, calls), have)

	db := openSQL(t, place)
	require.Equal(t, [][]string{{"4096", "0", "4095", "1"}}, db.texts(t, "SELECT count(*), min(number), max(number), max(length(word)) <= 64 FROM words"))
	require.Equal(t, [][]string{{"5004", "2"}}, db.texts(t, "SELECT count(DISTINCT call), min(n) FROM (SELECT call, count(*) AS n FROM book_transactions GROUP BY call)"))
}

// Who has a file open sees the words that its writer adds, and those that it has not kept are
// no one's.
func TestWordsOfAWriter(t *testing.T) {
	place := newFile(t)
	book := written(t, place, madeUpChain, []*ledger.Entry{blockOfCalls(t, 1, "a.b")})
	other := reader(t, place)
	have, err := callsOf(other)
	require.NoError(t, err)
	require.Equal(t, []string{"a.b"}, have)

	db := openSQL(t, place)
	db.do(t, "CREATE TRIGGER refused BEFORE INSERT ON movements BEGIN SELECT RAISE(ABORT, 'not now'); END")
	require.ErrorContains(t, book.Write(ctx, []*ledger.Entry{blockOfCalls(t, 2, "lost.one", "lost.two")}), "not now")
	db.do(t, "DROP TRIGGER refused")
	require.NoError(t, book.Write(ctx, []*ledger.Entry{blockOfCalls(t, 2, "c.d", "a.b", "e.f")}))
	sealAll(t, book)
	verified(t, book)
	verified(t, other)
	for _, b := range []*ledger.Book{book, other, reader(t, place)} {
		have, err := callsOf(b)
		require.NoError(t, err)
		require.Equal(t, []string{"a.b", "c.d", "a.b", "e.f"}, have)
	}
}

// An altered word alters the rows that have it: no question has another answer for that, and
// a verification finds them.
func TestAlteredWords(t *testing.T) {
	for _, alter := range []string{
		"UPDATE words SET word = 'a.c' WHERE word = 'a.b'", "DELETE FROM words WHERE word = 'a.b'", "DELETE FROM words",
		"UPDATE words SET number = number + 1000", "UPDATE transactions SET call = call + 1", "UPDATE transactions SET call = 4096",
		"UPDATE transactions SET call = -1", "UPDATE transactions SET call = 9223372036854775807", "DROP TABLE words",
	} {
		place := newFile(t)
		book := written(t, place, madeUpChain, []*ledger.Entry{blockOfCalls(t, 1, "a.b", "c.d")})
		openSQL(t, place).do(t, alter)
		require.NotEmpty(t, damages(t, book), alter)
		for _, b := range []*ledger.Book{book, reader(t, place)} {
			_, err := callsOf(b)
			require.ErrorIs(t, err, ledger.ErrDamaged, alter)
		}
	}
}

// The words that a change adds are its own until it is kept: whoever reads or verifies the book
// meanwhile takes no number from it.
func TestWordsWhileTheBookIsWritten(t *testing.T) {
	place := newFile(t)
	book := written(t, place, madeUpChain, []*ledger.Entry{blockOfCalls(t, 1, "a.b")})
	done := make(chan struct{})
	var found []ledger.Damage
	var verifying sync.WaitGroup
	verifying.Go(func() {
		for {
			if err := book.Verify(ctx, func(d ledger.Damage) { found = append(found, d) }, func(_, _ uint64) {}); err != nil {
				t.Error(err)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	calls := []string{"a.b"}
	for height := uint64(2); height < 250; {
		var batch []*ledger.Entry
		for range 8 {
			added := []string{fmt.Sprint("new.one", height), fmt.Sprint("new.two", height), "a.b"}
			batch = append(batch, blockOfCalls(t, height, added...))
			calls = append(calls, added...)
			height++
		}
		require.NoError(t, book.Write(ctx, batch))
		sealAll(t, book)
	}
	close(done)
	verifying.Wait()
	require.Empty(t, found)
	for _, b := range []*ledger.Book{book, reader(t, place)} {
		have, err := callsOf(b)
		require.NoError(t, err)
		require.Equal(t, calls, have)
	}
}
