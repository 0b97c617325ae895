package ledger_test

import (
	"fmt"
	"io"
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
	"github.com/feeledger/fees/internal/test/tier"
)

// Rows that a damaged file returns at other heights, twice or out of order are reported as damage by the query.
func TestRowsThatTheEngineMixesUp(t *testing.T) {
	const last = 11
	book := written(t, newFile(t), madeUpChain, monthsOfBlocks(last+1, 60*time.Hour))
	all := chain.Heights{Last: last}
	set := func(of string, which int, other any) func(string, int, []any) {
		return func(query string, before int, r []any) {
			if strings.Contains(query, of) && before == which {
				r[0] = other
			}
		}
	}
	rows := map[string][]any{} // undamaged rows, returned instead of others
	mend := book.Altering(func(query string, before int, r []any) { rows[fmt.Sprint(query, before)] = slices.Clone(r) })
	blocks := func() error { return each(book.Blocks(ctx, in(all)), func(*ledger.Block) error { return nil }) }
	named := func() error {
		return each(book.Findings(ctx, in(all)), func(*ledger.Finding) error { return nil })
	}
	unpaid := func() error {
		return each(book.WithoutPayer(ctx, in(all)), told[*ledger.Transaction](new(strings.Builder)))
	}
	status := func() error { _, err := book.Status(ctx); return err }
	monthly := func() error { _, _, err := book.Months(ctx); return err }
	for _, ask := range []func() error{blocks, named, unpaid, status, monthly} {
		require.NoError(t, ask())
	}
	mend()
	put := func(of string, which, another int) func(string, int, []any) {
		return func(query string, before int, r []any) {
			if strings.Contains(query, of) && before == which {
				copy(r, rows[fmt.Sprint(query, another)])
			}
		}
	}
	const inSpan, flagged, months = "FROM blocks WHERE height >= ? AND height <= ? ORDER", "SELECT height FROM blocks WHERE flags", "FROM stretches WHERE unit"
	for name, x := range map[string]struct {
		alter   func(query string, before int, r []any)
		ask     func() error
		message string
	}{
		"a height below 0":           {set(inSpan, 3, int64(-3)), blocks, "table blocks: a height of -3"},
		"no height":                  {set(inSpan, 3, nil), blocks, "table blocks: a height of <nil>"},
		"a height that is a text":    {set(inSpan, 3, "x"), blocks, "table blocks: a height of x"},
		"a record of another height": {set(inSpan, 3, int64(4)), blocks, "block 4, table blocks: its record belongs to block 3"},
		"a block twice":              {put(inSpan, 3, 2), blocks, "block 2, table blocks: out of order"},
		"blocks in another order":    {put(inSpan, 3, 1), blocks, "block 1, table blocks: out of order"},
		"a block of another height":  {put(inSpan, 3, 4), blocks, "block 3, table blocks: missing"},
		"a block that was not named": {put(inSpan, 0, 1), named, "block 0, table blocks: missing"},
		"a finding's height twice":   {set(flagged, 1, int64(0)), named, "block 0, table blocks: missing"},
		"a month twice":              {put(months, 1, 0), monthly, "table stretches: the month 2023-11 is out of order"},
		"a day of another number":    {set("unit = ? AND number >= ? AND number < ?", 0, "month"), unpaid, "was altered"},
	} {
		require.NoError(t, x.ask())
		mend := book.Altering(x.alter)
		err := x.ask()
		mend()
		require.ErrorIs(t, err, ledger.ErrDamaged, name)
		require.ErrorContains(t, err, x.message, name)
	}
	verified(t, book)
}

