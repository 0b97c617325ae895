package ledger_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/internal/ledger"
)

// What a damaged file delivers, rows of other heights, twice or in another order, is told as
// damage by the question that reads it.
func TestRowsThatTheEngineMixesUp(t *testing.T) {
	const last = 11
	entries := monthsOfBlocks(last+1, 60*time.Hour)
	book := written(t, newFile(t), madeUpChain, entries)
	all := chain.Heights{Last: last}
	height := func(of string, which int, other any) func(string, int, []any) {
		return func(query string, before int, r []any) {
			if strings.Contains(query, of) && before == which {
				r[0] = other
			}
		}
	}
	var kept []any
	blocks := func() error { return each(book.Blocks(ctx, in(all)), func(*ledger.Block) error { return nil }) }
	costs := func() error { return each(book.Costs(ctx, in(all)), func(*ledger.Cost) error { return nil }) }
	status := func() error { _, err := book.Status(ctx); return err }
	for name, x := range map[string]struct {
		alter   func(query string, before int, r []any)
		ask     func() error
		message string
	}{
		"a height below 0": {height("FROM blocks WHERE height >= ?", 3, int64(-3)), blocks, "table blocks: a height of -3"},
		"no height": {height("FROM transactions WHERE", 3, nil), func() error {
			return each(book.Transactions(ctx, in(all)), told[*ledger.Transaction](new(strings.Builder)))
		}, "table transactions: a height of <nil>"},
		"a block twice":           {height("FROM blocks WHERE height >= ?", 3, int64(2)), blocks, "block 2, table blocks: there are 2 of it"},
		"costs in another order":  {height("costs, leaves FROM blocks", 3, int64(1)), costs, "block 1, table blocks: out of its place"},
		"costs of another height": {height("costs, leaves FROM blocks", 3, int64(4)), costs, "block 3, table blocks: missing"},
		"costs of no height":      {height("costs, leaves FROM blocks", 3, "x"), costs, "column height"},
		"a block that was not named": {height("FROM blocks WHERE height IN", 0, int64(7)),
			func() error {
				return each(book.WithoutPayer(ctx, in(all)), told[*ledger.Transaction](new(strings.Builder)))
			}, "block 10, table blocks: missing"},
		"a total of another time":  {height("FROM months WHERE", 0, int64(-35)), status, "table months: a total of -35, among those of 2023-11"},
		"a finding's height twice": {height("SELECT DISTINCT height FROM findings", 1, int64(0)), status, "table findings: 2 blocks have rows, and 3 had"},
		"a day twice": {func(query string, before int, r []any) {
			if strings.Contains(query, "FROM seals WHERE unit") && before < 2 {
				if before == 0 {
					kept = r
				}
				copy(r, kept)
			}
		}, status, "table seals: 2023-11 is out of its place"},
	} {
		require.NoError(t, x.ask())
		mend := book.Altering(x.alter)
		err := x.ask()
		mend()
		require.ErrorIs(t, err, ledger.ErrDamaged, name)
		require.ErrorContains(t, err, x.message, name)
	}

	small := written(t, newFile(t), madeUpChain, madeUp(0, last+1)) // of one day, of which a span has a part
	for message, value := range map[string]struct {
		column int
		other  any
	}{"table blocks: leaves": {0, []byte{1}}, "of the sealed blocks 1..10": {1, int64(0)}} {
		ask := func() error {
			return each(small.Findings(ctx, in(chain.Heights{First: 1, Last: last - 1})), func(*ledger.Finding) error { return nil })
		}
		require.NoError(t, ask())
		mend := small.Altering(func(query string, _ int, r []any) {
			if strings.Contains(query, "substr(leaves") {
				r[value.column] = value.other
			}
		})
		err := ask()
		mend()
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, message)
	}

	mend := book.Altering(func(query string, before int, r []any) {
		if strings.HasPrefix(query, "SELECT number FROM seals") && before == 0 {
			r[0] = "x"
		}
	})
	found := damages(t, book)
	mend()
	require.Contains(t, found, ledger.Damage{Table: "seals", Message: "the day the blocks without a time: its number is x"})
	verified(t, book)
}

// alteredAs is a statement about block 2 of a few, after which its leaves are those of what
// it has then: nothing tells that it was altered but what it holds.
func alteredAs(t *testing.T, place, statement string) {
	t.Helper()
	db := openSQL(t, place)
	db.do(t, statement+" WHERE height = 2")
	db.leaf(t, 2)
}

