package app_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/pdftest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// The figures of a list of accounts are those of each account's own page and statement.
func TestFiguresOfAccounts(t *testing.T) {
	d := opened(t, copied(t))
	none := chain.Address20([20]byte{9})
	accounts := []chain.Address{none}
	for account := range recordedBalances() {
		accounts = append(accounts, account)
	}
	january, err := app.PeriodInput{Month: "2026-01", Partial: true}.Parse()
	require.NoError(t, err)
	f, err := d.FiguresOf(t.Context(), accounts, january)
	require.NoError(t, err)
	require.Equal(t, "2026-01", f.Name)
	paid, total := 0, chain.Wei{}
	for _, account := range accounts {
		one, err := d.Account(t.Context(), app.AccountRequest{Account: account})
		require.NoError(t, err)
		require.Equal(t, one.Last, f.Last[account])
		require.Equal(t, app.AccountFees{Fee: chain.Some(one.Fees.Fee)}, f.Fees[account])
		if one.Fees.EVM+one.Fees.Native > 0 {
			paid++
		}
		total, err = total.Add(one.Fees.Fee)
		require.NoError(t, err)
	}
	require.Positive(t, paid)
	require.Equal(t, chain.Some(total), f.Total)
	require.False(t, f.Last[none].Known())

	balances, unread, err := d.BalancesOf(t.Context(), accounts[1:], withBalances(t))
	require.NoError(t, err)
	require.NoError(t, unread)
	made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: accounts[1:]}, Balances: withBalances(t)})
	require.NoError(t, err)
	for _, s := range made.List {
		closing, known := s.Closing.Get()
		require.True(t, known)
		sum, err := closing.Free.Add(closing.Reserved)
		require.NoError(t, err)
		require.Equal(t, sum, balances[s.Account])
	}
	late, stop := context.WithTimeout(t.Context(), 0)
	defer stop()
	<-late.Done()
	balances, unread, err = d.BalancesOf(late, accounts, withBalances(t))
	require.True(t, err != nil || unread != nil || len(balances) > 0)
}

// passet returns a ledger of a hub whose accounts also paid in assets.
func passet(t *testing.T) *app.Ledger {
	t.Helper()
	src, err := answers.OpenDirectory(pairs.Path(t, "passet-1019002", "gateway"))
	require.NoError(t, err)
	place := file(t)
	_, err = app.Sync(t.Context(), place, blocks(t, "1..39"), app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}})
	require.NoError(t, err)
	return opened(t, place)
}

// An account has its figures under each address that names it; fees in assets are beside its fees. Of an account of another
// chain nothing is known.
func TestFiguresOfHubAccounts(t *testing.T) {
	d := passet(t)
	bob, err := chain.ParseAccount("5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty")
	require.NoError(t, err)
	asked := []chain.Address{bob}
	twice := 0
	for x, err := range d.Book.Transactions(t.Context(), ledger.Query{Span: chain.Heights{First: 1, Last: 39}}) {
		require.NoError(t, err)
		payer, known := x.Payer.Get()
		if known && bytes.HasSuffix(payer.Bytes(), bytes.Repeat([]byte{0xEE}, 12)) && !slices.Contains(asked, payer) {
			asked = append(asked, chain.Address20([20]byte(payer.Bytes()[:20])), payer)
			twice++
		}
	}
	require.Positive(t, twice)
	f, err := d.FiguresOf(t.Context(), asked, app.Heights(1, 39))
	require.NoError(t, err)
	for _, account := range asked {
		one, err := d.Account(t.Context(), app.AccountRequest{Account: account})
		require.NoError(t, err)
		require.Positive(t, one.Fees.EVM+one.Fees.Native)
		require.Equal(t, app.AccountFees{Fee: chain.Some(one.Fees.Fee), InAssets: one.AssetFees}, f.Fees[account])
		require.Equal(t, one.Last, f.Last[account])
	}
	require.Equal(t, "1253232", f.Fees[bob].InAssets[0].Amount.String()) // 387766 + 388776 + 476690

	moonbeam := opened(t, copied(t))
	f, err = moonbeam.FiguresOf(t.Context(), asked[:1], app.Heights(1, 27))
	require.NoError(t, err)
	require.Empty(t, f.Fees)
	require.Empty(t, f.Last)
}

