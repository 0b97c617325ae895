package rollforward_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

// most is the largest possible balance.
const most = "340282366920938463463374607431768211455"

func largest(t testing.TB) chain.SignedWei { return wei(t, most).Signed() }

// A sum that exceeds the largest balance is an error of the ledger, wherever it occurs: in a sum, in the balances of
// all accounts, or in the sum of periods. It is never truncated.
func TestOverflow(t *testing.T) {
	accounts := emptyBook()
	require.NoError(t, accounts.Add(entryOf(who)))
	require.NoError(t, accounts.Add(entryOf(someone)))
	whole := []rollforward.Period{{Name: "all", Span: chain.Heights{First: 0, Last: 27}}}
	halves := []rollforward.Period{{Name: "a", Span: chain.Heights{First: 0, Last: 14}}, {Name: "b", Span: chain.Heights{First: 15, Last: 27}}}
	in := func(height, position int, account chain.Address) string {
		return row(height, position, movement.OnInitialize, "balances.Deposit", movement.KindDeposit, account, "NULL", "'"+most+"'", "'"+most+"'", "0")
	}
	out := func(height, position int, account chain.Address) string {
		return row(height, position, movement.OnFinalize, "balances.Withdraw", movement.KindWithdrawal, account, "NULL", "'"+most+"'", "'-"+most+"'", "0")
	}
	var many []string // each period has room for its own
	for _, height := range []int{2, 16} {
		many = append(many, in(height, 9000, who), out(height, 9001, who))
	}
	rich := told{who: {}, someone: {}}
	for h := range uint64(28) {
		rich[who][h] = chain.Balance{Free: wei(t, most), Reserved: wei(t, most)}
		rich[someone][h] = rich[who][h]
	}
	for name, test := range map[string]struct {
		periods []rollforward.Period
		changes []string
		reader  balances.Reader
	}{
		"the sum of a class": {whole, many, nil},
		"the sum of periods": {halves, many, nil},
		"the balances":       {whole, nil, rich},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rollforward.Make(t.Context(), recorded(t, "moonbeam-2100", test.changes...), rollforward.Request{Periods: test.periods, Accounts: accounts, Balances: test.reader})
			require.ErrorIs(t, err, chain.ErrOverflow)
			var ours *statement.LedgerError
			require.ErrorAs(t, err, &ours)
		})
	}
}

// A total that exceeds the largest balance is written in no format that contains it.
func TestTotalsThatOverflow(t *testing.T) {
	huge := chain.Some(largest(t))
	y := &rollforward.Style{}
	sum := rollforward.Sum{Line: rollforward.Received, Class: "transfer", Direction: rollforward.In, Count: 1, Free: huge, Reserved: huge}
	reserved := rollforward.Sum{Line: rollforward.Received, Class: "transfer", Direction: rollforward.In, Reserved: huge}
	change := chain.Some(balances.Change{Free: largest(t), Reserved: largest(t)})
	for name, test := range map[string]struct {
		column rollforward.Column
		forms  []string // that have the total
	}{
		"a sum":    {rollforward.Column{Sums: []rollforward.Sum{sum}}, []string{"json", "lines", "table"}},
		"a line":   {rollforward.Column{Sums: []rollforward.Sum{sum, sum}}, []string{"json", "lines", "summary", "table"}},
		"opening":  {rollforward.Column{Opening: change}, []string{"lines", "table"}},
		"closing":  {rollforward.Column{Closing: change}, []string{"json", "lines", "summary", "table"}},
		"reserved": {rollforward.Column{Sums: []rollforward.Sum{reserved, reserved}}, []string{"json", "lines", "summary", "table"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &rollforward.Rollforward{Columns: []rollforward.Column{test.column}}
			var failed []string
			for form, err := range map[string]error{
				"lines": table.WriteCSV(&bytes.Buffer{}, y.Lines(r)), "summary": table.WriteCSV(&bytes.Buffer{}, y.Summary(r)),
				"table": y.WriteTable(&bytes.Buffer{}, r, 80), "json": y.WriteJSON(&bytes.Buffer{}, r),
			} {
				if err != nil {
					require.ErrorIs(t, err, chain.ErrOverflow)
					failed = append(failed, form)
				}
			}
			require.ElementsMatch(t, test.forms, failed)
			_, err := test.column.Change()
			require.Equal(t, name == "a line", err != nil)
		})
	}
}

// A cancelled query ends, and so does a list.
func TestCancelled(t *testing.T) {
	r, y := shown(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, r.Each(ctx, func(*rollforward.Item) error { return nil }))
	require.Error(t, table.WriteCSV(&bytes.Buffer{}, y.Movements(ctx, r, rollforward.All)))
	enough := statement.LedgerError{Err: context.Canceled}
	seen := 0
	err := r.Each(t.Context(), func(*rollforward.Item) error {
		seen++
		return &enough
	})
	require.Equal(t, &enough, err)
	require.Equal(t, 1, seen)
}
