package app_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/reconcile"
)

// impatient is a context that is cancelled once it was looked at so many times: whoever asks
// gives up just then.
type impatient struct {
	context.Context
	left   atomic.Int64
	cancel context.CancelFunc
}

func lookedAt(t *testing.T, times int) *impatient {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c := &impatient{Context: ctx, cancel: cancel}
	c.left.Store(int64(times))
	return c
}

func (c *impatient) look() {
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
}

func (c *impatient) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

func (c *impatient) Err() error {
	c.look()
	return c.Context.Err()
}

// givenUp asks, gives up a little later each time, until there is an answer. Giving up is the only error.
func givenUp(t *testing.T, ask func(ctx context.Context) error) {
	t.Helper()
	gaveUp := 0
	for times := 0; ; times += 1 + times/6 {
		require.Less(t, times, 1_000_000)
		ctx := lookedAt(t, times)
		err := ask(ctx)
		if err == nil {
			break
		}
		gaveUp++
		require.ErrorIs(t, ctx.Context.Err(), context.Canceled, "%v", err)
		if !errors.Is(err, context.Canceled) {
			require.True(t, strings.Contains(err.Error(), "interrupted") || strings.Contains(err.Error(), "canceled"), "%v", err)
		}
	}
	require.Greater(t, gaveUp, 2)
}

// A question that is given up, wherever it is just then, ends with that, and leaves nothing. It is
// the ledger's answer, or none: never a part of it.
func TestQuestionsThatAreGivenUp(t *testing.T) {
	long(t)
	leavesNothing(t)
	place := threeMonths(t)
	d := opened(t, place)
	src := withBalances(t)
	year := parsed(t, app.PeriodInput{Year: "2026", Partial: true})
	accounts := []chain.Address{address(t, alith), address(t, baltathar)}
	books := app.BooksInput{Path: record(t, of(alith)), Reading: closing.Reading{Unit: "wei", Separator: ";", Columns: []string{"fee=Kosten"}}}
	made := yearRequest(t)
	packed(t, d, made)
	hash := allSent(t)[0].Hash
	list, err := app.ReadPrices(app.PricesInput{Files: []string{write(t, "eur.csv", "# source: made up\ndate,price\n2026-01-01,0.25\n2026-02-01,0.25\n2026-03-01,0.25\n")}, Fiat: "EUR"})
	require.NoError(t, err)
	export := func(ctx context.Context) (*app.Export, error) {
		return d.Export(ctx, app.ExportRequest{Request: app.Request{Prices: list, Period: year, Accounts: accounts}, With: app.WithMovements, Balances: opens(src)})
	}
	for name, ask := range map[string]func(ctx context.Context) error{
		"account": func(ctx context.Context) error {
			_, err := d.Account(ctx, app.AccountRequest{Account: accounts[0], Balances: src})
			return err
		},
		"comparison": func(ctx context.Context) error {
			_, err := d.Compare(ctx, app.Request{Period: app.Heights(10, 19)}, report.Choice{By: report.Day}, app.PeriodInput{Blocks: "1..9"})
			return err
		},
		"findings":    func(ctx context.Context) error { _, err := d.Findings(ctx, spanOf(1, 27)); return err },
		"transaction": func(ctx context.Context) error { _, err := d.Transaction(ctx, "25-7"); return err },
		"hash":        func(ctx context.Context) error { _, err := d.Transaction(ctx, hash); return err },
		"block":       func(ctx context.Context) error { _, err := d.Block(ctx, 25); return err },
		"status":      func(ctx context.Context) error { _, err := d.Status(ctx); return err },
		"report": func(ctx context.Context) error {
			_, err := d.Report(ctx, app.Request{Period: year, Accounts: accounts, Prices: list}, report.Choice{By: report.Day})
			return err
		},
		"rollforward": func(ctx context.Context) error {
			r, err := d.Rollforward(ctx, app.RollforwardRequest{Request: app.Request{Period: year, Accounts: accounts, Prices: list}, By: app.ByMonth, Balances: src})
			if err != nil {
				return err
			}
			return r.Explain(r.Document(ctx).Write(io.Discard, "xlsx", 0))
		},
		"statements": func(ctx context.Context) error {
			s, err := d.Statements(ctx, app.StatementRequest{Request: app.Request{Period: year, Accounts: accounts, Prices: list}, Balances: src})
			if err != nil {
				return err
			}
			return s.Explain(s.Document(ctx).Write(io.Discard, "xlsx", 0))
		},
		"list": func(ctx context.Context) error {
			x, err := export(ctx)
			if err != nil {
				return err
			}
			_, err = x.List(ctx)
			return err
		},
		"journal": func(ctx context.Context) error {
			x, err := export(ctx)
			if err != nil {
				return err
			}
			_, err = x.Journal(ctx)
			return err
		},
		"reconciliation": func(ctx context.Context) error {
			o, err := books.Options(app.Request{})
			require.NoError(t, err)
			file, err := books.Read(ctx, o)
			if err != nil {
				return err
			}
			defer file.Close()
			r, err := d.Reconcile(ctx, []reconcile.NamedFile{{Name: "books.csv", File: file}}, year, reconcile.Options{Accounts: accounts, Prices: list})
			if err == nil {
				err = r.Close()
			}
			return err
		},
		"package": func(ctx context.Context) error {
			q := made
			q.Dir = filepath.Join(t.TempDir(), "year")
			_, err := d.MakePackage(ctx, q)
			if err != nil {
				require.NoDirExists(t, q.Dir)
				require.NoDirExists(t, q.Dir+".closing")
			}
			return err
		},
		"check of a package": func(ctx context.Context) error {
			c, err := app.CheckPackage(ctx, made.Dir, func(ctx context.Context) (*app.Ledger, error) { return app.Open(ctx, place, d.Tables) }, app.Vouchers{}, made.PackageOptions)
			if err == nil {
				require.Empty(t, c.Differences)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			givenUp(t, ask)
		})
	}
	entries, err := os.ReadDir(filepath.Dir(made.Dir))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing lies beside the package")
}
