package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
)

func readBook(t testing.TB, text string) *app.AddressBook {
	book, err := app.ReadAddressBook(write(t, "book.csv", text))
	require.NoError(t, err)
	return book
}

// The address book is found beside a ledger that is there, and nowhere else.
func TestAddressBookBeside(t *testing.T) {
	dir := t.TempDir()
	place := filepath.Join(dir, "fees.db")
	book := filepath.Join(dir, app.AddressBookFile)
	require.Empty(t, app.AddressBookBeside(place))
	require.NoError(t, os.WriteFile(book, nil, 0o600))
	require.Empty(t, app.AddressBookBeside(place))
	require.NoError(t, os.WriteFile(place, nil, 0o600))
	require.Equal(t, book, app.AddressBookBeside(place))
	require.Empty(t, app.AddressBookBeside("postgres://host/database"))
	require.NoError(t, os.Remove(book))
	require.NoError(t, os.Mkdir(book, 0o700))
	require.Empty(t, app.AddressBookBeside(place))
	t.Chdir(dir)
	require.NoError(t, os.Remove(book))
	require.NoError(t, os.WriteFile(book, nil, 0o600))
	require.Equal(t, app.AddressBookFile, app.AddressBookBeside("fees.db"))
}

// A list of accounts takes labels and groups of the address book, and files before labels.
func TestReadAccountsOfTheBook(t *testing.T) {
	book := readBook(t, "address,label,group\n"+accountOne+",Hot,ours\n"+accountTwo+",Cold,ours\n")
	accounts, chosen, err := app.ReadAccounts([]string{"cold", "group:Ours"}, book)
	require.NoError(t, err)
	require.Equal(t, []chain.Address{chain.Address20([20]byte{19: 2}), chain.Address20([20]byte{19: 1})}, accounts)
	label, _ := chosen.Label(chain.Address20([20]byte{19: 2}))
	require.Equal(t, "Cold", label)
	file := listFile(t, accountTwo+",Mine\n")
	accounts, chosen, err = app.ReadAccounts([]string{file}, book)
	require.NoError(t, err)
	require.Equal(t, []chain.Address{chain.Address20([20]byte{19: 2})}, accounts)
	named := book.With(chosen)
	for account, want := range map[chain.Address]string{chain.Address20([20]byte{19: 1}): "Hot", chain.Address20([20]byte{19: 2}): "Cold"} {
		label, _ := named.Label(account)
		require.Equal(t, want, label)
		group, _ := named.Group(account)
		require.Equal(t, "ours", group)
	}
	_, _, err = app.ReadAccounts([]string{file, "Cold"}, book)
	require.EqualError(t, err, "accounts: "+accountTwo+` has the label "Cold" here, but "Mine" earlier`)
	_, _, err = app.ReadAccounts([]string{"group:theirs", "nowhere"}, book)
	require.EqualError(t, err, "accounts group:theirs: no such group in "+book.Path+". Its groups: ours\n"+
		"accounts nowhere: not an address (0x and 40 hex digits, or SS58), a file, or a label in "+book.Path)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))

	many := "address,group\n"
	for _, digit := range "0123456789ab" {
		many += "0x00000000000000000000000000000000000000b" + string(digit) + ",g" + string(digit) + "\n"
	}
	_, _, err = app.ReadAccounts([]string{"group:x"}, readBook(t, many))
	require.ErrorContains(t, err, "Its groups: g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, and 2 more")
	_, _, err = app.ReadAccounts([]string{"group:x"}, readBook(t, accountOne+"\n"))
	require.ErrorContains(t, err, "which has no groups")
	_, _, err = app.ReadAccounts([]string{"group:x"}, nil)
	require.ErrorContains(t, err, "no address book; name one with")
}

// Nobody is named where nothing is said of anybody.
func TestNobodyIsNamed(t *testing.T) {
	var none *app.AddressBook
	require.Nil(t, none.With(nil))
	require.False(t, none.Names("Hot"))
	_, ok := none.GroupNamed("ours")
	require.False(t, ok)
	chosen, err := none.Choose(nil)
	require.NoError(t, err)
	require.Nil(t, chosen.Labels)
	names, err := chosen.JournalNames()
	require.NoError(t, err)
	require.Nil(t, names)
	require.Nil(t, readBook(t, accountOne+"\n").With(nil))
	chosen, err = readBook(t, "address,account\n"+accountOne+",4711\n").Choose(nil)
	require.NoError(t, err)
	_, err = chosen.JournalNames()
	require.ErrorContains(t, err, "book.csv: line 2: \"4711\" is not an account below Assets or Liabilities")
	chosen, err = none.Choose([]string{listFile(t, "address,account\n"+accountOne+",4711\n")})
	require.NoError(t, err)
	_, err = chosen.JournalNames()
	require.ErrorContains(t, err, "files of accounts: ")
}

