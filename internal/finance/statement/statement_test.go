package statement_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// Every account of both recordings, over the whole chain and parts of it: no wei is unexplained at any height, and
// opening and closing are the gateway's balances.
func TestRecordedStatementsHold(t *testing.T) {
	for name, last := range recordings {
		book, balances := recorded(t, name), ledgertest.RecordedBalances(t, name)
		for account := range balances {
			for _, first := range []uint64{0, 1, 2, 7, last / 2, last} {
				for _, end := range []uint64{0, 1, 5, last / 2, last - 1, last} {
					if end < first || testing.Short() && (first%7 > 0 || end != 5 && end != last) {
						continue
					}
					span := chain.Heights{First: first, Last: end}
					s := made(t, book, balances, account, span, true)
					require.True(t, s.Holds(), "%s %v %v: %v", name, account, span, s.Differences)
					opening := max(first, 1) - 1
					require.Equal(t, chain.Some(balances[account][opening]), s.Opening)
					require.Equal(t, chain.Some(balances[account][end]), s.Closing)
					require.Equal(t, end-opening, s.Proved)
					require.Equal(t, chain.Some(Change{}), s.Unexplained)
				}
			}
			s := made(t, book, balances, account, chain.Heights{Last: last}, false)
			require.True(t, s.Holds())
			require.EqualValues(t, 1, s.Proved)
		}
	}
}

// The running balance after the last line of each block equals the gateway's balance, and the parts of each fee add
// up to the charge.
func TestRecordedLines(t *testing.T) {
	for name, last := range recordings {
		book, balances := recorded(t, name), ledgertest.RecordedBalances(t, name)
		for account := range balances {
			s := made(t, book, balances, account, chain.Heights{Last: last}, false)
			after := map[uint64]Change{}
			var parts Change
			var paid chain.Wei
			payments, lines := 0, uint64(0)
			for l, err := range s.Lines(context.Background()) {
				require.NoError(t, err)
				lines++
				free, ok := l.FreeBalance.Get()
				require.True(t, ok)
				reserved, ok := l.ReservedBalance.Get()
				require.True(t, ok)
				after[l.Height] = Change{Free: free, Reserved: reserved}
				require.False(t, l.ChangeUnknown())
				if l.OfFee {
					change, _ := l.Free.Get()
					parts, err = parts.Plus(Change{Free: change})
					require.NoError(t, err)
				}
				if l.Payment != nil {
					payments++
					charged, ok := l.Payment.Charged.Get()
					require.True(t, ok)
					require.Equal(t, l.Height, l.Payment.Height)
					require.True(t, l.OfFee, "%s: the recorded fees were above 0", l.Place())
					paid, err = paid.Add(charged)
					require.NoError(t, err)
				}
			}
			require.Equal(t, s.Count, lines)
			for height, have := range after {
				require.Equal(t, of(balances[account][height]), have, "%s %v block %d", name, account, height)
			}
			want, n := chain.Wei{}, 0
			for x, err := range book.Transactions(context.Background(), ledger.Query{Accounts: []chain.Address{account}, Span: chain.Heights{Last: last}}) {
				require.NoError(t, err)
				charged, _ := x.Charged.Get()
				want, err = want.Add(charged)
				require.NoError(t, err)
				n++
			}
			require.Equal(t, want, paid)
			require.Equal(t, n, payments)
			require.Equal(t, want.Signed().Negated(), parts.Free)
			sum, transactions := chain.Wei{}, uint64(0)
			for _, f := range s.Fees {
				require.Zero(t, f.Apart+f.Unknown+f.Drifting)
				var err error
				sum, err = sum.Add(f.Charged)
				require.NoError(t, err)
				transactions += f.Transactions
			}
			require.Equal(t, want, sum)
			require.EqualValues(t, n, transactions)
		}
	}
}

