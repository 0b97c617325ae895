package app_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// movedTo gives a block of the demo another time.
func movedTo(height uint64, milliseconds string) func(*chain.Block) error {
	return func(b *chain.Block) error {
		for i := range b.Extrinsics {
			if x := &b.Extrinsics[i]; b.Number == height && x.Pallet == "timestamp" {
				x.Args = chain.Values{chain.MalformedValue(errors.New(milliseconds))}
				if ms, err := chain.ParseUint64(milliseconds); err == nil {
					x.Args = chain.Values{chain.Uint64Value(ms)}
				}
			}
		}
		return nil
	}
}

// changed is a ledger of the demo with blocks that were changed.
func changed(t testing.TB, change func(*chain.Block) error) string {
	t.Helper()
	return changedUpTo(t, "0..27", change)
}

// changedUpTo is the like of some of the blocks.
func changedUpTo(t testing.TB, span string, change func(*chain.Block) error) string {
	t.Helper()
	reader, place := demo(t), file(t)
	reader.Source = otherwise{Source: reader.Source, block: change}
	_, err := app.Sync(t.Context(), place, blocks(t, span), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	return place
}

// Every account's statement leads from the balance that the gateway told to the other, block
// by block, and has the fees that were taken from it.
func TestStatementsAreProved(t *testing.T) {
	d, src := opened(t, copied(t)), withBalances(t)
	labels, err := app.ReadAddressBook(write(t, "labels.csv", "address,label\n"+alith+",Alith\n"))
	require.NoError(t, err)
	var accounts []chain.Address
	for account := range recordedBalances() {
		accounts = append(accounts, account)
	}
	var asked, all uint64
	made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: accounts, Labels: labels.Book, Progress: app.Progress{Show: func(done, total uint64) { asked, all = done, total }}}, Balances: src, EveryBlock: true, Concurrency: 3})
	require.NoError(t, err)
	require.True(t, made.Holds())
	require.Empty(t, made.Style.Notes)
	require.Equal(t, all, asked)
	require.GreaterOrEqual(t, all, uint64(28), "the opening, and one after each block")
	require.Len(t, made.List, len(accounts))
	for i, s := range made.List {
		require.Equal(t, accounts[i], s.Account)
		was := recordedBalances()[s.Account]
		require.Equal(t, was[0], must(t, s.Opening))
		require.Equal(t, was[27], must(t, s.Closing))
		require.EqualValues(t, 27, s.Proved)
		for _, layer := range s.Fees {
			sum, count := charges(t, func(x sent) bool { return of(s.Account.String())(x) && x.Family == string(layer.Layer) })
			require.Equal(t, sum, layer.Charged.String(), s.Account)
			require.Equal(t, count, layer.Transactions, s.Account)
		}
	}
	var text strings.Builder
	require.NoError(t, made.Style.WriteJSON(t.Context(), &text, made.List[0]))
	first := slices.Index(accounts, address(t, alith))
	require.Equal(t, fee.EVM, made.List[first].Fees[0].Layer)
}

// Where a balance is one wei off, the statement fails, and states the difference.
func TestStatementThatDoesNotHold(t *testing.T) {
	d, src := opened(t, copied(t)), withBalances(t)
	right := src.balance
	src.balance = func(account chain.Address, height uint64) (chain.Balance, error) {
		b, err := right(account, height)
		if height == 27 && err == nil {
			b.Free, err = b.Free.Add(chain.NewWei(1))
		}
		return b, err
	}
	q := app.StatementRequest{Request: app.Request{Period: app.Heights(20, 27), Accounts: []chain.Address{address(t, alith)}}, Balances: src}
	made, err := d.Statements(t.Context(), q)
	require.NoError(t, err)
	require.False(t, made.Holds())
	require.Equal(t, "1", must(t, made.List[0].Unexplained).Free.String())

	q.Balances = nil
	made, err = d.Statements(t.Context(), q)
	require.NoError(t, err)
	require.False(t, made.List[0].Closing.Known(), "no balance was requested")
}

// A source that is of another chain, that keeps no balances, or that is away, proves
// nothing.
func TestStatementsWithoutBalances(t *testing.T) {
	d := opened(t, copied(t))
	ask := func(src source.Source) error {
		_, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(20, 27), Accounts: []chain.Address{address(t, alith)}}, Balances: src})
		return err
	}
	_, another := made(11, 40)
	err := ask(another.Source)
	require.ErrorIs(t, err, ledger.ErrOtherChain)
	require.ErrorContains(t, err, "block 27 is ")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))

	src := withBalances(t)
	src.balance = func(chain.Address, uint64) (none chain.Balance, err error) { return none, chain.ErrNotKept }
	err = ask(src)
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	require.ErrorContains(t, err, "records balances; --no-balances skips it")

	src.block = func(*chain.Block) error { return errAway }
	require.ErrorIs(t, ask(src), errAway)
}