// A package keeps the address book, is the same again whatever the book says by then, and has
// nothing of it where there is none.
func TestPackageKeepsTheAddressBook(t *testing.T) {
	place := copied(t)
	d, q := opened(t, place), question(t)
	q.Names = ""
	plain := packed(t, d, q)
	require.False(t, plain.Manifest.Options.Labels)
	require.NoFileExists(t, filepath.Join(q.Dir, "inputs/labels.csv"))
	text, err := os.ReadFile(filepath.Join(q.Dir, "accounts.csv"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "label")

	q.Labels = readBook(t, "address;label;group\n"+alith+";Alith\x1b[31m;ours\n"+baltathar+";Other;\n"+accountOne+";=Nobody;\n")
	made := packed(t, d, q)
	require.Equal(t, 2, made.Manifest.Version)
	require.True(t, made.Manifest.Options.Labels)
	require.Equal(t, "Alith[31m", made.Manifest.Accounts[0].Label)
	require.Equal(t, "Other", made.Manifest.Accounts[1].Label)
	kept, err := os.ReadFile(filepath.Join(q.Dir, "inputs/labels.csv"))
	require.NoError(t, err)
	require.Equal(t, "address,label,group,account\n"+alith+",Alith[31m,ours,\n"+baltathar+",Other,,\n"+accountOne+",=Nobody,,\n", string(kept))
	for name, want := range map[string]string{
		"accounts.csv": alith + ",Alith[31m,ours,", "journal." + q.Journal: "Assets:Alith 31m", "statements.json": `"group": "ours"`, "reconciliation.json": `"payer_label": "Alith[31m"`,
	} {
		text, err := os.ReadFile(filepath.Join(q.Dir, name))
		require.NoError(t, err)
		require.Contains(t, string(text), want, name)
	}
	require.NoError(t, os.WriteFile(q.Labels.Path, []byte("nonsense"), 0o600))
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
	require.False(t, packed(t, d, q).Changed)
}

// What the ledger knows of an account is what was seen when the blocks were recorded.
func TestAccount(t *testing.T) {
	d := opened(t, copied(t))
	sum, count := charges(t, of(alith))
	a, err := d.Account(t.Context(), app.AccountRequest{Account: address(t, alith), Balances: withBalances(t)})
	require.NoError(t, err)
	require.Equal(t, sum, a.Fees.Fee.String())
	require.Equal(t, sum, known(t, a.Charged))
	require.Equal(t, count, a.Fees.EVM+a.Fees.Native)
	require.True(t, a.Proved)
	require.Empty(t, a.Differences)
	balance, ok := a.Balance.Get()
	require.True(t, ok)
	after, err := withBalances(t).Balance(t.Context(), address(t, alith), chain.Some(uint64(27)))
	require.NoError(t, err)
	require.Equal(t, after.Value.Balance, balance)
	// All that came in, less all that went out, is what the balance changed by.
	before, err := withBalances(t).Balance(t.Context(), address(t, alith), chain.Some(uint64(0)))
	require.NoError(t, err)
	in, _ := a.In.Get()
	out, _ := a.Out.Get()
	change := in.Difference(out)
	require.Equal(t, after.Value.Free.Difference(before.Value.Free).String(), change.String())

	nobody, err := d.Account(t.Context(), app.AccountRequest{Account: chain.Address20([20]byte{19: 1})})
	require.NoError(t, err)
	require.False(t, nobody.First.Known() || nobody.Last.Known() || nobody.Balance.Known())
	require.Equal(t, "0", known(t, nobody.In))
}

// Every transaction that was sent is found, by its place, and by both of its hashes.
func TestTransaction(t *testing.T) {
	d := opened(t, copied(t))
	for _, s := range allSent(t) {
		p, err := d.Transaction(t.Context(), s.place())
		require.NoError(t, err)
		require.Equal(t, s.place(), placeOf(p))
		require.Equal(t, s.Charged, known(t, p.Charged))
		for _, hash := range []chain.Optional[chain.Hash]{chain.Some(p.Hash), p.EVMHash} {
			if h, ok := hash.Get(); ok {
				same, err := d.Transaction(t.Context(), h.String())
				require.NoError(t, err)
				require.Equal(t, p, same)
			}
		}
		require.NotEmpty(t, p.Movements)
	}
	for name, want := range map[string]string{
		"25": "want a block and an index", "head-1": "want a block and an index", "25--1": "want a block and an index",
		"25-99": "block 25 has no transaction 99", "28-0": "block 28 is not in the ledger; the ledger contains blocks 0..27",
		"0x" + strings.Repeat("00", 32): "no EVM transaction or extrinsic has the hash 0x" + strings.Repeat("00", 32),
	} {
		_, err := d.Transaction(t.Context(), name)
		require.ErrorContains(t, err, want)
	}
	_, err := d.Transaction(t.Context(), "28-0")
	require.Equal(t, failure.NotFound, app.KindOf(err))
}

func placeOf(p *app.Paid) string { return (&sent{Height: p.Height, Index: p.Index}).place() }

// A ledger that has gaps, or nothing, says so of what it does not have.
func TestWhatTheLedgerLacks(t *testing.T) {
	place := file(t)
	for _, part := range []string{"3..5", "8..9", "12..13"} {
		_, err := app.Sync(t.Context(), place, blocks(t, part), app.FillOptions{Reader: demo(t)})
		require.NoError(t, err)
	}
	d := opened(t, place)
	_, err := d.Block(t.Context(), 6)
	require.ErrorContains(t, err, "block 6 is not in the ledger; the ledger contains blocks 3..13 except 6..7 and one more gap")
	var absent *app.NotThereError
	require.ErrorAs(t, err, &absent)
	require.Equal(t, chain.Some(app.Lacks{Gap: chain.Some(chain.Heights{First: 6, Last: 7}), After: chain.Some(uint64(13))}), absent.Lacks)
}

// An account is named by its address, or by a label that is that of one.
func TestOneAccount(t *testing.T) {
	book := readBook(t, "address,label\n"+accountOne+",Hot\n"+accountTwo+",Twice\n"+alith+",Twice\n")
	for text, want := range map[string]string{accountTwo: accountTwo, "hot": accountOne} {
		account, err := app.OneAccount(text, book)
		require.NoError(t, err)
		require.Equal(t, want, account.String())
	}
	for text, want := range map[string]string{
		"Twice": `account "Twice": 2 addresses have this label in ` + book.Path + ". Name one: " + accountTwo + ", " + alith,
		"Cold":  "and not a label in", "0x12": `"0x12" is not an address`,
	} {
		_, err := app.OneAccount(text, book)
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
	_, err := app.OneAccount("Hot", nil)
	require.ErrorContains(t, err, "To use a label, name an address book")
	many := "address,label\n"
	for _, digit := range "0123456789abc" {
		many += "0x00000000000000000000000000000000000000b" + string(digit) + ",Many\n"
	}
	_, err = app.OneAccount("Many", readBook(t, many))
	require.ErrorContains(t, err, "and 3 more")
}

// A report by label wants an address book.
func TestReportWithoutLabels(t *testing.T) {
	_, err := opened(t, copied(t)).Report(t.Context(), app.Request{Period: app.Heights(3, 27)}, report.Choice{By: report.Label})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	require.Equal(t, []app.Field{app.FieldLabels}, fieldsOf(t, err))
}

// The company's own group is the one with the most accounts of bookkeeping, or else the only one.
// It is the first that is offered.
func TestOwnGroup(t *testing.T) {
	const head = "address,label,group,account\n"
	for text, want := range map[string][]string{
		head:                               nil,
		head + accountOne + ",One,ours,\n": {"ours", "ours"},
		head + accountOne + ",One,a,\n" + accountTwo + ",Two,b,\n":                            {"", "a", "b"},
		head + accountOne + ",One,a,\n" + accountTwo + ",Two,b,Assets:B\n":                    {"b", "b", "a"},
		head + accountOne + ",One,b,Assets:B\n" + accountTwo + ",Two,a,Assets:A\n":            {"a", "a", "b"},
		head + accountOne + ",One,,Assets:A\n":                                                nil,
		head + accountOne + ",One,a,\n" + accountTwo + ",Two,a,\n" + alith + ",Three,b,B:B\n": {"b", "b", "a"},
	} {
		book := readBook(t, text)
		if want == nil {
			require.Empty(t, book.OwnGroup(), text)
			require.Empty(t, book.GroupNames(), text)
			continue
		}
		require.Equal(t, want[0], book.OwnGroup(), text)
		require.Equal(t, want[1:], book.GroupNames(), text)
	}
	var none *app.AddressBook
	require.Empty(t, none.OwnGroup())
	require.Empty(t, none.GroupNames())
}