// By fee, the movements of a fee are one line with what was charged, and each line still leads from one balance to the next.
func TestLinesByFee(t *testing.T) {
	fees := 0
	for name, last := range recordings {
		book, balances := recorded(t, name), ledgertest.RecordedBalances(t, name)
		for account := range balances {
			s := made(t, book, balances, account, chain.Heights{Last: last}, false)
			opening, known := s.Opening.Get()
			require.True(t, known)
			before, lines := Change{Free: opening.Free.Signed(), Reserved: opening.Reserved.Signed()}, uint64(0)
			require.NoError(t, s.EachFee(context.Background(), func(l *statement.Line) error {
				lines++
				free, _ := l.Free.Get()
				reserved, _ := l.Reserved.Get()
				after, err := before.Plus(Change{Free: free, Reserved: reserved})
				require.NoError(t, err)
				require.Equal(t, chain.Some(after.Free), l.FreeBalance, "%s %v %s", name, account, l.Place())
				require.Equal(t, chain.Some(after.Reserved), l.ReservedBalance)
				if before = after; l.Payment != nil {
					fees++
					charged, known := l.Payment.Charged.Get()
					require.True(t, known)
					require.Equal(t, charged.Signed().Negated(), free)
				}
				return nil
			}))
			require.LessOrEqual(t, lines, s.Count)
			if closing, known := s.Closing.Get(); known {
				require.Equal(t, closing.Free.Signed(), before.Free)
			}
		}
	}
	require.Greater(t, fees, 100)
}

// A movement missing from the ledger is located in its block, by every search method.
func TestDeletedMovementIsFound(t *testing.T) {
	const name = "moonbeam-2100"
	balances := ledgertest.RecordedBalances(t, name)
	span := chain.Heights{Last: recordings[name]}
	for account := range balances {
		for l, err := range made(t, recorded(t, name), nil, account, span, false).Lines(context.Background()) {
			require.NoError(t, err)
			if l.Height%4 != 1 || testing.Short() && l.Height%12 != 1 { // some of them
				continue
			}
			book := recorded(t, name, fmt.Sprintf("DELETE FROM movements WHERE height = %d AND place = %d AND event_index = %d AND account = x'%x'",
				l.Height, l.Where, l.Movement.EventIndex, account.Bytes()))
			free, _ := l.Free.Get()
			reserved, _ := l.Reserved.Get()
			want := Difference{Height: l.Height, Change: Change{Free: free, Reserved: reserved}}
			for _, everyBlock := range []bool{false, true} {
				s := made(t, book, balances, account, span, everyBlock)
				require.False(t, s.Holds())
				require.Equal(t, []Difference{want}, s.Differences)
				require.Equal(t, chain.Some(want.Change), s.Unexplained)
			}
		}
	}
}

// A gateway that is wrong by one wei at a height is located there. The next block has the opposite
// difference.
func TestAlteredBalanceIsFound(t *testing.T) {
	const name = "moonbeam-1701"
	book, right := recorded(t, name), ledgertest.RecordedBalances(t, name)
	last := recordings[name]
	one := chain.NewWei(1)
	for at := uint64(0); at <= last; at++ {
		have := right[alith][at]
		more, err := have.Reserved.Add(one)
		require.NoError(t, err)
		wrong := with(right, alith, at, chain.Balance{Free: have.Free, Reserved: more})
		var want []Difference
		if at > 0 {
			want = append(want, Difference{Height: at, Change: by(t, "0", "1")})
		}
		if at < last {
			want = append(want, Difference{Height: at + 1, Change: by(t, "0", "-1")})
		}
		s := made(t, book, wrong, alith, chain.Heights{Last: last}, true)
		require.Equal(t, want, s.Differences)
		require.False(t, s.Holds())

		// At the ends it is asked for anyhow.
		if at == 0 || at == last {
			require.Equal(t, want, made(t, book, wrong, alith, chain.Heights{Last: last}, false).Differences)
		} else {
			require.True(t, made(t, book, wrong, alith, chain.Heights{Last: last}, false).Holds())
		}
	}
}

// Differences that cancel out between the ends are found only if every block is compared.
func TestWhatCancelsOut(t *testing.T) {
	const name = "moonbeam-2100"
	book := recorded(t, name,
		"UPDATE movements SET free = '1000000000000000001' WHERE (height, position) = (SELECT height, position FROM movements WHERE account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac' ORDER BY height LIMIT 1)")
	s := made(t, book, ledgertest.RecordedBalances(t, name), alith, chain.Heights{Last: 27}, true)
	require.Len(t, s.Differences, 1)
	first := s.Differences[0]
	balances := ledgertest.RecordedBalances(t, name)
	// The closing balance is wrong by as much.
	closing, err := of(balances[alith][27]).Plus(Change{Free: first.Free.Negated()})
	require.NoError(t, err)
	wrong := with(balances, alith, 27, chain.Balance{Free: closing.Free.Size(), Reserved: closing.Reserved.Size()})
	s = made(t, book, wrong, alith, chain.Heights{Last: 27}, false)
	require.True(t, s.Holds())
	s = made(t, book, wrong, alith, chain.Heights{Last: 27}, true)
	require.False(t, s.Holds())
	require.Len(t, s.Differences, 2)
	require.Equal(t, chain.Some(Change{}), s.Unexplained)
	require.Contains(t, s.Notes(console.Token{}), "the unexplained differences cancel out, or a balance was set afterwards")
}