// Blocks that were altered with their leaves, before they are sealed, are not sealed.
func TestBlocksThatFitTheirLeavesAndCannotBeSealed(t *testing.T) {
	for statement, message := range map[string]string{
		"UPDATE blocks SET hash = X'010203'":         "column hash",
		"UPDATE blocks SET parent_hash = X'010203'":  "column parent_hash",
		"UPDATE blocks SET parent_hash = hash":       "says that its parent is",
		"UPDATE blocks SET time_ms = -1":             "not what the column holds",
		"UPDATE blocks SET inherents = -1":           "not what the column holds",
		"UPDATE transactions SET fee = '-7'":         "block 2: extrinsic 1",
		"UPDATE transactions SET gas = '-7'":         "block 2: extrinsic 1: the ledger is damaged: column gas",
		"UPDATE transactions SET charged = '-70000'": "block 2: extrinsic 1",
	} {
		place := newFile(t)
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, madeUp(0, 4)))
		require.NoError(t, book.Close())
		alteredAs(t, place, statement)
		book = writer(t, place)
		_, err := book.Seal(ctx)
		require.ErrorContains(t, err, "block 2", statement)
		require.ErrorContains(t, err, message, statement)
		require.Equal(t, chain.Some(uint64(1)), statusOf(t, book).Sealed, "what is below it is")
		require.NoError(t, book.Close())
	}
}

// Sealed blocks that were altered with their leaves make no answer, and no sum.
func TestSealedBlocksThatFitTheirLeaves(t *testing.T) {
	day := ledger.Period{From: timeAt(t, "2023-11-14T00:00:00Z"), To: timeAt(t, "2023-11-14T22:13:40Z")}
	payer := chain.Address{19: 2}
	for _, x := range []struct {
		statement string
		ask       func(*ledger.Book) error
		message   string
	}{
		{"UPDATE transactions SET recipient = X'010203'", func(b *ledger.Book) error {
			return each(b.Transactions(ctx, in(chain.Heights{Last: 4})), func(*ledger.Transaction) error { return nil })
		}, "block 2, table transactions: the ledger is damaged: column recipient"},
		{"UPDATE transactions SET fee = '-7'", func(b *ledger.Book) error {
			return each(b.Transactions(ctx, in(chain.Heights{Last: 4})), func(*ledger.Transaction) error { return nil })
		}, "block 2, table transactions: the ledger is damaged: column fee"},
		{"UPDATE transactions SET gas = '18446744073709551616'", func(b *ledger.Book) error {
			return each(b.Costs(ctx, in(chain.Heights{Last: 4}, payer)), func(*ledger.Cost) error { return nil })
		}, "block 2, table transactions: the ledger is damaged: column gas"},
		{"UPDATE blocks SET time_ms = -1", func(b *ledger.Book) error { _, err := b.SealOf(ctx, day, chain.Heights{Last: 4}); return err }, "column time_ms"},
		{"UPDATE blocks SET time_ms = -1", func(b *ledger.Book) error { _, err := b.Cover(ctx, day); return err }, "column time_ms"},
		{"UPDATE blocks SET hash = X'010203'", func(b *ledger.Book) error { _, err := b.Predecessor(ctx, 2); return err }, "column hash"},
		{"UPDATE movements SET amount = '-7'", func(b *ledger.Book) error {
			return each(b.Movements(ctx, in(chain.Heights{Last: 4})), func(*ledger.Movement) error { return nil })
		}, "column amount"},
	} {
		place := newFile(t)
		book := written(t, place, madeUpChain, madeUp(0, 5))
		require.NoError(t, x.ask(book), x.statement)
		alteredAs(t, place, x.statement)
		err := x.ask(book)
		require.ErrorContains(t, err, x.message, x.statement)
		require.NotEmpty(t, damages(t, book), x.statement)
	}
}

// A fee that was altered with its leaf is found by the packed costs, and one that is no
// amount by itself.
func TestVerifyFindsWhatFitsItsLeaves(t *testing.T) {
	for statement, message := range map[string]string{
		"UPDATE transactions SET fee = '7'":  "costs are not those of its transactions",
		"UPDATE transactions SET fee = '-7'": "an amount: extrinsic 1",
	} {
		place := newFile(t)
		book := written(t, place, madeUpChain, madeUp(0, 5))
		alteredAs(t, place, statement)
		require.Contains(t, fmt.Sprint(damages(t, book)), "block 2, table "+map[bool]string{true: "transactions", false: "blocks"}[strings.HasPrefix(message, "an")]+": "+message)
	}
}

// Leaves of a layout that a later program brought are not understood, which is said.
func TestLeavesOfALaterLayout(t *testing.T) {
	place := newFile(t)
	book := written(t, place, madeUpChain, madeUp(0, 5))
	db := openSQL(t, place)
	_, have := db.table(t, "SELECT leaves FROM blocks WHERE height = 2")
	db.do(t, "UPDATE blocks SET leaves = ?1 WHERE height = 2", append([]byte{2}, have[0][0].([]byte)[1:]...))
	for _, err := range []error{
		each(book.Blocks(ctx, in(chain.Heights{Last: 4})), func(*ledger.Block) error { return nil }),
		each(book.Costs(ctx, in(chain.Heights{Last: 4})), func(*ledger.Cost) error { return nil }),
	} {
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 2, table blocks: its leaves: its digest is of layout 2, which this program does not know")
	}
}

