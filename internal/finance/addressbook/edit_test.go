package addressbook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/addressbook"
)

// An edit changes one line, or adds one; all other bytes stay.
func TestEdit(t *testing.T) {
	one, two := chain.Address20([20]byte{19: 1}), chain.Address20([20]byte{19: 2})
	for name, c := range map[string]struct {
		text  string
		entry addressbook.Entry
		want  string
	}{
		"an empty file":        {"", addressbook.Entry{Address: one, Label: "Ours"}, "address,label,group,account\n" + first + ",Ours\n"},
		"comments":             {"# ours", addressbook.Entry{Address: one, Label: "A", Group: "g", Account: "Assets:A"}, "# ours\naddress,label,group,account\n" + first + ",A,g,Assets:A\n"},
		"a new line":           {"address,label,group\n" + first + ",A,g\n", addressbook.Entry{Address: two, Label: "B", Group: "g"}, "address,label,group\n" + first + ",A,g\n" + second + ",B,g\n"},
		"no end of line":       {"address,label\r\n" + first + ",A", addressbook.Entry{Address: two, Label: "B"}, "address,label\r\n" + first + ",A\r\n" + second + ",B\r\n"},
		"another label":        {"\ufeffkind;Label;Address;note\r\n# x;y\r\n\r\nhot; A ; " + first + " ;\"it's; mine\"\r\n;B;" + second + "\r\n", addressbook.Entry{Address: one, Label: "C; D"}, "\ufeffkind;Label;Address;note\r\n# x;y\r\n\r\nhot;\"C; D\";" + first + ";\"it's; mine\"\r\n;B;" + second + "\r\n"},
		"without a header":     {first + "\tA\n" + second + "\n", addressbook.Entry{Address: two, Label: "B", Account: "Assets:B"}, first + "\tA\n" + second + "\tB\tAssets:B\n"},
		"a short header":       {"address\n" + first + "\n", addressbook.Entry{Address: one, Label: "A"}, "address\n" + first + ",A\n"},
		"quotes":               {first + ",A\n", addressbook.Entry{Address: one, Label: `"A", 'B' #1`}, first + ",\"\"\"A\"\", 'B' #1\"\n"},
		"a comment's sign":     {"label,address\n", addressbook.Entry{Address: one, Label: "#a"}, "label,address\n\"#a\"," + first + "\n"},
		"a label taken away":   {"address,label,group\n" + first + ",A,g\n", addressbook.Entry{Address: one, Group: "g"}, "address,label,group\n" + first + ",,g\n"},
		"marks":                {"address,label,group\n" + first + ",Mu\u0308ller,g\n", addressbook.Entry{Address: one, Label: "Mu\u0308ller", Group: "o\u0308"}, "address,label,group\n" + first + ",Mu\u0308ller,ö\n"},
		"a formula that stays": {"address,label,group\n" + first + ",=1+2\n", addressbook.Entry{Address: one, Label: "=1+2", Group: "g"}, "address,label,group\n" + first + ",=1+2,g\n"},
	} {
		t.Run(name, func(t *testing.T) {
			made, _, err := addressbook.Edit([]byte(c.text), c.entry, c.entry.Address.String())
			if c.want == "" {
				require.Error(t, err, "the file cannot be read")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, string(made))
		})
	}
}

// An account has one entry in whatever form the file names it: SS58 with any prefix, hex, or the EVM address that it
// stands for. An edit changes that line; a new line has the given name.
func TestAccountsInAnyForm(t *testing.T) {
	evm, long := chain.Address20([20]byte{1, 2, 3}), chain.Address32([32]byte{4, 5})
	for name, account := range map[string]chain.Address{
		long.String(): long, long.SS58(0): long, long.SS58(2): long, fmt.Sprintf("0x%x", long.Bytes()): long,
		evm.String(): evm.Padded(), evm.Plain(): evm.Hashed(), evm.Padded().SS58(0): evm, evm.Hashed().SS58(2): evm,
	} {
		text := "address,label\n" + name + ",A\n"
		book, err := addressbook.Read(strings.NewReader(text))
		require.NoError(t, err)
		label, _ := book.Label(account)
		require.Equal(t, "A", label, name)
		made, book, err := addressbook.Edit([]byte(text), addressbook.Entry{Address: account, Label: "B"}, "not used")
		require.NoError(t, err, name)
		require.Equal(t, "address,label\n"+name+",B\n", string(made))
		label, _ = book.Label(account)
		require.Equal(t, "B", label, name)
		_, err = addressbook.Read(strings.NewReader(text + account.String() + ",B\n"))
		require.Equal(t, account == long, err != nil, "the same account with another label: %s", name)
	}
	made, _, err := addressbook.Edit([]byte("address,label\n"), addressbook.Entry{Address: long, Label: "A"}, long.SS58(0))
	require.NoError(t, err)
	require.Equal(t, "address,label\n"+long.SS58(0)+",A\n", string(made))
}