// Two wrong blocks are both found from the ends.
func TestBisectionFindsSeveral(t *testing.T) {
	const name = "moonbeam-2100"
	book := recorded(t, name,
		"DELETE FROM movements WHERE height = 5 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'",
		"DELETE FROM movements WHERE height = 25 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'")
	s := made(t, book, ledgertest.RecordedBalances(t, name), alith, chain.Heights{Last: 27}, false)
	require.Len(t, s.Differences, 2)
	require.EqualValues(t, 5, s.Differences[0].Height)
	require.EqualValues(t, 25, s.Differences[1].Height)
}

// A fee for another sender's transaction is reported.
func TestFeesForOthers(t *testing.T) {
	const name = "moonbeam-2100"
	other := "3cd0a705a2dc65e5b1e1205896baa2be8a07c6e0"
	book := recorded(t, name, "UPDATE transactions SET sender = x'"+other+"' WHERE height = 25 AND extrinsic = 7")
	s := made(t, book, ledgertest.RecordedBalances(t, name), alith, chain.Heights{First: 25, Last: 25}, false)
	require.True(t, s.Holds())
	require.Equal(t, statement.LayerFees{Transactions: 1, Charged: wei(t, "5215236000000000")}, s.Others)
	found := 0
	for l, err := range s.Lines(context.Background()) {
		require.NoError(t, err)
		if sender, ok := l.ForOther().Get(); ok {
			require.Equal(t, "25-7", l.Place())
			require.Equal(t, address(t, "0x"+other), sender)
			found++
		}
	}
	require.Equal(t, 1, found)
}

// Fees without movements have a separate line.
func TestFeesApart(t *testing.T) {
	const name = "moonbeam-2100"
	for what, test := range map[string]struct {
		change string
		check  func(statement.LayerFees) uint64
	}{
		"no such charge":  {"UPDATE transactions SET charged = '1' WHERE height = 25 AND extrinsic = 4", func(f statement.LayerFees) uint64 { return f.Apart }},
		"more than taken": {"UPDATE transactions SET charged = '99999999999999999999999' WHERE height = 25 AND extrinsic = 4", func(f statement.LayerFees) uint64 { return f.Apart }},
		"not known":       {"UPDATE transactions SET charged = NULL WHERE height = 25 AND extrinsic = 4", func(f statement.LayerFees) uint64 { return f.Unknown }},
		"drift":           {"UPDATE transactions SET verdict = 'drift' WHERE height = 25 AND extrinsic = 4", func(f statement.LayerFees) uint64 { return f.Drifting }},
		"no movement":     {"DELETE FROM movements WHERE height = 25 AND place = 4", func(f statement.LayerFees) uint64 { return f.Apart }},
		"nothing charged": {"UPDATE transactions SET charged = '0' WHERE height = 25 AND extrinsic = 4", func(f statement.LayerFees) uint64 { return 1 - f.Apart }},
	} {
		t.Run(what, func(t *testing.T) {
			s := made(t, recorded(t, name, test.change), nil, alith, chain.Heights{First: 25, Last: 25}, false)
			require.Equal(t, fee.EVM, s.Fees[0].Layer)
			require.EqualValues(t, 3, s.Fees[0].Transactions)
			require.EqualValues(t, 1, test.check(s.Fees[0]))
			seen := 0
			for l, err := range s.Lines(context.Background()) {
				require.NoError(t, err)
				if l.Where == 4 && l.Payment != nil {
					seen++
					require.Equal(t, what == "drift", l.Movement != nil)
					require.Equal(t, statement.KindFee, l.Kind())
					require.Equal(t, evidence.Drift == l.Payment.Verdict, what == "drift")
				}
			}
			require.Equal(t, 1, seen)
		})
	}
}

