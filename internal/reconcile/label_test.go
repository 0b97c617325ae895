package reconcile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// A payer may be named by its label in the address book. It is compared without accounts, too; other names are refused.
func TestPayersByLabel(t *testing.T) {
	s := paying(t)[0]
	payer, err := chain.ParseAddress(s.From)
	require.NoError(t, err)
	var labels addressbook.Book
	for _, e := range []addressbook.Entry{
		{Address: payer, Label: "Treasury"}, {Address: chain.Address20([20]byte{19: 1}), Label: "Ops"},
		{Address: chain.Address20([20]byte{19: 2}), Label: "Hot wallet"}, {Address: chain.Address20([20]byte{19: 3}), Label: "hot wallet"},
		{Address: chain.Address20([20]byte{19: 4}), Group: "Payroll"}, // which is not a label
	} {
		require.NoError(t, labels.Add(e))
	}
	for _, c := range []struct {
		name string
		want reconcile.Outcome // "" if it is refused
		note string
	}{
		{"Treasury", reconcile.Matched, ""}, {"TREASURY", reconcile.Matched, ""}, {s.From, reconcile.Matched, ""}, {"", reconcile.Matched, ""},
		{"Ops", reconcile.PayerDiffers, s.From + ` paid, not "Ops"`}, {"Hot wallet", reconcile.PayerDiffers, s.From + ` paid, not "Hot wallet"`},
		{"HOT WALLET", "", ""}, {"Payroll", "", ""}, // of two, and of none
		{"0x0000000000000000000000000000000000000001", reconcile.PayerDiffers, s.From + " paid, not 0x0000000000000000000000000000000000000001"},
	} {
		o := reconcile.Options{Symbol: "GLMR", RowsOnly: true, Labels: &labels}
		text := "hash,Fee (GLMR),From\n" + s.hash() + "," + s.token() + "," + c.name + "\n"
		want := c.want
		if want == "" {
			_, err := readAll(strings.NewReader(text), o)
			require.ErrorContains(t, err, "is not an address", c.name)
			want = reconcile.Matched
		} else {
			_, r := matched(t, text, o)
			item := items(t, r)[0]
			require.Equal(t, want, item.Outcome, c.name)
			require.Equal(t, c.note, strings.Join(item.Notes, "; "), c.name)
			require.Equal(t, want == reconcile.Matched, r.Agrees())
		}

		// The same in a product's export, where other names are those of wallets.
		p := &products[4]
		require.Equal(t, "koinly", p.profile)
		g, _ := p.file(p.headers[0], []*sent{s}, false)
		g[1] = p.row(g[0], p.cells, s, s.token(), "GLMR", c.name)
		_, r := matched(t, g.csv(','), o)
		require.Equal(t, want, items(t, r)[0].Outcome, c.name)
	}
}

// A row that names a payer cannot be compared with a transaction whose payer is unknown.
func TestLabelOfAnUnknownPayer(t *testing.T) {
	s := paying(t)[0]
	payer, err := chain.ParseAddress(s.From)
	require.NoError(t, err)
	var labels addressbook.Book
	require.NoError(t, labels.Add(addressbook.Entry{Address: payer, Label: "Treasury"}))
	o := reconcile.Options{Symbol: "GLMR", RowsOnly: true, Labels: &labels}
	b := &changed{book(t, "moonbeam-2100"), func(x *ledger.Transaction) { x.Payer = chain.Optional[chain.Address]{} }}
	r := match(t, b, read(t, "hash,Fee (GLMR),From\n"+s.hash()+","+s.token()+",Treasury\n", o), o)
	item := items(t, r)[0]
	require.Equal(t, reconcile.PayerDiffers, item.Outcome)
	require.Contains(t, item.Notes, "the payer is unknown")
}
