package statement_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// With an address book, each row of every sheet contains its account's label and group, or nothing without an
// entry.
func TestCalled(t *testing.T) {
	const name = "moonbeam-2100"
	ctx, book, balances := context.Background(), recorded(t, name), ledgertest.RecordedBalances(t, name)
	span := chain.Heights{First: 24, Last: 26}
	var unnamed chain.Address
	for account := range balances {
		if account != alith {
			unnamed = account
		}
	}
	list := []*statement.Statement{made(t, book, balances, alith, span, false), made(t, book, balances, unnamed, span, false)}
	named := style
	named.Called, named.Labels = true, &addressbook.Book{}
	require.NoError(t, named.Labels.Add(addressbook.Entry{Address: alith, Label: "Ours", Group: "company"}))
	for _, s := range []*table.Sheet{named.Summary(list...), named.Movements(ctx, list...), named.Fees(ctx, list...), named.Transfers(ctx, list...)} {
		var text bytes.Buffer
		require.NoError(t, table.WriteCSV(&text, s))
		rows, err := csv.NewReader(&text).ReadAll()
		require.NoError(t, err)
		at := map[string]int{}
		for i, column := range rows[0] {
			at[column] = i
		}
		for _, row := range rows[1:] {
			want := []string{"", ""}
			if row[at["account"]] == alith.String() {
				want = []string{"Ours", "company"}
			}
			require.Equal(t, want, []string{row[at["label"]], row[at["group"]]}, s.Name)
		}
	}
}