// Changes that an event does not state. The rows and the gateway's balances are generated; 0x…01 has no other
// movements.
func TestUntoldChanges(t *testing.T) {
	const name = "moonbeam-2100"
	who := chain.Address20([20]byte{19: 1})
	row := func(height, position int, event, kind, amount, free, reserved string) string {
		return fmt.Sprintf("INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (%d, %d, -1, 0, '%s', '%s', x'%x', '%s', %s, %s)",
			height, position, event, kind, who.Bytes(), amount, free, reserved)
	}
	deposit := row(10, 1000, "balances.Deposit", "deposit", "3", "'3'", "'0'")
	for what, test := range map[string]struct {
		changes     []string
		balances    map[uint64][2]uint64 // free and reserved from a height on
		settled     []Difference
		differences []Difference
		unexplained Change
		known       map[uint64]bool // lines of blocks with a balance
	}{
		"slash": {
			[]string{deposit, row(10, 1001, "balances.Slashed", "slash", "5", "NULL", "NULL"), row(11, 1000, "balances.Deposit", "deposit", "1", "'1'", "'0'")},
			map[uint64][2]uint64{0: {10, 10}, 10: {11, 7}, 11: {12, 7}},
			[]Difference{{Height: 10, Change: by(t, "-2", "-3"), UnknownChange: true}}, nil, Change{},
			map[uint64]bool{10: false, 11: true},
		},
		"slash of another size": {
			[]string{row(10, 1001, "balances.Slashed", "slash", "5", "NULL", "NULL"), row(12, 1000, "balances.Deposit", "deposit", "1", "'1'", "'0'")},
			map[uint64][2]uint64{0: {10, 10}, 10: {10, 4}, 12: {11, 4}},
			nil, []Difference{{Height: 10, Change: by(t, "0", "-6"), UnknownChange: true}}, by(t, "0", "-6"),
			map[uint64]bool{10: false, 12: true},
		},
		"transfer on hold": {
			[]string{row(10, 1001, "balances.TransferOnHold", "transfer-in", "5", "NULL", "NULL")},
			map[uint64][2]uint64{0: {10, 10}, 10: {10, 15}},
			[]Difference{{Height: 10, Change: by(t, "0", "5"), UnknownChange: true}}, nil, Change{},
			map[uint64]bool{10: false},
		},
		"set": {
			[]string{row(10, 1001, "balances.BalanceSet", "free-set", "7", "NULL", "'0'"), row(10, 1002, "balances.BalanceSet", "reserved-set", "2", "'0'", "NULL")},
			map[uint64][2]uint64{0: {10, 10}, 10: {7, 2}},
			nil, nil, Change{},
			map[uint64]bool{10: true},
		},
		"set, and wrong before": {
			[]string{deposit, row(12, 1001, "balances.BalanceSet", "free-set", "7", "NULL", "'0'")},
			map[uint64][2]uint64{0: {10, 10}, 10: {12, 10}, 12: {7, 10}},
			nil, nil, Change{}, // the ends fit
			map[uint64]bool{10: true, 12: true},
		},
		"slash, and wrong elsewhere": {
			[]string{deposit, row(20, 1001, "balances.Slashed", "slash", "5", "NULL", "NULL")},
			map[uint64][2]uint64{0: {10, 10}, 10: {12, 10}, 20: {7, 10}},
			[]Difference{{Height: 20, Change: by(t, "-5", "0"), UnknownChange: true}},
			[]Difference{{Height: 10, Change: by(t, "-1", "0")}}, by(t, "-1", "0"),
			map[uint64]bool{10: true, 20: false},
		},
	} {
		t.Run(what, func(t *testing.T) {
			book := recorded(t, name, test.changes...)
			balances := told{who: {}}
			var now [2]uint64
			for h := uint64(0); h <= 27; h++ {
				if b, ok := test.balances[h]; ok {
					now = b
				}
				balances[who][h] = chain.Balance{Free: chain.NewWei(now[0]), Reserved: chain.NewWei(now[1])}
			}
			s := made(t, book, balances, who, chain.Heights{Last: 27}, false)
			require.Equal(t, test.settled, s.Settled)
			require.Equal(t, test.differences, s.Differences)
			require.Equal(t, chain.Some(test.unexplained), s.Unexplained)
			require.Equal(t, len(test.differences) == 0, s.Holds())
			var last *statement.Line
			for l, err := range s.Lines(context.Background()) {
				require.NoError(t, err)
				last = l
				if l.Movement.Kind != movement.KindDeposit || l.Height != 10 {
					require.Equal(t, test.known[l.Height], l.FreeBalance.Known(), l.Place())
				}
			}
			if balance, ok := last.FreeBalance.Get(); ok && s.Holds() {
				require.Equal(t, fmt.Sprint(now[0]), balance.String())
			}
			if s.Holds() { // at 3 EUR for a unit, the movements are worth 3 times the change of the balance
				prices, err := money.Read([]byte("# source: X\n2026-01-01,3\n2026-11-20,3\n"), "EUR")
				require.NoError(t, err)
				y := style
				require.NoError(t, y.ValueBy(t.Context(), statement.Valued{Prices: prices}, []*statement.Statement{s}))
				worth, known := s.MovedWorth.Get()
				require.True(t, known)
				moved := int64(now[0]+now[1]) - int64(test.balances[0][0]+test.balances[0][1])
				require.Equal(t, decimal.New(3*moved, -18).String(), worth.Exact())
			}
			if everyBlock := made(t, book, balances, who, chain.Heights{Last: 27}, true); what == "set, and wrong before" {
				require.Equal(t, []Difference{{Height: 10, Change: by(t, "-1", "0")}}, everyBlock.Differences)
				require.Equal(t, chain.Some(Change{}), everyBlock.Unexplained)
			} else {
				require.Equal(t, test.differences, everyBlock.Differences)
				require.Equal(t, test.settled, everyBlock.Settled)
				require.Equal(t, s.Unexplained, everyBlock.Unexplained)
			}
			without := made(t, book, nil, who, chain.Heights{Last: 27}, false)
			require.False(t, without.Opening.Known() || without.Closing.Known() || without.Unexplained.Known())
			for l, err := range without.Lines(context.Background()) {
				require.NoError(t, err)
				require.False(t, l.FreeBalance.Known())
			}
		})
	}
}