// A label that would select something else is neither written nor read; the error names the line.
func TestMisleadingLabels(t *testing.T) {
	one := chain.Address20([20]byte{19: 1})
	const text = "address,label,group\n" + first + ",A,g\n" + second + ",Payroll,company\n"
	forms := []string{
		first, "0x12", "0xF24FF3", "0x", "mbeam:" + first, "0xabcd…1234", "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "0x" + strings.Repeat("ab", 32),
		"group:company", "Group:x", "2026", "2026-01", "2026-01-05", "2026-01-05..2026-01-09", "2026-Q1", "2026 q4", "15", "1_000", "100..199", "100:+100", "25-7", "#12", "\u0661\u0662", " 2026-01 ",
	}
	for _, label := range forms {
		_, _, err := addressbook.Edit([]byte(text), addressbook.Entry{Address: one, Label: label, Group: "g"}, first)
		require.ErrorIs(t, err, addressbook.ErrEdit, label)
		_, err = addressbook.Read(strings.NewReader("address,label\n" + second + ",B\n" + first + ",\"" + label + "\"\n"))
		require.ErrorContains(t, err, "line 3: the label", label)
	}
	for label, want := range map[string]string{
		"payroll": "is also that of " + second, " PAYROLL": "one line", "Pay\u200broll": "one line", "company": "the name of a group", "COMPANY": "the name of a group", "G": "the name of a group",
	} {
		_, _, err := addressbook.Edit([]byte(text), addressbook.Entry{Address: one, Label: label, Group: "g"}, first)
		require.ErrorIs(t, err, addressbook.ErrEdit, label)
		require.ErrorContains(t, err, want)
	}
	for _, label := range []string{"Treasury 2026", "Wallet 0x12", "1inch", "3rd party", "A", "2026-01 payroll", "0xProject", "Quarter", "5G phones"} {
		_, _, err := addressbook.Edit([]byte(text), addressbook.Entry{Address: one, Label: label, Group: "g"}, first)
		require.NoError(t, err, label)
	}
}

// What a file, a spreadsheet or a reader could misread is not written.
func TestEditsThatAreRefused(t *testing.T) {
	one := chain.Address20([20]byte{19: 1})
	const text = "address,label,group\n" + first + ",A,g\n" + second + ",B\n" + second + ",,g\n"
	for label, want := range map[string]string{
		"a\nb": "one line", "a\rb": "one line", "a\x00b": "one line", "a\tb": "one line", "\u202eevil": "one line", "a\u2028b": "one line", " a": "one line", "a\u200b": "one line",
		"=cmd|' /C calc'!A0": "formula", "+1+1": "formula", "-2+3": "formula", "@SUM(1)": "formula", "\uff1dx": "formula", "|x": "formula",
		strings.Repeat("x", 10_000): "the limit of 200", strings.Repeat("é", 101): "the limit of 200", "\xff": "UTF-8",
	} {
		for _, e := range []addressbook.Entry{{Address: one, Label: label}, {Address: one, Label: "A", Group: label}} {
			_, _, err := addressbook.Edit([]byte(text), e, e.Address.String())
			require.ErrorIs(t, err, addressbook.ErrEdit, "%q", label)
			require.ErrorContains(t, err, want, "%q", label)
			require.Equal(t, failure.NotUnderstood, failure.Of(err))
		}
	}
	for want, e := range map[string]addressbook.Entry{
		"lines 3 and 4 are both about": {Address: chain.Address20([20]byte{19: 2}), Label: "C", Group: "g"}, "no column account": {Address: one, Label: "A", Account: "Assets:A"},
	} {
		_, _, err := addressbook.Edit([]byte(text), e, e.Address.String())
		require.ErrorIs(t, err, addressbook.ErrEdit)
		require.ErrorContains(t, err, want)
	}
	_, _, err := addressbook.Edit([]byte(first+",A\n"), addressbook.Entry{Address: one, Label: "A", Account: "4711"}, first)
	require.ErrorIs(t, err, addressbook.ErrEdit, "without a header an account has a colon")
	_, _, err = addressbook.Edit([]byte("nothing\n"), addressbook.Entry{Address: one, Label: "A"}, first)
	require.ErrorContains(t, err, "line 1")
}

// Whatever a file contains, an edit changes one entry and nothing else, or fails.
func FuzzEdit(f *testing.F) {
	f.Add("address;label\n"+first+";A\n", "B;\"", "g")
	f.Add("# x\n"+first+",A", "B", "")
	f.Add("", "'", "")
	f.Fuzz(func(t *testing.T, text, label, group string) {
		e := addressbook.Entry{Address: chain.Address20([20]byte{19: 1}), Label: label, Group: group}
		made, _, err := addressbook.Edit([]byte(text), e, e.Address.String())
		if err != nil {
			return
		}
		before, err := addressbook.Read(strings.NewReader(text))
		require.NoError(t, err)
		after, err := addressbook.Read(strings.NewReader(string(made)))
		require.NoError(t, err)
		for _, o := range after.Entries() {
			want := before.Entry(o.Address)
			if o.Address == e.Address {
				want = e
			}
			want.Line = o.Line
			require.Equal(t, want, o)
		}
		require.GreaterOrEqual(t, len(after.Entries()), len(before.Entries()))
	})
}
