package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// The parts of a list make the whole: what each sender's balance lost, once.
func TestTransactionsInParts(t *testing.T) {
	d := opened(t, copied(t))
	for _, payers := range [][]chain.Address{nil, {address(t, alith)}} {
		want, count := charges(t, func(s sent) bool { return payers == nil || of(alith)(s) })
		q := app.TransactionsRequest{Period: app.Heights(0, 27), Payers: payers, Limit: 7}
		sum, have := new(big.Int), uint64(0)
		for range 100 {
			list, err := d.Transactions(t.Context(), q)
			require.NoError(t, err)
			require.LessOrEqual(t, len(list.List), 7)
			for _, x := range list.List {
				n, ok := new(big.Int).SetString(known(t, x.Charged), 10)
				require.True(t, ok)
				sum.Add(sum, n)
				have++
			}
			require.Empty(t, list.Notes())
			if q.After = list.Next; !q.After.Known() {
				break
			}
		}
		require.Equal(t, want, sum.String())
		require.Equal(t, count, have)
	}
	only, err := report.ParseOnly([]string{"layer=native"})
	require.NoError(t, err)
	list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(0, 27), Only: only})
	require.NoError(t, err)
	_, native := charges(t, func(s sent) bool { return s.Family == "native" })
	require.Len(t, list.List, int(native))
	var text bytes.Buffer
	require.NoError(t, list.Record(nil).WriteJSON(&text))
	var told struct {
		Notes        []string
		Transactions []map[string]any
		Next         *string
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &told))
	require.Len(t, told.Transactions, int(native))
	require.Equal(t, "native", told.Transactions[0]["layer"])
	require.NotContains(t, told.Transactions[0], "movements")
	require.NotNil(t, told.Notes)
	require.Nil(t, told.Next)
	_, err = d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(0, 99)})
	require.Equal(t, failure.NotCovered, app.KindOf(err))

	// The record of a part names the place that the next one is after.
	part, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(25, 25), Limit: 2})
	require.NoError(t, err)
	text.Reset()
	require.NoError(t, part.Record(nil).WriteJSON(&text))
	require.NoError(t, json.Unmarshal(text.Bytes(), &told))
	var places []string
	for _, x := range allSent(t) {
		if x.Height == 25 {
			places = append(places, x.place())
		}
	}
	require.Greater(t, len(places), 2)
	require.Equal(t, places[1], *told.Next)
}

// withoutPayer alters 25-6, a native transaction of Alith's: the payer of its fee has no Ethereum-style address.
func withoutPayer(b *chain.Block) (err error) {
	if b.Number != 25 {
		return nil
	}
	x := &b.Extrinsics[6]
	x.Events = append([]chain.Event{}, x.Events...)
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("transactionPayment", "TransactionFeePaid") {
			e.Data = chain.Values{chain.MalformedValue(errors.New("want an address, have an object")), e.Data.At(1), e.Data.At(2)}
		}
	}
	return err
}

// A transaction of which it is not known who paid is in no account's list, and said of those who may
// have: its sender.
func TestTransactionsWithoutPayer(t *testing.T) {
	d := opened(t, changed(t, withoutPayer))
	for who, want := range map[string]uint64{alith: 1, baltathar: 0} {
		payers := []chain.Address{address(t, who)}
		list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(24, 26), Payers: payers})
		require.NoError(t, err)
		require.NoError(t, d.CountWithoutPayer(t.Context(), list, payers))
		require.Equal(t, want, list.WithoutPayer, who)
		a, err := d.Account(t.Context(), app.AccountRequest{Account: payers[0]})
		require.NoError(t, err)
		require.Equal(t, want, a.WithoutPayer)
		r, err := d.Report(t.Context(), app.Request{Period: app.Heights(24, 26), Accounts: payers}, report.Choice{By: report.Day})
		require.NoError(t, err)
		const note = "payer not known for 1 transaction: it may belong to these accounts and is excluded from all totals"
		if want == 0 {
			require.Empty(t, list.Notes())
			require.NotContains(t, r.Notes, note)
			continue
		}
		require.Equal(t, []string{"1 transaction without a known payer may belong here"}, list.Notes())
		require.Contains(t, r.Notes, note)
	}
}

// With an address book, blocks and fees contain the labels of their parties.
func TestLabelled(t *testing.T) {
	book, err := app.ReadAddressBook(write(t, "accounts.csv", "address,label,group\n"+alith+",Alith,ours\n"))
	require.NoError(t, err)
	reader := demo(t)
	which, err := app.ParseTransactionRef("25-7", "")
	require.NoError(t, err)
	bill, err := app.Explain(t.Context(), reader, which)
	require.NoError(t, err)
	require.Equal(t, jsonOf(t, bill), jsonOf(t, app.LabelledExplanation(bill, nil)))
	item, err := reader.Read(t.Context(), source.Height(25))
	require.NoError(t, err)
	made, err := prove.Block(t.Context(), reader, item, evidence.Options{})
	require.NoError(t, err)
	require.Equal(t, jsonOf(t, made), jsonOf(t, app.LabelledReport(made, nil)))
	for _, labelled := range []any{app.LabelledExplanation(bill, book), app.LabelledReport(made, book)} {
		var text bytes.Buffer
		require.NoError(t, jsontext.Write(&text, labelled))
		require.Contains(t, text.String(), `"payer_label": "Alith"`)
		require.Contains(t, text.String(), `"payer_group": "ours"`)
		require.Contains(t, text.String(), `"token_label": null`)
	}
}

// A ledger that is closed gives no list.
func TestTransactionsOfAClosedLedger(t *testing.T) {
	d := opened(t, copied(t))
	payers := []chain.Address{address(t, alith)}
	list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(0, 27), Payers: payers})
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.Error(t, d.CountWithoutPayer(t.Context(), list, payers))
	_, err = d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(0, 27)})
	require.Error(t, err)
}

func jsonOf(t *testing.T, value any) string {
	text, err := jsontext.Indented(value, "")
	require.NoError(t, err)
	return string(text)
}