func TestNoBlocks(t *testing.T) {
	const name = "moonbeam-2100"
	balances := ledgertest.RecordedBalances(t, name)
	s := made(t, recorded(t, name), balances, alith, chain.Heights{}, true)
	require.True(t, s.Holds())
	require.Equal(t, s.Opening, s.Closing)
	require.Equal(t, chain.Some(balances[alith][0]), s.Opening)
	require.Zero(t, s.Count)
	require.Equal(t, []string{"nothing to prove: no blocks after the opening"}, s.Notes(console.Token{}))
	_, err := statement.Make(context.Background(), recorded(t, name), nil, alith, chain.Heights{First: 2, Last: 1}, statement.Options{})
	require.EqualError(t, err, "invalid block range 2..1: the end is before the start")
}

// failing are balances with one error.
type failing struct {
	told
	at    uint64
	asked atomic.Int64
}

func (f *failing) Balance(ctx context.Context, account chain.Address, at uint64) (chain.Balance, error) {
	f.asked.Add(1)
	if at == f.at {
		return chain.Balance{}, fmt.Errorf("block %d: %w", at, errAway)
	}
	return f.told.Balance(ctx, account, at)
}

var errAway = errors.New("away")

func TestErrors(t *testing.T) {
	const name = "moonbeam-2100"
	ctx := context.Background()
	span := chain.Heights{Last: 27}
	for at := range uint64(28) {
		balances := &failing{told: ledgertest.RecordedBalances(t, name), at: at}
		_, err := statement.Make(ctx, recorded(t, name), balances, alith, span, statement.Options{Options: Options{EveryBlock: true, Concurrency: 3}})
		require.ErrorIs(t, err, errAway)
		var ours *statement.LedgerError
		require.NotErrorAs(t, err, &ours)
	}
	balances := &failing{told: ledgertest.RecordedBalances(t, name), at: 13} // where a bisection looks first
	book := recorded(t, name, "DELETE FROM movements WHERE height = 5 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'")
	_, err := statement.Make(ctx, book, balances, alith, span, statement.Options{})
	require.ErrorIs(t, err, errAway)

	for _, damage := range []string{
		"UPDATE movements SET amount = '340282366920938463463374607431768211456' WHERE height = 25 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'",
		"UPDATE transactions SET charged = '340282366920938463463374607431768211456' WHERE height = 25 AND payer = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'",
		"UPDATE transactions SET charged = '340282366920938463463374607431768211455' WHERE payer = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'",
		"UPDATE movements SET free = '340282366920938463463374607431768211455' WHERE height = 25 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'",
	} {
		for _, balances := range []Reader{nil, ledgertest.RecordedBalances(t, name)} {
			_, err := statement.Make(ctx, recorded(t, name, damage), balances, alith, span, statement.Options{Options: Options{EveryBlock: true}})
			var ours *statement.LedgerError
			require.ErrorAs(t, err, &ours, damage)
		}
	}
	closed := recorded(t, name)
	require.NoError(t, closed.Close())
	_, err = statement.Make(ctx, closed, nil, alith, span, statement.Options{})
	require.Error(t, err)
}

