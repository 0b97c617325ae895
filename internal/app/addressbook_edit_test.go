package app_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
)

// An edit is written to the file and returned; after one by hand, nothing is written.
func TestAddressBookEdit(t *testing.T) {
	book := readBook(t, "address,label,group\n"+accountOne+",Hot,ours\n")
	e := book.Entries()[0]
	e.Label = "Cold"
	var recorded []ledger.Digest
	record := func(sum ledger.Digest) error {
		require.Equal(t, "Hot", readAgain(t, book).Entries()[0].Label, "the file is written afterwards")
		recorded = append(recorded, sum)
		return nil
	}
	edited, err := book.Edit(e, console.Token{}, record)
	require.NoError(t, err)
	text, err := os.ReadFile(book.Path)
	require.NoError(t, err)
	require.Equal(t, "address,label,group\n"+accountOne+",Cold,ours\n", string(text))
	again, err := app.ReadAddressBook(book.Path)
	require.NoError(t, err)
	require.Equal(t, again, edited)
	require.Equal(t, []ledger.Digest{sha256.Sum256(text)}, recorded)
	require.Equal(t, recorded[0], edited.Sum())
	require.Equal(t, "Hot", book.Entries()[0].Label, "a reader of the old book is not disturbed")

	none := func(ledger.Digest) error { panic("recorded") }
	_, err = book.Edit(e, console.Token{}, none)
	require.ErrorAs(t, err, new(*app.StaleError))
	require.Equal(t, failure.DoesNotHold, app.KindOf(err))
	e.Label = "=x"
	_, err = edited.Edit(e, console.Token{}, none)
	require.ErrorIs(t, err, addressbook.ErrEdit)
	e.Label = "Warm"
	refused := errors.New("refused")
	_, err = edited.Edit(e, console.Token{}, func(ledger.Digest) error { return refused })
	require.ErrorIs(t, err, refused)
	same, err := os.ReadFile(book.Path)
	require.NoError(t, err)
	require.Equal(t, string(text), string(same))
	_, err = edited.Edit(e, console.Token{}, func(ledger.Digest) error { return os.RemoveAll(filepath.Dir(book.Path)) })
	require.ErrorIs(t, err, os.ErrNotExist, "it cannot be written")
	_, err = edited.Edit(e, console.Token{}, none)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A file that cannot be replaced is known before anything is edited.
func TestAddressBookIsWritable(t *testing.T) {
	book := readBook(t, accountOne+",Hot\n")
	require.NoError(t, book.CheckWritable())
	linked := filepath.Join(t.TempDir(), "link.csv")
	require.NoError(t, os.Symlink(book.Path, linked))
	link, err := app.ReadAddressBook(linked)
	require.NoError(t, err)
	require.NoError(t, link.CheckWritable())
	list, err := os.ReadDir(filepath.Dir(book.Path))
	require.NoError(t, err)
	require.Len(t, list, 1, "nothing stays")
	require.NoError(t, os.Remove(book.Path))
	require.ErrorContains(t, book.CheckWritable(), "is not a regular file")
	require.ErrorContains(t, link.CheckWritable(), "is not a regular file")
	if os.Geteuid() > 0 {
		require.NoError(t, os.WriteFile(book.Path, nil, 0o600))
		require.NoError(t, os.Chmod(filepath.Dir(book.Path), 0o500))
		require.ErrorIs(t, book.CheckWritable(), os.ErrPermission)
	}
}

func readAgain(t *testing.T, book *app.AddressBook) *app.AddressBook {
	t.Helper()
	again, err := app.ReadAddressBook(book.Path)
	require.NoError(t, err)
	return again
}

// An entry as text names what it has; the text of a file cannot break out of its quotes or its line.
func TestEntryText(t *testing.T) {
	require.Empty(t, app.EntryText(addressbook.Entry{Address: address(t, accountOne)}))
	require.Equal(t, `label "Bridge, \"main\"", account "Assets:B"`, app.EntryText(addressbook.Entry{Label: `Bridge, "main"`, Account: "Assets:B"}))
	require.Equal(t, `group "a\nb\u202e\xff"`, app.EntryText(addressbook.Entry{Group: "a\nb\u202e\xff"}))
}
