package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
)

// listFile is a file of accounts.
func listFile(t testing.TB, text string) string {
	path := filepath.Join(t.TempDir(), "accounts.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

const (
	accountOne = "0x0000000000000000000000000000000000000001"
	accountTwo = "0x0000000000000000000000000000000000000002"
)

// Accounts come from the flag and from files, in their order, each once.
func TestReadAccounts(t *testing.T) {
	file := listFile(t, "\ufeffAddress,name\r\n# theirs\n\n "+accountTwo+" , Them\r\n"+accountOne+"\n"+accountTwo)
	for name, c := range map[string]struct {
		flag []string
		want []chain.Address
	}{
		"none":      {nil, nil},
		"addresses": {[]string{accountTwo, " " + accountOne, accountTwo}, []chain.Address{chain.Address20([20]byte{19: 2}), chain.Address20([20]byte{19: 1})}},
		"a file":    {[]string{file}, []chain.Address{chain.Address20([20]byte{19: 2}), chain.Address20([20]byte{19: 1})}},
		"both":      {[]string{accountOne, file}, []chain.Address{chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2})}},
	} {
		t.Run(name, func(t *testing.T) {
			have, book, err := app.ReadAccounts(c.flag, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, have)
			require.Equal(t, c.want, book.Addresses())
		})
	}
}

// Labels come from all of the files, which must not differ. A file may have its columns in any
// order, and any of the separators.
func TestReadAccountsLabels(t *testing.T) {
	one := listFile(t, "label;account;address\nOne;Assets:One;"+accountOne+"\n;;"+accountTwo+"\n")
	two := listFile(t, accountTwo+"\tTwo\n"+accountOne+"\tOne\n")
	accounts, book, err := app.ReadAccounts([]string{accountTwo, one, two}, nil)
	require.NoError(t, err)
	require.Equal(t, []chain.Address{chain.Address20([20]byte{19: 2}), chain.Address20([20]byte{19: 1})}, accounts)
	for account, want := range map[chain.Address]string{chain.Address20([20]byte{19: 1}): "One", chain.Address20([20]byte{19: 2}): "Two"} {
		label, _ := book.Label(account)
		require.Equal(t, want, label)
	}
	other := listFile(t, "# not so\n"+accountOne+",Uno\n")
	_, _, err = app.ReadAccounts([]string{one, two, other}, nil)
	require.EqualError(t, err, "accounts "+other+": line 2: "+accountOne+` has the label "Uno" here, but "One" earlier`)
}

// Invalid items are reported with their lines, all at once.
func TestReadAccountsWrong(t *testing.T) {
	file := listFile(t, accountOne+"\nme\n0x12,you\naddress\n")
	_, _, err := app.ReadAccounts([]string{"0x34", file, "nowhere.txt"}, nil)
	require.EqualError(t, err, strings.Join([]string{
		`accounts: "0x34" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`,
		`accounts ` + file + `: line 2: "me" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`,
		`line 3: "0x12" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`,
		`line 4: "address" is not an address: want 0x and 40 hex digits, or SS58 of 32 bytes`,
		`accounts nowhere.txt: not an address (0x and 40 hex digits, or SS58), and not a file`,
	}, "\n"))

	empty := listFile(t, "address\n# empty\n")
	_, _, err = app.ReadAccounts([]string{empty}, nil)
	require.EqualError(t, err, "accounts "+empty+": the file contains no address")

	var many strings.Builder
	for n := range 10_001 {
		fmt.Fprintf(&many, "0x%040x\n", n)
	}
	_, _, err = app.ReadAccounts([]string{listFile(t, many.String())}, nil)
	require.EqualError(t, err, "10001 accounts exceed the limit of 10000")
}
