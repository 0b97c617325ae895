package report_test

import (
	"bytes"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// bookText is an address book in which two addresses share a label and two of three a group.
const bookText = `address,label,group
0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,Hot,ours
0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0,Hot,
0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc,"Gehälter, <b>",ours
`

func labels(t testing.TB) *addressbook.Book {
	book, err := addressbook.Read(strings.NewReader(bookText))
	require.NoError(t, err)
	return book
}

// named returns the group of a payer, from the lines of the address book.
func calledBy(payer, column string) string {
	of := map[string][2]string{
		"0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac": {"Hot", "ours"}, "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0": {"Hot", "(no group)"},
		"0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc": {"Gehälter, <b>", "ours"},
	}
	x, ok := of[payer]
	switch {
	case !ok && column == "label":
		return payer
	case !ok:
		return "(no group)"
	case column == "label":
		return x[0]
	}
	return x[1]
}

// A report by label or group has the totals of the report by account, also for selected
// accounts.
func TestLabelledTotals(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	hot, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	for _, payers := range []map[chain.Address]bool{nil, {hot: true}, {hot: true, chain.Address20([20]byte{19: 1}): true}} {
		q := report.Request{Choice: report.Choice{By: report.Account}, Period: heights(0, 27), Payers: payers, Labels: labels(t)}
		want := made(t, book, q)
		for _, by := range []report.By{report.Label, report.InGroup} {
			q.By = by
			have := made(t, book, q)
			require.Equal(t, want.Totals, have.Totals)
			sum := new(big.Int)
			for _, g := range have.Groups {
				sum.Add(sum, g.Fee.Big())
			}
			require.Zero(t, sum.Cmp(want.Totals.Fee.Big()))
			if len(payers) == 2 {
				require.Contains(t, have.Notes, "no fees in the period for 0x0000000000000000000000000000000000000001")
			}
		}
	}
}

// A payer that is not known has no group, and is distinguished from an account without one.
func TestUnknownPayerHasNoLabel(t *testing.T) {
	require.Equal(t, "not known", (&report.Key{}).Name(console.Token{}))
	require.Equal(t, "Hot", (&report.Key{Label: chain.Some("Hot")}).Name(console.Token{}))
	require.Equal(t, report.NoGroup, (&report.Key{InGroup: chain.Some(report.NoGroup)}).Name(console.Token{}))
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, write func(w *bytes.Buffer) error) {
	t.Helper()
	var have bytes.Buffer
	require.NoError(t, write(&have))
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, have.Bytes(), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), have.String(), "run the test with -update if the change is meant")
}

// With an address book, reports by account and by contract have labels in every format; without one they are
// unchanged.
func TestLabelsInForms(t *testing.T) {
	book, _ := kept(t, recorded(t, "moonbeam-2100"), 27)
	for _, by := range []report.By{report.Account, report.Contract, report.Label, report.InGroup} {
		q := report.Request{Choice: report.Choice{By: by}, Period: heights(0, 27), Labels: labels(t)}
		r := made(t, book, q)
		golden(t, "labels-"+string(by)+".csv", func(w *bytes.Buffer) error { return table.WriteCSV(w, r.Sheet()) })
		golden(t, "labels-"+string(by)+"-80.txt", func(w *bytes.Buffer) error { return r.Document().Write(w, "table", 80) })
		golden(t, "labels-"+string(by)+"-160.txt", func(w *bytes.Buffer) error { return r.Document().Write(w, "table", 160) })
		var page bytes.Buffer
		require.NoError(t, r.Document().HTML(&page))
		require.NotContains(t, page.String(), "<b>")
		if by == report.Account || by == report.Label {
			require.Contains(t, page.String(), "Gehälter, &lt;b&gt;")
		}
		var text bytes.Buffer
		require.NoError(t, r.Document().JSON(&text))
		require.Equal(t, by != report.InGroup, strings.Contains(text.String(), `"label"`))
		require.Equal(t, by != report.Label, strings.Contains(text.String(), `"group"`))
		if q.Labels = nil; !by.Labelled() {
			for _, c := range made(t, book, q).Sheet().Columns {
				require.NotContains(t, []string{"label", "group"}, c.Name)
			}
		}
	}
	hot, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, made(t, book, report.Request{Choice: report.Choice{By: report.Account}, Period: heights(0, 27), Labels: labels(t), Payers: map[chain.Address]bool{hot: true}}).Document().HTML(&page))
	require.Contains(t, page.String(), "Payers: 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac (Hot).")
}