// No more balances are queried than needed, and progress reports their number.
func TestQuestions(t *testing.T) {
	const name = "moonbeam-2100"
	ask := func(book *ledger.Book, o Options) (asked int64, done, total uint64) {
		balances := &failing{told: ledgertest.RecordedBalances(t, name), at: 1000}
		o.Progress = func(d, n uint64) { done, total = d, n }
		_, err := statement.Make(context.Background(), book, balances, alith, chain.Heights{Last: 27}, statement.Options{Options: o})
		require.NoError(t, err)
		return balances.asked.Load(), done, total
	}
	asked, done, total := ask(recorded(t, name), Options{})
	require.Equal(t, []uint64{2, 2, 2}, []uint64{uint64(asked), done, total})
	asked, done, total = ask(recorded(t, name), Options{EveryBlock: true, Concurrency: 1})
	require.Equal(t, []uint64{29, 29, 29}, []uint64{uint64(asked), done, total})
	book := recorded(t, name, "DELETE FROM movements WHERE height = 5 AND account = x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac'")
	asked, done, total = ask(book, Options{})
	require.LessOrEqual(t, asked, int64(2+5)) // 27 blocks are halved 5 times
	require.Equal(t, uint64(asked), done)
	require.Equal(t, done, total)
	// The ends, and then the last with both sides of the slash.
	book = recorded(t, name, "INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (10, 9000, -1, 0, 'balances.Slashed', 'slash', x'f24ff3a9cf04c71dbc94d0b566f7a27b94566cac', '0', NULL, NULL)")
	asked, done, total = ask(book, Options{})
	require.Equal(t, []uint64{5, 5, 5}, []uint64{uint64(asked), done, total})
}

// gate blocks queries until the maximum number is concurrent.
type gate struct {
	told
	here, most atomic.Int64
	open       chan struct{}
}

func (g *gate) Balance(ctx context.Context, account chain.Address, at uint64) (chain.Balance, error) {
	here := g.here.Add(1)
	defer g.here.Add(-1)
	for most := g.most.Load(); here > most && !g.most.CompareAndSwap(most, here); most = g.most.Load() {
	}
	if at >= 1 && at <= 4 {
		if here == 4 {
			close(g.open)
		}
		select {
		case <-g.open:
		case <-time.After(time.Minute):
			return chain.Balance{}, errAway
		}
	}
	return g.told.Balance(ctx, account, at)
}

func TestConcurrency(t *testing.T) {
	const name = "moonbeam-2100"
	g := &gate{told: ledgertest.RecordedBalances(t, name), open: make(chan struct{})}
	s, err := statement.Make(context.Background(), recorded(t, name), g, alith, chain.Heights{Last: 27}, statement.Options{Options: Options{EveryBlock: true, Concurrency: 4}})
	require.NoError(t, err)
	require.True(t, s.Holds())
	require.EqualValues(t, 4, g.most.Load())
}

// The consumer of the lines may stop early.
func TestStop(t *testing.T) {
	s := made(t, recorded(t, "moonbeam-2100"), nil, alith, chain.Heights{Last: 27}, false)
	for range s.Lines(context.Background()) {
		break
	}
	require.ErrorIs(t, s.Each(context.Background(), func(*statement.Line) error { return errAway }), errAway)
}
