package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/addressbook"
)

// The payers without a label are those of the report by account, without those of the address book. The file can be read
// as an address book.
func TestPayersWithoutALabel(t *testing.T) {
	s := view(t, "ours")
	rows := rowsAt(t, s.url+"/fees.csv?by=account&period=2025-02")
	file := pageAt(t, s.url+"/accounts/unlabelled.csv?period=2025-02")
	book, err := addressbook.Read(strings.NewReader(strings.ReplaceAll(file, ",,", ",name,")))
	require.NoError(t, err)
	page := pageAt(t, s.url+"/accounts/unlabelled?period=2025-02")
	var others []string
	for _, row := range rows[1:] {
		if row[0] != s.account.String() {
			others = append(others, row[0])
		}
	}
	require.Less(t, len(others), len(rows)-1)
	for _, account := range others[:90] { // of the first page
		require.Contains(t, page, `"account/`+account+`?period=2025-02"`)
	}
	require.NotContains(t, page, `"account/`+s.account.String()+`?`)
	require.Len(t, book.Entries(), len(others))
	require.Contains(t, file, "address,label,group\n"+others[0]+",,\n"+others[1]+",,\n", "highest fees first")
	require.Contains(t, pageAt(t, s.url+"/accounts"), `<a href="accounts/unlabelled">Payers without a label</a>`)
	require.Contains(t, pageAt(t, s.url+"/accounts/unlabelled.csv?accounts=ours"), "Remove the parameter accounts.")
}

// The navigation marks the page, and for a page below another one its section.
func TestNavigation(t *testing.T) {
	s := view(t, "ours")
	account := "/account/" + s.account.String()
	for path, want := range map[string]string{
		"/accounts":             `<a href="accounts" aria-current="page">Accounts</a>`,
		"/accounts/unlabelled":  `<a href="accounts" aria-current="true">Accounts</a>`,
		"/accounts/rollforward": `<a href="accounts" aria-current="true">Accounts</a>`,
		account:                 `<a href="accounts" aria-current="true">Accounts</a>`,
		account + "/statement":  `<a href="accounts" aria-current="true">Accounts</a>`,
		"/fees":                 `aria-current="page">Fees</a>`,
	} {
		require.Contains(t, pageAt(t, s.url+path), want, path)
	}
}