// Queries of an altered sealed block with a matching sum return the altered values; Verify finds it by the seal of its day.
func TestVerifyFindsWhatFitsItsSum(t *testing.T) {
	other := func(change func(made)) *ledger.Entry {
		m := makeBlock(2, hashOf(2, 0), hashOf(1, 0), "7")
		change(m)
		return m.entry(t)
	}
	entries := []*ledger.Entry{makeBlock(0, hashOf(0, 0), chain.Hash{}, "7").entry(t), makeBlock(1, hashOf(1, 0), hashOf(0, 0), "7").entry(t), other(func(made) {}), makeBlock(3, hashOf(3, 0), hashOf(2, 0), "7").entry(t)}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, entries), openSQL(t, place)
		const row = "SELECT record, time_ms, flags, known, sum FROM blocks WHERE height = 2"
		put := func(r []any) {
			db.do(t, "UPDATE blocks SET record = ?1, time_ms = ?2, flags = ?3, known = ?4, sum = ?5 WHERE height = 2", r...)
		}
		_, whole := db.table(t, row)
		for name, change := range map[string]func(made){
			"a fee":    func(m made) { x := m.Report.Transactions[0]; x.Fee = chain.Some(chain.NewWei(8)) },
			"a payer":  func(m made) { m.Report.Transactions[0].Payer = chain.Some(mover) },
			"no payer": func(m made) { m.unpaid() },
			"a transfer": func(m made) {
				m.Report.Transactions[0].Transfers = []evm.Transfer{{Token: mover, From: mover, To: mover, Amount: tokens(t, "5")}}
			},
			"a movement":     func(m made) { m.event("balances", "Deposit", fmt.Sprintf(`["%v","1"]`, mover)) },
			"an event":       func(m made) { m.event("balances", "Minced", `["a"]`) },
			"other rules":    func(m made) { m.Report.Rules = "others" },
			"no transaction": func(m made) { m.Report.Transactions, m.Report.Totals.EVM = nil, 0 },
			"another time":   func(m made) { m.at(1_700_000_000_000 + 2*6_000 + 1) },
			"a block's hash": func(m made) { m.Report.Hash = chain.Hash{9} },
			"its parent":     func(m made) { m.Report.ParentHash = chain.Hash{9} },
		} {
			another := newFile(t)
			changed := writer(t, another)
			require.NoError(t, changed.Begin(ctx, madeUpChain, 2))
			require.NoError(t, changed.Write(ctx, []*ledger.Entry{other(change)}))
			require.NoError(t, changed.Close())
			_, altered := openSQL(t, another).table(t, row)
			require.NotEqual(t, whole, altered, name)
			put(altered[0])
			require.True(t, slices.ContainsFunc(damages(t, book), func(d ledger.Damage) bool {
				return d.Table == "stretches" && strings.HasPrefix(d.Message, "the day 2023-11-14: the seal is ")
			}), name)
		}
		put(whole[0])
		verified(t, book)
		for set, message := range map[string]string{ // columns besides the record, which the seal covers
			"time_ms = time_ms + 1": "its time or its flags differ from its record",
			"time_ms = NULL":        "its time or its flags differ from its record",
			"flags = 2":             "its time or its flags differ from its record",
			"flags = 1":             "sealed but not final",
			`known = '{"findings":[{"check_id":"a"}]}'`: "its time or its flags differ from its record",
		} {
			db.altered(t, "blocks", "UPDATE blocks SET "+set+" WHERE height = 2", func() {
				db.resum(t, 2)
				require.Contains(t, fmt.Sprint(damages(t, book)), "block 2, table blocks: "+message, set)
			})
		}
		verified(t, book)
	})
}

// Verify finds an altered day or month with a matching digest, because its blocks give another.
func TestVerifyFindsAStretchThatFitsItsDigest(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, monthsOfBlocks(12, 5*24*time.Hour)), openSQL(t, place) // until January
		for unit, number := range map[string]int64{"day": time.Date(2023, 12, 4, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60), "month": 53*12 + 11} {
			for _, c := range db.columns(t, "stretches") {
				if c.key || c.name == "digest" || !tier.Takes(c.name) {
					continue
				}
				db.altered(t, "stretches", "UPDATE stretches SET merged = merged", func() {
					require.NoError(t, book.ForgeStretch(ctx, unit, number, c.name))
					require.NotEmpty(t, damages(t, book), "%s of a %s", c.name, unit)
				})
			}
		}
		verified(t, book)
	})
}

// Verify finds an altered part with a matching leaf, because the blocks give another.
func TestVerifyFindsAPartThatFitsItsLeaf(t *testing.T) {
	alter := map[string]func(body []byte) []byte{
		"lost":    func([]byte) []byte { return nil },
		"cut":     func(body []byte) []byte { return body[:len(body)-min(len(body), 8)] },
		"twice":   func(body []byte) []byte { return append(body, body...) },
		"another": func(body []byte) []byte { body[len(body)-1] ^= 1; return body },
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, monthsOfBlocks(12, 5*24*time.Hour)), openSQL(t, place)
		_, parts := db.table(t, "SELECT unit, number, kind, max(part) FROM parts WHERE length(body) > 12 GROUP BY unit, number, kind ORDER BY number, unit, kind")
		seen := map[string]bool{}
		for _, p := range parts {
			key := fmt.Sprint(p[0], p[2])
			if seen[key] {
				continue
			}
			seen[key] = true
			number, kind, part := p[1].(int64), int(p[2].(int64)), int(p[3].(int64))
			for name, alter := range alter {
				var whole []byte
				require.NoError(t, book.ForgePart(ctx, p[0].(string), number, kind, part, func(body []byte) []byte {
					whole = slices.Clone(body)
					return alter(body)
				}))
				require.Contains(t, fmt.Sprint(damages(t, book)), fmt.Sprintf("part %d of kind %d differs from its blocks", part, kind), "%s, %v", name, p)
				require.NoError(t, book.ForgePart(ctx, p[0].(string), number, kind, part, func([]byte) []byte { return whole }))
			}
		}
		require.Len(t, seen, 5+3, "kinds of days and of months")
		verified(t, book)
	})
}

