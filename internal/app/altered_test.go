package app_test

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/pdftest"
)

// A hash of several transactions names none of them: the error lists the first ten IDs.
func TestOneHashOfSeveralTransactions(t *testing.T) {
	hash := chain.Hash{0xab}
	for limit, more := range map[int]string{2: "", 11: ", and more"} {
		var places []string
		for _, s := range allSent(t) {
			if s.Family == "native" && len(places) < limit {
				places = append(places, s.place())
			}
		}
		require.Len(t, places, limit)
		d := opened(t, changed(t, func(b *chain.Block) error {
			for i := range b.Extrinsics {
				if slices.Contains(places, fmt.Sprintf("%d-%d", b.Number, i)) {
					b.Extrinsics[i].Hash = hash
				}
			}
			return nil
		}))
		_, err := d.PlaceOf(t.Context(), hash.String())
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		require.EqualError(t, err, "the ledger contains several transactions with the hash "+hash.String()+". Name one by its ID: "+strings.Join(places[:min(limit, 10)], ", ")+more)
	}
}

// A list by fees leaves out a transaction of unknown fee and counts it, and a month leaves out a block whose own time is
// of another month.
func TestTransactionsOfAltered(t *testing.T) {
	d := opened(t, changed(t, withoutPayer))
	const least = 3_000_000_000_000_000 // 0.003
	_, above := charges(t, func(s sent) bool {
		n, _ := new(big.Int).SetString(s.Charged, 10)
		return s.place() != "25-6" && n.Cmp(big.NewInt(least)) >= 0
	})
	only, err := report.ParseOnly([]string{"fee_from=0.003"})
	require.NoError(t, err)
	list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(0, 27), Only: only})
	require.NoError(t, err)
	require.Len(t, list.List, int(above))
	require.Equal(t, uint64(1), list.Untold)
	require.Equal(t, []string{"1 transaction is left out: its outcome or fee is unknown"}, list.Notes())

	d = opened(t, changed(t, movedTo(10, "1769904000000"))) // 2026-02-01
	january := parsed(t, app.PeriodInput{Month: "2026-01", Partial: true})
	_, within := charges(t, func(s sent) bool { return s.Height != 10 })
	list, err = d.Transactions(t.Context(), app.TransactionsRequest{Period: january, Limit: 1000})
	require.NoError(t, err)
	require.Len(t, list.List, int(within))
	calls, err := d.CallingsOf(t.Context(), january, []chain.Address{address(t, alith)})
	require.NoError(t, err)
	_, own := charges(t, func(s sent) bool { return of(alith)(s) && s.Height != 10 })
	require.Equal(t, own, calls[address(t, alith)].All)
}

// The figures of a list lack accounts of another chain, and balances that a source does not state. One that the source does
// not keep is the reason that is given.
func TestFiguresThatAreMissing(t *testing.T) {
	d := opened(t, copied(t))
	accounts := []chain.Address{address(t, alith), address(t, baltathar), chain.Address32([32]byte{1})}
	src := withBalances(t)
	right := src.balance
	src.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		if account == address(t, alith) {
			return chain.Balance{}, chain.ErrNotKept
		}
		return right(account, height)
	}
	f, err := d.FiguresOf(t.Context(), accounts, app.Heights(0, 27))
	require.NoError(t, err)
	require.Len(t, f.Last, 2)
	balances, unread, err := d.BalancesOf(t.Context(), accounts, src)
	require.NoError(t, err)
	require.Len(t, balances, 1)
	require.ErrorIs(t, unread, chain.ErrNotKept)
}