// What payers call is counted from their transactions.
func TestCallings(t *testing.T) {
	d := opened(t, copied(t))
	list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Period{All: true}, Limit: 10_000})
	require.NoError(t, err)
	type first struct {
		first, last, count uint64
	}
	want := map[chain.Address]first{}
	var payers []chain.Address
	for _, x := range list.List {
		payer, known := x.Payer.Get()
		if !known {
			continue
		}
		one, again := want[payer]
		if !again {
			one.first = x.Height
			payers = append(payers, payer)
		}
		one.last, one.count = x.Height, one.count+1
		want[payer] = one
	}
	have, err := d.CallingsOf(t.Context(), app.Period{All: true, Zone: time.UTC}, payers)
	require.NoError(t, err)
	require.Len(t, have, len(want))
	for payer, w := range want {
		c := have[payer]
		require.Equal(t, w, first{c.First.Height, c.Last.Height, c.All})
		count := uint64(0)
		for _, x := range list.List {
			if by, known := x.Payer.Get(); known && by == payer && x.Call == c.Called && x.Recipient == c.Recipient {
				count++
			}
		}
		require.Equal(t, count, c.Count)
	}
}

// The items of a statement lead from the opening to the closing balance, for every account, and without balances they are
// the same movements.
func TestItemsAddUp(t *testing.T) {
	d := opened(t, copied(t))
	q := app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27)}, Balances: withBalances(t)}
	for account := range recordedBalances() {
		q.Accounts = append(q.Accounts, account)
	}
	l, err := d.Statements(t.Context(), q)
	require.NoError(t, err)
	q.Balances = nil
	bare, err := d.Statements(t.Context(), q)
	require.NoError(t, err)
	for i, s := range l.List {
		items, err := l.Items(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, app.ItemOpening, items[0].Name)
		require.Equal(t, app.ItemDifference, items[len(items)-1].Name)
		require.Equal(t, app.ItemClosing, items[len(items)-2].Name)
		sum, _ := items[0].Change.Get()
		for _, item := range items[1 : len(items)-2] {
			change, known := item.Change.Get()
			require.True(t, known, item.Name)
			sum, err = sum.Plus(change)
			require.NoError(t, err)
		}
		closing, _ := items[len(items)-2].Change.Get()
		require.Equal(t, closing, sum, s.Account)
		without, err := bare.Items(t.Context(), bare.List[i])
		require.NoError(t, err)
		require.Equal(t, items[1:len(items)-2], without)
	}
}

// The cover has what is signed: balances, fees, the verdict on the record, and the head of the audit trail.
func TestCoverFigures(t *testing.T) {
	d := opened(t, copied(t))
	made := packed(t, d, question(t))
	m := made.Manifest
	cover, err := os.ReadFile(filepath.Join(made.Dir, app.CoverFile))
	require.NoError(t, err)
	leaves, _ := pdftest.Parse(t, cover).Leaves()
	var texts []string
	for _, l := range leaves {
		texts = append(texts, l.Text)
	}
	charged, known := m.Totals.Charged.Get()
	require.True(t, known)
	var opening, closing chain.Wei
	s, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(m.Blocks.First, m.Blocks.Last), Accounts: []chain.Address{addressOf(t, alith), addressOf(t, baltathar)}}, Balances: withBalances(t)})
	require.NoError(t, err)
	for _, one := range s.List {
		for _, x := range []struct {
			to *chain.Wei
			of chain.Optional[chain.Balance]
		}{{&opening, one.Opening}, {&closing, one.Closing}} {
			b, known := x.of.Get()
			require.True(t, known)
			*x.to, err = x.to.Add(b.Free)
			require.NoError(t, err)
			*x.to, err = x.to.Add(b.Reserved)
			require.NoError(t, err)
		}
	}
	for _, amount := range []chain.Wei{opening, closing, charged} {
		require.Contains(t, texts, console.Token{}.Tokens(amount))
	}
	all := strings.Join(texts, "\n")
	require.Contains(t, all, "Statements 2 of 2 agree")
	require.Contains(t, all, "Reconciliation 26 of 26 match")
	require.Contains(t, all, "Audit trail 0 lines; keep ")

	q := question(t)
	q.Proved, q.With, q.Books = false, app.WithFees, app.BooksInput{}
	cover, err = os.ReadFile(filepath.Join(packed(t, d, q).Dir, app.CoverFile))
	require.NoError(t, err)
	leaves, _ = pdftest.Parse(t, cover).Leaves()
	texts = nil
	for _, l := range leaves {
		texts = append(texts, l.Text)
	}
	require.Contains(t, texts, app.BalancesMissing(""))
	require.Contains(t, texts, "Reconciliation not reconciled: no record of the company was compared")
}

