package ledger_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/ledger"
)

// rowAt is a row of a ledger as a text, with its place.
type rowAt struct {
	place ledger.Place
	text  string
}

// rowsAt reads all rows of a query.
func rowsAt[T interface{ Place() ledger.Place }](rows iter.Seq2[T, error]) (list []rowAt, err error) {
	for x, err := range rows {
		if err != nil {
			return list, err
		}
		list = append(list, rowAt{x.Place(), fmt.Sprintf("%+v", x)})
	}
	return list, nil
}

// pagedRows are queries that support paging.
var pagedRows = map[string]struct {
	accounts []chain.Address
	read     func(*ledger.Book, ledger.Query) ([]rowAt, error)
}{
	"blocks":                   {nil, func(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.Blocks(ctx, q)) }},
	"transactions":             {nil, transactionsAt},
	"payments":                 {[]chain.Address{chain.Address20([20]byte{19: 1})}, transactionsAt},
	"payments of two accounts": {[]chain.Address{chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2})}, transactionsAt},
	"payments of many":         {many(chain.Address20([20]byte{19: 3})), transactionsAt},
	"without payer":            {nil, func(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.WithoutPayer(ctx, q)) }},
	"unmatched":                {nil, func(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.Unmatched(ctx, q)) }},
	"movements":                {nil, movementsAt},
	"movements of an account":  {[]chain.Address{mover}, movementsAt},
	"transfers":                {nil, transfersAt},
	"transfers of an account":  {[]chain.Address{mover}, transfersAt},
	"findings":                 {nil, func(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.Findings(ctx, q)) }},
	"unclassified":             {nil, func(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.Unclassified(ctx, q)) }},
}

func transactionsAt(b *ledger.Book, q ledger.Query) ([]rowAt, error) {
	return rowsAt(b.Transactions(ctx, q))
}
func movementsAt(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.Movements(ctx, q)) }
func transfersAt(b *ledger.Book, q ledger.Query) ([]rowAt, error) { return rowsAt(b.Transfers(ctx, q)) }

// many are more accounts than an index search accepts; one of them has rows.
func many(account chain.Address) []chain.Address {
	list := []chain.Address{account}
	for i := range 200 {
		list = append(list, chain.Address20([20]byte{0xff, byte(i)}))
	}
	return list
}

// pagedBook contains blocks with a few rows of each table. The last ones belong to a day that still grows, and the very
// last is not final. One block's time goes backwards over midnight.
func pagedBook(t *testing.T, place string, count uint64) (book *ledger.Book, last uint64) {
	entries := monthsOfBlocks(count, 7*time.Hour)
	last = uint64(len(entries))
	begin := time.Date(2023, 11, 24, 22, 0, 0, 0, time.UTC)
	for i := range 6 {
		hours := 7 * time.Hour * time.Duration(last)
		if i == 2 {
			hours -= 30 * time.Hour
		}
		m := makeBlock(last, hashOf(last, 0), hashOf(last-1, 0), "5").at(uint64(begin.Add(hours).UnixMilli()))
		for n := range 3 {
			m.event("balances", "Deposit", fmt.Sprintf(`["%v","%d"]`, mover, n+1))
			m.event("balances", "Mystery", fmt.Sprintf(`["%d"]`, n))
			m.Report.Transactions[0].Transfers = append(m.Report.Transactions[0].Transfers,
				evm.Transfer{Token: chain.Address20([20]byte{9}), From: chain.Address20([20]byte{7}), To: mover, Amount: tokenAmount(fmt.Sprint(n))})
		}
		m.Block.Finalized, m.Report.Finalized = chain.Some(i < 5), chain.Some(i < 5)
		entries = append(entries, m.entry(t))
		last++
	}
	book = written(t, place, madeUpChain, entries)
	return book, last - 1
}

// A page is a part of the whole list for any span, place and limit, however few rows are read at once. All pages together
// contain each row once.
func TestPages(t *testing.T) {
	enginesInTurn(t, func(t *testing.T, newPlace func() string) {
		book, last := pagedBook(t, newPlace(), 60)
		everything := chain.Heights{Last: last}
		random := rand.New(rand.NewPCG(11, 6))
		whole := map[string][]rowAt{}
		for name, x := range pagedRows {
			list, err := x.read(book, in(everything, x.accounts...))
			require.NoError(t, err, name)
			require.Greater(t, len(list), 4, name)
			require.True(t, slices.IsSortedFunc(list, compareRows), name)
			whole[name] = list
		}
		times := 6
		if testing.Short() {
			times = 2
		}
		for _, rows := range []int{1, 3, 7, 50_000} {
			ledger.ReadAtOnce(t, rows)
			for name, x := range pagedRows {
				for range times {
					q := in(chain.Heights{First: random.Uint64N(last), Last: random.Uint64N(last + 2)}, x.accounts...)
					q.Limit = random.IntN(12)
					if random.IntN(3) > 0 {
						q.After = chain.Some(ledger.Place{Height: random.Uint64N(last), Row: random.IntN(4)})
					}
					have, err := x.read(book, q)
					require.NoError(t, err, "%s %+v", name, q)
					require.Equal(t, partOf(whole[name], q), have, "%s %+v", name, q)
				}
				var pages []rowAt
				for q := (ledger.Query{Accounts: x.accounts, Span: everything, Limit: 1 + random.IntN(9)}); ; {
					page, err := x.read(book, q)
					require.NoError(t, err, name)
					require.LessOrEqual(t, len(page), q.Limit, name)
					if len(page) == 0 {
						break
					}
					pages = append(pages, page...)
					q.After = chain.Some(page[len(page)-1].place)
				}
				require.Equal(t, whole[name], pages, "%s, %d rows at once", name, rows)
			}
		}
	})
}

