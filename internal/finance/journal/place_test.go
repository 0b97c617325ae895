package journal_test

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// shelf is a book with the ERC-20 transfers that a test puts into it.
type shelf struct {
	transfers []*ledger.Transfer
	reads     int
}

func (s *shelf) Transfers(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transfer, error] {
	s.reads++
	return func(yield func(*ledger.Transfer, error) bool) {
		for _, x := range s.transfers {
			if x.Height >= q.Span.First && x.Height <= q.Span.Last && !yield(x, nil) {
				return
			}
		}
	}
}

func (*shelf) Movements(context.Context, ledger.Query) iter.Seq2[*ledger.Movement, error] {
	return func(func(*ledger.Movement, error) bool) {}
}

// A rule may ask for the token that a transaction moved. Each block is read once.
func TestTokens(t *testing.T) {
	token, other := chain.Address20([20]byte{5}), chain.Address20([20]byte{6})
	book := &shelf{transfers: []*ledger.Transfer{{Height: 1, Extrinsic: 4, Token: token}, {Height: 1, Extrinsic: 5, Token: other}}}
	p := journal.Placer{Rows: book, Chart: readChart(t, "# asset: 1500\ntoken,account,class\n"+token.String()+",6814,T\n-,6815,\n*,6816,\n")}
	for _, c := range []struct {
		height uint64
		index  int
		want   string
	}{{1, 4, "6814"}, {1, 5, "6816"}, {1, 6, "6815"}, {2, 4, "6815"}} {
		x := payment(t, c.height, "2026-01-01T12:00:00Z", 1, "5")
		x.Index = c.index
		placed, err := p.Place(context.Background(), x)
		require.NoError(t, err)
		require.Equal(t, c.want, placed.Expense)
	}
	require.Equal(t, 2, book.reads)
}

// In tokens, dimensions are tags, an account without an asset in the chart has that of its name, and movements are placed
// by rows with a kind only.
func TestMovementsByAChart(t *testing.T) {
	move := func(where movement.Where, kind movement.Kind, who, amount string, change chain.Optional[chain.SignedWei]) ledger.Movement {
		m := moved(t, where, kind, amount, change)
		m.Event, m.Account = "balances.Transfer", address(t, who)
		if kind == movement.KindTransferIn || kind == movement.KindTransferOut {
			m.Counterparty = chain.Some(address(t, charleth))
		}
		return m
	}
	book := &made{payments: []*ledger.Transaction{paid(t, 3, "60", "60")}, movements: []ledger.Movement{
		move(movement.OnInitialize, movement.KindTransferIn, alith, "7", more(t, "7")), move(movement.OnInitialize, movement.KindTransferOut, baltathar, "5", less(t, "5")),
		moved(t, 3, movement.KindWithdrawal, "60", less(t, "60")), moved(t, 4, movement.KindDust, "1", less(t, "1")),
	}}
	balances := recorded{address(t, alith): {6: {Free: wei(t, "1000")}, 7: {Free: wei(t, "946")}}, address(t, baltathar): {6: {Free: wei(t, "5")}, 7: {}}}
	r := style()
	r.Rows, r.Labels = &shelf{}, labels(t, addressbook.Entry{Address: address(t, alith), Label: "Savings"})
	r.Chart = readChart(t, "kind,label,account,cost_centre\ntransfer,Savings,Equity:Savings,\ntransfer,,Equity:Transfers,\n,,Expenses:Gas,100\n")
	payments, err := journal.Find(t.Context(), book, question([]chain.Address{address(t, alith), address(t, baltathar)}, 7, 7))
	require.NoError(t, err)
	j, err := journal.MovementJournal(t.Context(), payments, balances, r)
	require.NoError(t, err)
	text := written(t, j, journal.HLedger)
	for _, want := range []string{
		"    Equity:Savings  -0.000000000000000007 GLMR\n", "    Equity:Transfers  0.000000000000000005 GLMR\n", "    ; cost_centre: 100\n", "    Expenses:Gas  0.000000000000000060 GLMR\n",
		"    Expenses:Dust  0.000000000000000001 GLMR\n", // no row has its kind
	} {
		require.Contains(t, text, want)
	}

	r.Chart = readChart(t, "kind,account\ntransfer,1\n")
	_, err = journal.FeeJournal(t.Context(), payments, r)
	require.ErrorContains(t, err, "no rule of the chart has an account")
}
