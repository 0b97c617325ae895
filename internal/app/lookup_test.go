package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// What is not there is said with what the ledger has, also where it has gaps, and where it has
// nothing.
func TestLookupsOfWhatIsNotThere(t *testing.T) {
	place := file(t)
	for _, span := range []string{"0..3", "6..8", "11..12"} {
		_, err := app.Sync(t.Context(), place, blocks(t, span), app.FillOptions{Reader: demo(t)})
		require.NoError(t, err)
	}
	d := opened(t, place)
	_, err := d.Block(t.Context(), 5)
	require.Equal(t, failure.NotFound, app.KindOf(err))
	require.ErrorContains(t, err, "block 5 is not in the ledger; the ledger contains blocks 0..12 except 4..5 and one more gap")
	_, err = d.Transaction(t.Context(), "0x"+strings.Repeat("ab", 32))
	require.ErrorContains(t, err, "no EVM transaction or extrinsic has the hash 0xabab")
	_, err = d.Transaction(t.Context(), "3-99")
	require.ErrorContains(t, err, "block 3 has no transaction 99; it has ")

	_, err = app.Sync(t.Context(), place, blocks(t, "15..16"), app.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	_, err = d.Block(t.Context(), 14)
	require.ErrorContains(t, err, "the ledger contains blocks 0..16 except 4..5 and 2 more gaps")

	w, err := app.OpenWriter(t.Context(), file(t), network.BuiltIn())
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Block(t.Context(), 5)
	require.Error(t, err)
	require.NoError(t, w.Book.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, 5))
	_, err = w.Block(t.Context(), 5)
	require.Equal(t, failure.NotFound, app.KindOf(err))
	require.ErrorContains(t, err, "block 5 is not in the ledger; the ledger is empty")
}

// A range beside a range is both and what is between them; a month cannot be asked of a gateway.
func TestPeriodWithAnother(t *testing.T) {
	both, err := app.Heights(10, 12).With(app.PeriodInput{Blocks: "3..5"})
	require.NoError(t, err)
	require.Equal(t, app.Heights(3, 12).Asked, both.Asked)
	_, err = app.Heights(10, 12).With(app.PeriodInput{Month: "2026-01"})
	require.ErrorContains(t, err, "only ranges of heights can be compared")
	_, err = app.Heights(10, 12).With(app.PeriodInput{Month: "x"})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// Accounts are chosen by a book in its own letters; a name that is none is an error.
func TestChoose(t *testing.T) {
	book, err := app.ReadAddressBook(write(t, "book.csv", "address,label,group\n"+alith+",Alith,Company\n"))
	require.NoError(t, err)
	group, ok := book.GroupNamed("company")
	require.True(t, ok)
	require.Equal(t, "Company", group)
	_, ok = book.GroupNamed("nobody")
	require.False(t, ok)
	chosen, err := book.Choose([]string{"group:company"})
	require.NoError(t, err)
	require.Len(t, chosen.Accounts, 1)
	_, err = book.Choose([]string{"group:nobody"})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	require.True(t, app.Vouchers{}.None())
}