func compareRows(a, b rowAt) int {
	if a.place.Height != b.place.Height {
		return int(a.place.Height) - int(b.place.Height)
	}
	return a.place.Row - b.place.Row
}

// partOf returns the rows of a list that match a query.
func partOf(list []rowAt, q ledger.Query) (part []rowAt) {
	for _, r := range list {
		after, ok := q.After.Get()
		if r.place.Height >= q.Span.First && r.place.Height <= q.Span.Last && (!ok || compareRows(rowAt{place: after}, r) < 0) && (q.Limit == 0 || len(part) < q.Limit) {
			part = append(part, r)
		}
	}
	return part
}

// Rows without an account cannot be filtered by account: the result would be all rows or none.
func TestRowsOfNoAccount(t *testing.T) {
	book := written(t, newFile(t), madeUpChain, madeUp(0, 3))
	for _, name := range []string{"blocks", "findings", "unclassified", "without payer"} {
		_, err := pagedRows[name].read(book, in(chain.Heights{Last: 2}, chain.Address{}))
		require.ErrorContains(t, err, "these rows cannot be filtered by account", name)
	}
}

// A page is checked like a whole list: if a day has another day's index, each page with rows of that day fails, but no
// page of other days does.
func TestAPageOfALookUpOfAnotherDay(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, monthsOfBlocks(60, 7*time.Hour)) // three or four blocks a day
		ask := func(after, limit int) error {
			q := in(chain.Heights{Last: 59}, mover)
			q.After, q.Limit = chain.Some(ledger.Place{Height: uint64(after), Row: 1_000}), limit
			_, err := movementsAt(book, q)
			return err
		}
		const lost = 30 // of 2023-12-03, as blocks 28 to 31
		day := time.Date(2023, 12, 3, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
		openSQL(t, place).do(t, fmt.Sprintf("UPDATE parts SET body = (SELECT body FROM parts WHERE unit = 'day' AND number = %d AND kind = 3 AND part = 10) WHERE unit = 'day' AND number = %d AND kind = 3 AND part = 10", day+1, day))
		for after := 0; after < lost; after++ {
			require.ErrorIs(t, ask(after, lost), ledger.ErrDamaged, after)
		}
		require.NoError(t, ask(0, lost-3), "up to block 27, of the day before")
		require.ErrorIs(t, ask(0, lost-2), ledger.ErrDamaged, "block 28 is of the same day")
		require.ErrorContains(t, ask(0, lost), "table parts: part 10 of kind 3 of 2023-12-03 was altered or is missing")
		require.NoError(t, ask(lost+4, 5))
		require.NoError(t, ask(lost+4, 0))
	})
}

// Sixty-four clients query everything at the same time, with nested queries. With fewer connections, all get the same
// answers as a single client: no connection is held while a row is delivered.
func TestSixtyFourAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about load")
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		written, last := pagedBook(t, place, 300) // more than are read at once
		require.NoError(t, written.Close())
		if ledger.Postgres(place) {
			place += "&pool_max_conns=4"
		}
		book := reader(t, place)
		asked := questions(last - 1) // sealed blocks
		want := answersOf(t, book, asked)
		const each = 3
		failures := make(chan string, 64*(each+1))
		var asking sync.WaitGroup
		for i := range 64 {
			asking.Go(func() {
				for n := range each {
					q := asked[(i+n)%len(asked)]
					answer, err := q.ask(book)
					if err != nil || answer != want[q.name] {
						failures <- fmt.Sprint(q.name, ": ", err)
					}
				}
				if err := within(book, last); err != nil {
					failures <- err.Error()
				}
			})
		}
		done := make(chan struct{})
		go func() { asking.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Minute):
			t.Fatal("they wait for each other")
		}
		close(failures)
		for f := range failures {
			t.Error(f)
		}
	})
}

// within runs a query while another one delivers, three levels deep.
func within(book *ledger.Book, last uint64) error {
	all, moved := chain.Heights{Last: last}, 0
	for m, err := range book.Movements(ctx, in(all)) {
		if err != nil {
			return err
		}
		if moved++; m.Height%100 != 0 {
			continue
		}
		for x, err := range book.Transactions(ctx, in(chain.Heights{Last: 20}, chain.Address20([20]byte{19: 1}))) {
			if err != nil {
				return err
			}
			if found, err := book.TransactionAt(ctx, x.Place()); err != nil || found == nil || found.Hash != x.Hash {
				return fmt.Errorf("the transaction %v: %v", x.Place(), err)
			}
		}
	}
	if moved < int(last) {
		return fmt.Errorf("%d movements", moved)
	}
	return nil
}
