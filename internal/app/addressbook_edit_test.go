package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/addressbook"
)

// An edit is written to the file and returned; after one by hand, nothing is written.
func TestAddressBookEdit(t *testing.T) {
	book := readBook(t, "address,label,group\n"+accountOne+",Hot,ours\n")
	e := book.Entries()[0]
	e.Label = "Cold"
	edited, err := book.Edit(e)
	require.NoError(t, err)
	text, err := os.ReadFile(book.Path)
	require.NoError(t, err)
	require.Equal(t, "address,label,group\n"+accountOne+",Cold,ours\n", string(text))
	again, err := app.ReadAddressBook(book.Path)
	require.NoError(t, err)
	require.Equal(t, again, edited)
	require.Equal(t, "Hot", book.Entries()[0].Label, "a reader of the old book is not disturbed")

	_, err = book.Edit(e)
	require.ErrorAs(t, err, new(*app.StaleError))
	require.Equal(t, failure.DoesNotHold, app.KindOf(err))
	e.Label = "=x"
	_, err = edited.Edit(e)
	require.ErrorIs(t, err, addressbook.ErrEdit)
	same, err := os.ReadFile(book.Path)
	require.NoError(t, err)
	require.Equal(t, string(text), string(same))
	require.NoError(t, os.Remove(book.Path))
	_, err = edited.Edit(e)
	require.ErrorIs(t, err, os.ErrNotExist)
}