// A record of a later version is rejected with a clear error.
func TestARecordOfALaterVersion(t *testing.T) {
	place := newFile(t)
	book := written(t, place, madeUpChain, madeUp(0, 5))
	db := openSQL(t, place)
	db.putRecord(t, 2, append([]byte{3}, db.record(t, 2)[1:]...))
	for _, err := range []error{
		each(book.Blocks(ctx, in(chain.Heights{Last: 4})), func(*ledger.Block) error { return nil }),
		each(book.Transactions(ctx, in(chain.Heights{Last: 4})), func(*ledger.Transaction) error { return nil }),
	} {
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 2, table blocks: its record does not have version 1 or 2")
	}
}

// Blocks without a time belong to no day with totals: a query by account scans all of them.
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
		// A block that was given a time is not one of them.
		db := openSQL(t, place)
		db.do(t, "UPDATE blocks SET time_ms = 1700000000000 WHERE height = 2")
		_, err := moved(chain.Heights{Last: 9})
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 2, table blocks: it was altered")
		db.resum(t, 2)
		_, err = moved(chain.Heights{Last: 9})
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 2, table blocks: its time or its flags differ from its record")
	})
}

// A transfer to oneself counts once, and a charge without its destinations is counted.
func TestTotalsOfOneself(t *testing.T) {
	m := makeBlock(0, hashOf(0, 0), chain.Hash{}, "7")
	x := &m.Report.Transactions[0]
	x.Charged = x.Fee
	x.Transfers = []evm.Transfer{{Token: chain.Address20([20]byte{9}), From: mover, To: mover, Amount: tokens(t, "5")}}
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, []*ledger.Entry{m.entry(t)})
		verified(t, book)
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

// Temporary errors are distinguished from permanent ones, also when wrapped.
func TestPasses(t *testing.T) {
	for code, want := range map[string]bool{"40001": true, "40P01": true, "53300": true, "55P03": true, "57P01": true, "25006": true, "25P03": true, "57P05": true, "53100": false, "42P01": false, "XX001": false, "57014": false} {
		require.Equal(t, want, ledger.IsTransient(fmt.Errorf("written: %w", &pgconn.PgError{Code: code})), code)
	}
	require.False(t, ledger.IsTransient(nil))
	require.False(t, ledger.IsTransient(ledger.ErrLocked))
	require.True(t, ledger.IsTransient(fmt.Errorf("%w: %w", ledger.ErrAway, io.ErrUnexpectedEOF)))
	require.False(t, ledger.IsTransient(fmt.Errorf("%w: %w", ledger.ErrAway, &pgconn.ConnectError{})))
}

// For very many accounts, all costs are read and filtered.
func TestPaymentsOfManyAccounts(t *testing.T) {
	book := written(t, filepath.Join(t.TempDir(), "fees.db"), madeUpChain, madeUp(0, 20))
	few := map[chain.Address]bool{chain.Address20([20]byte{19: 1}): true, chain.Address20([20]byte{19: 3}): true}
	many := map[chain.Address]bool{chain.Address20([20]byte{19: 1}): true, chain.Address20([20]byte{19: 3}): true}
	for i := range 120 {
		many[chain.Address20([20]byte{1, 19: byte(i)})] = true
	}
	told := func(accounts map[chain.Address]bool) (list []ledger.Transaction) {
		require.NoError(t, each(book.Transactions(ctx, in(chain.Heights{Last: 19}, slices.Collect(maps.Keys(accounts))...)), func(x *ledger.Transaction) error {
			list = append(list, *x)
			return nil
		}))
		return list
	}
	require.Len(t, told(few), 8)
	require.Equal(t, told(few), told(many))
}