// The verdict on a record is the lowest of its checks: fees in assets that no record contains were not compared, and where
// nothing was compared, nothing agrees.
func TestVerdictOfFeesInAssets(t *testing.T) {
	d := passet(t)
	const bob = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
	rows, fees := "hash,fee\n", 0
	for x, err := range d.Book.Transactions(t.Context(), ledger.Query{Span: chain.Heights{First: 1, Last: 39}, Accounts: []chain.Address{addressOf(t, bob)}}) {
		require.NoError(t, err)
		if charged, known := x.Charged.Get(); known && !x.InAsset() && !charged.IsZero() {
			rows += x.Hash.String() + "," + charged.String() + "\n"
			fees++
		}
	}
	last, err := d.Block(t.Context(), 39)
	require.NoError(t, err)
	at, _ := last.Time.Get()
	for _, c := range []struct{ account, rows, cover string }{
		{bob, rows, fmt.Sprintf("Reconciliation %d of %[1]d match; 3 fees in assets were not compared", fees)},
		{addressOf(t, "0x0000000000000000000000000000000000000042").String(), "hash,fee\n", "Reconciliation nothing to compare: the file contains no fees and the accounts paid none Findings "},
	} {
		q := app.PackageRequest{
			Dir: filepath.Join(t.TempDir(), "package"), PeriodInput: app.PeriodInput{Month: at.Std().Format("2006-01"), Partial: true}, Journal: "hledger", With: app.WithFees,
			PackageInputs:  app.PackageInputs{Accounts: []string{c.account}, Books: app.BooksInput{Path: write(t, "record.csv", c.rows), Reading: closing.Reading{Unit: "wei"}}},
			PackageOptions: app.PackageOptions{Program: "a test"},
		}
		made := packed(t, d, q)
		cover, err := os.ReadFile(filepath.Join(made.Dir, app.CoverFile))
		require.NoError(t, err)
		leaves, _ := pdftest.Parse(t, cover).Leaves()
		var texts []string
		for _, l := range leaves {
			texts = append(texts, l.Text)
		}
		require.Contains(t, strings.Join(texts, " "), c.cover)
		require.Equal(t, c.account != bob, made.Manifest.Findings.NothingCompared)
		require.Equal(t, map[bool]uint64{true: 3}[c.account == bob], made.Manifest.Findings.InAssets)
	}

	period, err := app.PeriodInput{Month: at.Std().Format("2006-01"), Partial: true}.Parse()
	require.NoError(t, err)
	f, err := d.FiguresOf(t.Context(), []chain.Address{addressOf(t, bob)}, period)
	require.NoError(t, err)
	token, err := d.Token(t.Context())
	require.NoError(t, err)
	paid, known := f.Fees[addressOf(t, bob)].Fee.Get()
	require.True(t, known)
	total, err := d.CompareTotal(t.Context(), token.Tokens(paid), period, reconcile.Options{Symbol: "PAS", Decimals: 10, Accounts: []chain.Address{addressOf(t, bob)}})
	require.NoError(t, err)
	require.Equal(t, "0", console.Known(total.Difference))
	require.False(t, total.Reconciled.Known(), "the sums agree, but 3 fees were not compared")
	require.Contains(t, total.Notes, "3 fees in assets were not compared.")
}

func addressOf(t *testing.T, text string) chain.Address {
	t.Helper()
	a, err := chain.ParseAccount(text)
	require.NoError(t, err)
	return a
}