// A missing part of a month is an error, or a note if the period may be partial.
func TestStatementsOverAPartOfAMonth(t *testing.T) {
	d := opened(t, copied(t))
	ask := func(in app.PeriodInput) (*app.Statements, error) {
		return d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: parsed(t, in), Accounts: []chain.Address{address(t, alith)}}})
	}
	_, err := ask(app.PeriodInput{Month: "2026-01"})
	var lacks *app.NotHeldError
	require.ErrorAs(t, err, &lacks)
	require.Equal(t, "2026-01", lacks.Period)
	require.NotEmpty(t, lacks.Lacks)
	require.ErrorContains(t, err, "2026-01 is incomplete, missing "+lacks.Lacks[0])
	made, err := ask(app.PeriodInput{Month: "2026-01", Partial: true})
	require.NoError(t, err)
	require.Len(t, made.Style.Notes, len(lacks.Lacks))
	for i, lack := range lacks.Lacks {
		require.Equal(t, "Known part: January 2026 is incomplete, missing "+lack, made.Style.Notes[i])
	}
	_, err = ask(app.PeriodInput{Month: "2031-01", Partial: true})
	require.ErrorContains(t, err, "no blocks of 2031-01")
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	made, err = ask(app.PeriodInput{})
	require.NoError(t, err, "all that is sealed")
	require.Empty(t, made.Style.Notes)
}

// A block of the span that is not of the month by its own time is named.
func TestStatementsWithABlockOfAnotherMonth(t *testing.T) {
	d := opened(t, changed(t, movedTo(10, "1769904000000"))) // 2026-02-01
	made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: parsed(t, app.PeriodInput{Month: "2026-01", Partial: true}), Accounts: []chain.Address{address(t, alith)}}})
	require.NoError(t, err)
	require.Contains(t, strings.Join(made.Style.Notes, "\n"), "block 10 lies outside 2026-01 by its own time")

	x, err := d.Export(t.Context(), app.ExportRequest{Request: app.Request{Period: parsed(t, app.PeriodInput{Month: "2026-01", Partial: true}), Accounts: []chain.Address{address(t, alith)}}, With: app.WithMovements, Balances: opens(withBalances(t))})
	require.NoError(t, err)
	_, err = x.Journal(t.Context())
	require.ErrorContains(t, err, "10 lies within blocks 2..27 but not within 2026-01 by its own time")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// What the ledger says while a statement is made or written is the ledger's.
func TestStatementsOfAnAlteredLedger(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q := app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: []chain.Address{address(t, alith)}}}
	made, err := d.Statements(t.Context(), q)
	require.NoError(t, err)
	alter(t, place, "UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 25")
	var text strings.Builder
	err = made.Explain(made.Style.WriteJSON(t.Context(), &text, made.List[0]))
	require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "ledger "+place+": ")
	_, err = d.Statements(t.Context(), q)
	require.Equal(t, failure.Damaged, app.KindOf(err), "%v", err)
	require.NoError(t, made.Explain(nil))
	require.Equal(t, errAway, made.Explain(errAway))
	require.ErrorContains(t, made.Explain(&statement.LedgerError{Err: errAway}), "ledger "+place+": ")
}

// A ledger that was closed answers nothing, and every question says whose trouble that is.
func TestAClosedLedger(t *testing.T) {
	d, err := app.Open(t.Context(), copied(t), network.BuiltIn())
	require.NoError(t, err)
	require.NoError(t, d.Close())
	ctx, all, heights := t.Context(), app.Period{All: true}, app.Heights(1, 27)
	for name, ask := range map[string]func() error{
		"report": func() error {
			_, err := d.Report(ctx, app.Request{Period: heights}, report.Choice{})
			return err
		},
		"all": func() error {
			_, err := d.Report(ctx, app.Request{Period: all}, report.Choice{})
			return err
		},
		"statements": func() error {
			_, err := d.Statements(ctx, app.StatementRequest{Request: app.Request{Period: heights}})
			return err
		},
		"export": func() error {
			_, err := d.Export(ctx, app.ExportRequest{Request: app.Request{Period: heights}})
			return err
		},
		"status":        func() error { _, err := d.Status(ctx); return err },
		"token":         func() error { _, err := d.Token(ctx); return err },
		"network":       func() error { _, err := d.Network(ctx); return err },
		"findings":      func() error { _, err := d.Findings(ctx, spanOf(1, 2)); return err },
		"backup":        func() error { return d.Backup(ctx, file(t), app.Progress{}) },
		"package":       func() error { _, err := d.MakePackage(ctx, question(t)); return err },
		"check of none": func() error { _, err := check(t, t.TempDir(), "", app.PackageOptions{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := ask()
			require.Error(t, err)
			var of *app.LedgerError
			require.Equal(t, name != "check of none", errors.As(err, &of), "%v", err)
		})
	}
}
