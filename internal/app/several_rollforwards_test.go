package app

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
)

// If the rollforward of a chain does not hold, the total of the chains is not known, though the values of its lines are.
func TestTotalOfARollforwardThatDoesNotHold(t *testing.T) {
	prices, err := money.Read([]byte("# source: X\ndate,price\n2026-01-01,2\n"), "EUR")
	require.NoError(t, err)
	for unexplained := range uint64(2) {
		var parts []Part
		var made []*Rollforward
		for i, network := range []string{"one", "two"} {
			s := &statement.Statement{}
			if i == 1 {
				s.Comparison = balances.Comparison{Unexplained: chain.Some(balances.Change{Free: chain.NewWei(unexplained).Signed()})}
			}
			sums := []rollforward.Sum{{Line: rollforward.Fees, Free: chain.Some(chain.SignedWei{}), Reserved: chain.Some(chain.SignedWei{}), Value: chain.Some(money.NothingIn("EUR"))}}
			parts = append(parts, Part{Network: network, Request: Request{Prices: prices}})
			made = append(made, &Rollforward{Rollforward: &rollforward.Rollforward{Columns: []rollforward.Column{{Sums: sums}}, Statements: []*statement.Statement{s}}, request: &RollforwardRequest{}, held: &Held{}})
		}
		j, err := JoinRollforwards(t.Context(), parts, made, nil)
		require.NoError(t, err)
		require.Equal(t, unexplained == 0, j.Holds())
		var text bytes.Buffer
		require.NoError(t, writeTotal(&text, j.Book[len(j.Book)-1], 200))
		require.Equal(t, unexplained > 0, strings.Contains(text.String(), "note: the total is not known: part of the rollforward of two is unexplained or unknown"))
	}
}
