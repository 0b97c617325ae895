package app_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
)

// The state of a ledger is what it has sealed, however it was filled; more blocks change it.
func TestState(t *testing.T) {
	s, err := opened(t, copied(t)).State(t.Context())
	require.NoError(t, err)
	require.Equal(t, chain.Some(spanOf(0, 27)), s.Span)
	require.Regexp(t, `^moonbeam, sealed blocks 0\.\.27, last hash 0x[0-9a-f]{64}; recorded`, s.String())
	place := file(t)
	_, err = app.Sync(t.Context(), place, blocks(t, "0..20"), app.FillOptions{Reader: demo(t)})
	require.NoError(t, err)
	other, err := opened(t, place).State(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, s.String(), other.String())

	d := opened(t, copied(t))
	for blocks, want := range map[string]string{"3..15": "sealed blocks 3..15, ", "20..27": "sealed blocks 0..27, ", "0..27": "sealed blocks 0..27, "} {
		of, err := d.StateOf(t.Context(), parsed(t, app.PeriodInput{Blocks: blocks}))
		require.NoError(t, err)
		require.Contains(t, of.String(), want)
	}
	early, err := opened(t, place).StateOf(t.Context(), parsed(t, app.PeriodInput{Blocks: "3..15"}))
	require.NoError(t, err)
	now, err := d.StateOf(t.Context(), parsed(t, app.PeriodInput{Blocks: "3..15"}))
	require.NoError(t, err)
	require.Equal(t, early, now)
	for _, in := range []app.PeriodInput{{Month: "2026-01"}, {Month: "2025-01"}} { // one that is not over, one of which nothing is there
		of, err := d.StateOf(t.Context(), parsed(t, in))
		require.NoError(t, err)
		require.Equal(t, chain.Some(spanOf(0, 27)), of.Span)
	}

	w, err := app.OpenWriter(t.Context(), file(t), network.BuiltIn())
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Book.Begin(t.Context(), ledger.Identity{Network: "moonbeam"}, 0))
	none, err := w.State(t.Context())
	require.NoError(t, err)
	require.Equal(t, "moonbeam: nothing is sealed", none.String())

	closed, err := app.Open(t.Context(), copied(t), network.BuiltIn())
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, err = closed.State(t.Context())
	require.Error(t, err)
	_, err = closed.StateOf(t.Context(), parsed(t, app.PeriodInput{Blocks: "3..15"}))
	require.Error(t, err)
}

// What does not hold is listed with the note of what is not there.
func TestListFindings(t *testing.T) {
	d := opened(t, copied(t))
	list, err := d.ListFindings(t.Context(), parsed(t, app.PeriodInput{Month: "2026-01", Partial: true}))
	require.NoError(t, err)
	require.Len(t, list.Notes, 1)
	require.Equal(t, "GLMR", list.Sheet.Symbol)
	var out bytes.Buffer
	require.NoError(t, table.WriteCSV(&out, list.Sheet))
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "check,2,2,block.time,")
	_, err = d.ListFindings(t.Context(), parsed(t, app.PeriodInput{Month: "2026-01"}))
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	_, err = d.ListFindings(t.Context(), parsed(t, app.PeriodInput{Month: "2025-01", Partial: true}))
	require.Equal(t, failure.NotCovered, app.KindOf(err))
}

// A transaction, an account and a block have one JSON, with labels where there is an address book.
func TestRecords(t *testing.T) {
	d := opened(t, copied(t))
	book, err := app.ReadAddressBook(write(t, "book.csv", "address,label,group\n"+alith+",Alith,ours\n"))
	require.NoError(t, err)
	read := func(value any) (m map[string]any) {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &m))
		return m
	}
	paid, err := d.Transaction(t.Context(), "25-7")
	require.NoError(t, err)
	plain, named := read(paid.Record(nil)), read(paid.Record(book))
	require.NotContains(t, plain, "payer_label")
	require.Equal(t, "Alith", named["payer_label"])
	require.Equal(t, "ours", named["from_group"])
	require.Nil(t, named["to_label"])
	require.Len(t, named["movements"], len(paid.Movements))
	require.Len(t, named["transfers"], 1)
	require.Nil(t, plain["error"])
	a, err := d.Account(t.Context(), app.AccountRequest{Account: address(t, alith), Balances: withBalances(t)})
	require.NoError(t, err)
	account := read(a.Record(book))
	require.Equal(t, "Alith", account["label"])
	require.Equal(t, recordedBalances()[address(t, alith)][27].Free.String(), account["free_balance"])
	b, err := d.Block(t.Context(), 25)
	require.NoError(t, err)
	require.Equal(t, float64(25), read(app.BlockRecord(b))["number"])
	none, err := d.Account(t.Context(), app.AccountRequest{Account: address(t, accountOne)})
	require.NoError(t, err)
	require.Nil(t, read(none.Record(nil))["first_seen"])
}
