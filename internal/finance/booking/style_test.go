package booking_test

import (
	"context"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/booking"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// shelf is a book with the ERC-20 transfers that a test puts into it.
type shelf struct {
	transfers []*ledger.Transfer
	asked     int
}

func (s *shelf) Transfers(_ context.Context, q ledger.Query) iter.Seq2[*ledger.Transfer, error] {
	s.asked++
	return func(yield func(*ledger.Transfer, error) bool) {
		for _, x := range s.transfers {
			if x.Height >= q.Span.First && x.Height <= q.Span.Last && !yield(x, nil) {
				return
			}
		}
	}
}

func (*shelf) TransactionAt(context.Context, ledger.Place) (*ledger.Transaction, error) {
	return nil, nil
}

func (*shelf) Movements(context.Context, ledger.Query) iter.Seq2[*ledger.Movement, error] {
	return func(func(*ledger.Movement, error) bool) {}
}

// A rule may ask for the token that a transaction moved. Each block is read once.
func TestTokens(t *testing.T) {
	token, other := chain.Address20([20]byte{5}), chain.Address20([20]byte{6})
	book := &shelf{transfers: []*ledger.Transfer{{Height: 1, Extrinsic: 4, Token: token}, {Height: 1, Extrinsic: 5, Token: other}}}
	p := booking.Placer{Book: book, Chart: readChart(t, "# asset: 1500\ntoken,account,class\n"+token.String()+",6814,T\n-,6815,\n*,6816,\n")}
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
	require.Equal(t, 2, book.asked)
}

// The chart as the text journals use it: dimensions are tags, and movements are placed by rows
// with a kind only.
func TestForJournal(t *testing.T) {
	labels := labels(t, addressbook.Entry{Address: chain.Address20([20]byte{19: 1}), Label: "Savings"})
	p := booking.Placer{Book: &shelf{}, Labels: labels, Chart: readChart(t, "kind,label,account,cost_centre\n"+
		"transfer,Savings,Equity:Savings,\ntransfer,,Equity:Transfers,\n,,Expenses:Gas,100\n")}
	c := p.ForJournal()
	placed, err := c.Place(context.Background(), payment(t, 1, "2026-01-01T12:00:00Z", 1, "5"))
	require.NoError(t, err)
	require.Equal(t, "Expenses:Gas", placed.Expense)
	require.Empty(t, placed.Asset, "the names of the journal have it")
	require.Equal(t, [][2]string{{"cost_centre", "100"}}, placed.Tags)
	moved := func(who byte, event string, kind movement.Kind) string {
		m := &ledger.Movement{Height: 1, Movement: movement.Movement{Event: event, Kind: kind, Account: chain.Address20([20]byte{19: who}), Where: movement.OnFinalize, Counterparty: chain.Some(chain.Address20([20]byte{19: 9}))}}
		account, err := c.PlaceMovement(context.Background(), m)
		require.NoError(t, err)
		return account
	}
	require.Equal(t, "Equity:Savings", moved(1, "balances.Transfer", movement.KindTransferIn))
	require.Equal(t, "Equity:Transfers", moved(2, "balances.Transfer", movement.KindTransferOut))
	require.Empty(t, moved(1, "balances.Slashed", movement.KindSlash), "no row has its kind")

	p.Chart = readChart(t, "kind,account\ntransfer,1\n")
	_, err = p.ForJournal().Place(context.Background(), payment(t, 1, "2026-01-01T12:00:00Z", 1, "5"))
	require.ErrorContains(t, err, "no rule of the chart has an account")
}