// Blocks without a time are of no day whose totals tell how many rows they have: all of them
// are looked through for an account.
func TestBlocksWithoutATime(t *testing.T) {
	var entries []*ledger.Entry
	parent := chain.Hash{}
	for h := range uint64(8) {
		m := makeBlock(h, hashOf(h, 0), parent, "7").event("balances", "Deposit", fmt.Sprintf(`["%v","%d"]`, mover, h+1))
		if h == 0 || h == 2 || h == 4 {
			m.Report.Time, m.Report.Transactions, m.Report.Totals.EVM = chain.Optional[chain.Time]{}, nil, 0
		}
		if h >= 6 { // of another day
			m = m.at(1_700_100_000_000 + h*6_000)
		}
		entries, parent = append(entries, m.entry(t)), hashOf(h, 0)
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		verified(t, book)
		moved := func(span chain.Heights) (found []uint64, err error) {
			err = each(book.Movements(ctx, in(span, mover)), func(m *ledger.Movement) error {
				require.Equal(t, m.Height != 0 && m.Height != 2 && m.Height != 4, m.Time.Known())
				found = append(found, m.Height)
				return nil
			})
			return found, err
		}
		for _, x := range []struct {
			span chain.Heights
			want []uint64
		}{{chain.Heights{Last: 9}, []uint64{0, 1, 2, 3, 4, 5, 6, 7}}, {chain.Heights{First: 1, Last: 2}, []uint64{1, 2}}, {chain.Heights{First: 3, Last: 6}, []uint64{3, 4, 5, 6}}} {
			found, err := moved(x.span)
			require.NoError(t, err)
			require.Equal(t, x.want, found)
		}
		// One that was given a time is not found among them any more.
		db := openSQL(t, place)
		db.do(t, "UPDATE blocks SET time_ms = 1700000000000 WHERE height = 2")
		_, err := moved(chain.Heights{Last: 9})
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 2, table blocks: rows of this block were altered")
		db.leaf(t, 2)
		_, err = moved(chain.Heights{Last: 9})
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "2 of 0..4 have no time, and 3 were sealed so")
	})
}

// A transfer to oneself is one, and what was charged without its destinations is counted.
func TestTotalsOfOneself(t *testing.T) {
	m := makeBlock(0, hashOf(0, 0), chain.Hash{}, "7")
	x := &m.Report.Transactions[0]
	x.Charged = x.Fee
	x.Transfers = []evm.Transfer{{Token: chain.Address{9}, From: mover, To: mover, Amount: tokens(t, "5")}}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, []*ledger.Entry{m.entry(t)})
		verified(t, book)
		require.Equal(t, [][]string{{"1"}}, openSQL(t, place).texts(t, "SELECT transfers FROM account_days WHERE transfers > 0"))
		found := 0
		require.NoError(t, each(book.Transfers(ctx, in(chain.Heights{}, mover)), func(*ledger.Transfer) error { found++; return nil }))
		require.Equal(t, 1, found)
		totals := statusOf(t, book).Totals
		require.Equal(t, []uint64{0, 1}, []uint64{totals.Uncharged, totals.Unaccounted})
	})
}

func TestPaid(t *testing.T) {
	charged, priced := chain.Some(chain.NewWei(5)), chain.Some(chain.NewWei(7))
	require.Equal(t, charged, (&ledger.Cost{Charged: charged, Fee: priced}).Paid())
	require.Equal(t, priced, (&ledger.Cost{Fee: priced}).Paid())
	require.False(t, (&ledger.Cost{}).Paid().Known())
}

// What passes is told from what stays, also where it is wrapped.
func TestPasses(t *testing.T) {
	for code, want := range map[string]bool{"40001": true, "40P01": true, "53300": true, "55P03": true, "57P01": true, "25006": true, "53100": false, "42P01": false, "XX001": false, "57014": false} {
		require.Equal(t, want, ledger.Passes(fmt.Errorf("written: %w", &pgconn.PgError{Code: code})), code)
	}
	require.False(t, ledger.Passes(nil))
	require.False(t, ledger.Passes(ledger.ErrLocked))
}

// For very many accounts all costs are read, and theirs are told.
func TestCostsOfManyAccounts(t *testing.T) {
	book := written(t, filepath.Join(t.TempDir(), "fees.db"), madeUpChain, madeUp(0, 20))
	few := map[chain.Address]bool{{19: 1}: true, {19: 3}: true}
	many := map[chain.Address]bool{{19: 1}: true, {19: 3}: true}
	for i := range 120 {
		many[chain.Address{1, 19: byte(i)}] = true
	}
	told := func(accounts map[chain.Address]bool) (list []ledger.Cost) {
		require.NoError(t, each(book.Costs(ctx, in(chain.Heights{Last: 19}, slices.Collect(maps.Keys(accounts))...)), func(c *ledger.Cost) error {
			list = append(list, *c)
			return nil
		}))
		return list
	}
	require.Len(t, told(few), 8)
	require.Equal(t, told(few), told(many))
}
