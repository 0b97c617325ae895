package web_test

import (
	"bytes"
	"encoding/csv"
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
)

// The rollforward of several accounts has a row for each: its balances are those of its statement, and the last row is
// their sum. Without a choice it is about the address book.
func TestRollforwardOfSeveralAccounts(t *testing.T) {
	d, reader, account := madeUp(t, 60)
	bare := served(t, d, nil)
	refused := get(t, bare, "/accounts/rollforward?period=3..50", nil)
	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Contains(t, refused.text, "fees serve --labels FILE")

	payers, err := csv.NewReader(strings.NewReader(get(t, bare, "/accounts/unlabelled.csv", nil).text)).ReadAll()
	require.NoError(t, err)
	other := payers[1][0]
	if other == account.String() {
		other = payers[2][0]
	}
	another, err := chain.ParseAccount(other)
	require.NoError(t, err)
	labels := book(t, "address,label,group\n"+account.String()+",Payments,ours\n"+other+",Gas,ours\n")
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Source, o.Ledgers[0].Labels, o.Ledgers[0].Place = reader, labels, "fees.db"
	})
	a := get(t, s, "/accounts/rollforward?period=3..50", nil)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Contains(t, a.text, "<h1>Rollforward of 2 accounts</h1>")
	require.Contains(t, html.UnescapeString(a.text), "Proved to the wei: opening + lines = closing, free and reserved")
	require.Contains(t, html.UnescapeString(a.text), "fees rollforward --by period --accounts "+labels.Path+" 3..50")
	rows := rowsOf(a.text)
	require.Len(t, rows, 2)
	var sum chain.Wei
	for i, x := range []chain.Address{account, another} {
		made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(3, 50), Accounts: []chain.Address{x}}, Balances: reader.Source})
		require.NoError(t, err)
		opening, known := made.List[0].Opening.Get()
		require.True(t, known)
		closing, _ := made.List[0].Closing.Get()
		require.Contains(t, rows[i], `<data value="`+opening.Free.String()+`">`)
		require.Contains(t, rows[i], `<data value="`+closing.Free.String()+`">`)
		sum, err = sum.Add(closing.Free)
		require.NoError(t, err)
	}
	_, foot, _ := strings.Cut(a.text, "<tfoot")
	require.Contains(t, foot, `<data value="`+sum.String()+`">`)

	made, err := d.Rollforward(t.Context(), app.RollforwardRequest{Request: app.Request{Period: app.Heights(3, 50), Accounts: []chain.Address{account, another}, Labels: labels.Book}, By: app.ByPeriod, Balances: reader.Source})
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, made.Style.WriteJSON(&want, made.Rollforward))
	require.Equal(t, want.String(), get(t, s, "/accounts/rollforward.json?period=3..50", nil).text)
	require.Len(t, rowsOf(get(t, s, "/accounts/rollforward?period=3..50&accounts=Gas", nil).text), 1)
	require.Contains(t, get(t, s, "/accounts", nil).text, `<a href="accounts/rollforward">Opening and closing balances</a>`)
}