// A movement whose change its event does not state is in no sum of a statement, and is named. Balances before and after it
// state what it was.
func TestItemsThatAreNotStated(t *testing.T) {
	place := copied(t)
	const slash = "INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (%d, 9000, 2147483647, %d, 'balances.Slashed', 'slash', x'0000000000000000000000000000000000000001', '5', NULL, NULL)"
	const deposit = "INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (25, 9001, 2147483647, 300, 'balances.Deposit', 'deposit', x'0000000000000000000000000000000000000001', '9', '9', '0')"
	ledgertest.Change(t, place, fmt.Sprintf(slash, 24, 300), deposit, "UPDATE transactions SET charged = NULL WHERE height = 25 AND extrinsic = 4")
	d, other := opened(t, place), chain.Address20([20]byte{19: 1})
	made := func(src *otherwise) (*app.Statements, [2][]app.StatementItem) {
		q := app.StatementRequest{Request: app.Request{Period: app.Heights(24, 26), Accounts: []chain.Address{other, address(t, alith)}}}
		if src != nil {
			q.Balances = src
		}
		l, err := d.Statements(t.Context(), q)
		require.NoError(t, err)
		var items [2][]app.StatementItem
		for i, s := range l.List {
			items[i], err = l.Items(t.Context(), s)
			require.NoError(t, err)
		}
		return l, items
	}
	change := func(free, reserved int64) chain.Optional[balances.Change] {
		var sizes [2]chain.SignedWei
		for i, size := range []int64{free, reserved} {
			var err error
			sizes[i], err = chain.ParseSignedWei(fmt.Sprint(size))
			require.NoError(t, err)
		}
		return chain.Some(balances.Change{Free: sizes[0], Reserved: sizes[1]})
	}
	l, items := made(nil)
	require.Equal(t, []app.StatementItem{{"other payments", "1 movement, 1 not stated", chain.Optional[balances.Change]{}}, {"not classified", "1 movement", change(9, 0)}}, items[0])
	at := slices.IndexFunc(items[1], func(i app.StatementItem) bool { return i.Name == "fees" })
	require.GreaterOrEqual(t, at, 0, "what was charged is not known, so fees are not split by layer: %v", items[1])
	a, err := l.About(t.Context(), app.AboutRequest{Program: "a test", Command: "fees"})
	require.NoError(t, err)
	printed := func(l *app.Statements) string {
		var out bytes.Buffer
		require.NoError(t, l.WritePDF(t.Context(), &out, app.Paper{Size: "a4"}, a))
		leaves, _ := pdftest.Parse(t, out.Bytes()).Leaves()
		var texts []string
		for _, leaf := range leaves {
			texts = append(texts, leaf.Text)
		}
		return strings.Join(texts, "\n")
	}
	text := printed(l)
	require.Contains(t, text, app.BalancesMissing(""))
	require.Contains(t, text, "other payments\n1 movement, 1 not stated\n")

	src := withBalances(t)
	right := src.balance
	src.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		if account != other {
			return right(account, height)
		}
		return map[uint64]chain.Balance{23: {Free: chain.NewWei(10), Reserved: chain.NewWei(3)}, 24: {Free: chain.NewWei(8)}, 25: {Free: chain.NewWei(17)}, 26: {Free: chain.NewWei(17)}}[height], nil
	}
	l, items = made(&src)
	require.Equal(t, []app.StatementItem{
		{app.ItemOpening, "", change(10, 3)}, {"other payments", "1 movement, 1 not stated", chain.Optional[balances.Change]{}}, {"not classified", "1 movement", change(9, 0)},
		{app.ItemInferred, "1 block", change(-2, -3)}, {app.ItemClosing, "", change(17, 0)}, {app.ItemDifference, "", change(0, 0)},
	}, items[0])
	require.True(t, l.List[0].Holds())
	require.NotContains(t, printed(l), "Balances not available")
	account, err := d.Account(t.Context(), app.AccountRequest{Account: other})
	require.NoError(t, err)
	require.False(t, account.In.Known())
	require.False(t, account.Out.Known())

	stated := src.balance
	src.balance = func(account chain.Address, height uint64) (chain.Balance, error) { // one wei too much
		b, err := stated(account, height)
		if height == 26 && err == nil {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	l, items = made(&src)
	require.False(t, l.Holds())
	require.Equal(t, change(1, 0), items[0][len(items[0])-1].Change)
	require.Contains(t, printed(l), l.List[0].Proof(l.Style.Token))
}
