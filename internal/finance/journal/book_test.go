package journal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
)

// A general address book gives unique names; invalid names are skipped.
func TestNamesOf(t *testing.T) {
	none, err := journal.NamesOf(nil)
	require.NoError(t, err)
	require.Nil(t, none)

	book := &addressbook.Book{}
	long := strings.Repeat("x", 150)
	for i, label := range []string{"Exchange", "Exchange!", "Cold", "***", "0x0000000000000000000000000000000000000009", "Exchange 0x0000000000000000000000000000000000000001", long, long, ""} {
		require.NoError(t, book.Add(addressbook.Entry{Address: chain.Address20([20]byte{19: byte(i + 1)}), Label: label, Group: "ours"}))
	}
	require.NoError(t, book.Add(addressbook.Entry{Address: chain.Address20([20]byte{19: 1}), Account: "Assets:Deposit"}))
	names, err := journal.NamesOf(book)
	require.NoError(t, err)
	for i, want := range []string{"Exchange 0x0000000000000000000000000000000000000001", "Exchange 0x0000000000000000000000000000000000000002", "Cold"} {
		require.Equal(t, want, names.Name(chain.Address20([20]byte{19: byte(i + 1)})))
	}
	seen := map[string]bool{}
	for i := range 9 {
		address := chain.Address20([20]byte{19: byte(i + 1)})
		name := names.Name(address)
		require.False(t, seen[name], name)
		seen[name] = true
		if i > 2 {
			require.Equal(t, address.String(), name)
		}
		group, ok := names.Group(address)
		require.True(t, ok)
		require.Equal(t, "ours", group)
	}
	require.Equal(t, journal.Account("Assets:Deposit"), names.Asset(chain.Address20([20]byte{19: 1})))
	_, ok := names.Group(chain.Address20([20]byte{19: 99}))
	require.False(t, ok)

	require.NoError(t, book.Add(addressbook.Entry{Address: chain.Address20([20]byte{19: 3}), Account: "4711", Line: 5}))
	_, err = journal.NamesOf(book)
	require.ErrorContains(t, err, `"4711" is not an account below Assets or Liabilities`)
}
