package app_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
)

// counted is a context that is cancelled when it is asked for the last time of a count.
type counted struct {
	context.Context
	cancel context.CancelFunc
	asked  atomic.Int64
	last   int64
}

func (c *counted) count() {
	if c.asked.Add(1) == c.last {
		c.cancel()
	}
}

func (c *counted) Done() <-chan struct{} { c.count(); return c.Context.Done() }
func (c *counted) Err() error            { c.count(); return c.Context.Err() }

// interruptedAt calls a function with a context that is cancelled at its n-th use. It returns how often it was used.
func interruptedAt(t *testing.T, n int64, do func(context.Context) (any, error)) (result any, uses int64, err error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &counted{Context: ctx, cancel: cancel, last: n}
	result, err = do(c)
	return result, c.asked.Load(), err
}

// wholeOrStopped requires an operation to return its whole answer, or the error of an interruption, at whatever moment it is
// interrupted.
func wholeOrStopped(t *testing.T, do func(context.Context) (any, error)) {
	t.Helper()
	whole, uses, err := interruptedAt(t, 0, do)
	require.NoError(t, err)
	stopped := 0
	moments := int64(150)
	if uses > 2000 { // an operation that takes long
		moments = 12
	}
	for n := int64(1); n <= uses; n += (uses + moments - 1) / moments {
		result, _, err := interruptedAt(t, n, do)
		if err != nil {
			require.Equal(t, failure.Stopped, app.KindOf(err), "use %d of %d: %v", n, uses, err)
			stopped++
			continue
		}
		require.Equal(t, whole, result, "use %d of %d", n, uses)
	}
	require.Positive(t, stopped)
}

// An operation that is interrupted, at any moment, returns an error or the whole answer: never part of it.
func TestInterrupted(t *testing.T) {
	long(t)
	leavesNothing(t)
	place := copied(t)
	d := opened(t, place)
	all := app.Heights(1, 27)
	accounts := []chain.Address{address(t, alith)}
	q := app.Request{Period: all, Accounts: accounts}
	asked := app.AboutRequest{Program: "a test", Command: "a test"}
	pack := question(t)
	made := packed(t, d, pack)
	january := period(t, pack.PeriodInput)
	held, err := d.Held(t.Context(), all)
	require.NoError(t, err)
	dirs, wanted, seal := t.TempDir(), blocks(t, "0..27"), sealOf(t, place)
	for name, do := range map[string]func(context.Context) (any, error){
		"status": func(ctx context.Context) (any, error) { return d.Status(ctx) },
		"account": func(ctx context.Context) (any, error) {
			return d.Account(ctx, app.AccountRequest{Account: accounts[0]})
		},
		"findings": func(ctx context.Context) (any, error) { return d.Findings(ctx, spanOf(1, 27)) },
		"state":    func(ctx context.Context) (any, error) { return d.StateOf(ctx, all) },
		"transactions": func(ctx context.Context) (any, error) {
			return d.Transactions(ctx, app.TransactionsRequest{Period: all, Payers: accounts})
		},
		"without payer": func(ctx context.Context) (any, error) {
			l := &app.TransactionList{Held: held}
			err := d.CountWithoutPayer(ctx, l, accounts)
			return l.WithoutPayer, err
		},
		"transaction": func(ctx context.Context) (any, error) { return d.Transaction(ctx, allSent(t)[0].Hash) },
		"report": func(ctx context.Context) (any, error) {
			q, choice := q, report.Choice{By: report.Account}
			f, err := d.Fees(ctx, q, choice, chain.Optional[app.PeriodInput]{})
			if err != nil {
				return nil, err
			}
			return d.About(ctx, f, &q, asked)
		},
		"statements": func(ctx context.Context) (any, error) {
			made, err := d.Statements(ctx, app.StatementRequest{Request: q})
			if err != nil {
				return nil, err
			}
			return made.About(ctx, asked)
		},
		"rollforward": func(ctx context.Context) (any, error) {
			made, err := d.Rollforward(ctx, app.RollforwardRequest{Request: q, By: app.ByMonth, List: chain.Some(rollforward.All)})
			if err != nil {
				return nil, err
			}
			return made.About(ctx, asked)
		},
		"sample": func(ctx context.Context) (any, error) {
			s, err := d.Sample(ctx, app.SampleRequest{Request: q, Size: 5, Seed: "a seed"})
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
			err = table.WriteCSV(&text, s.Sheet(ctx))
			return []any{s.Population, s.Chosen, text.String()}, err
		},
		"records": func(ctx context.Context) (any, error) {
			var text bytes.Buffer
			err := d.WriteRecords(ctx, &text, all)
			return text.String(), err
		},
		"reconciliation": func(ctx context.Context) (any, error) {
			o, err := pack.Books.Options(q)
			if err != nil {
				return nil, err
			}
			o.Accounts, o.Symbol = accounts, "GLMR"
			file, err := pack.Books.Read(ctx, o)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			r, err := d.Reconcile(ctx, []reconcile.NamedFile{{Name: "theirs", File: file}}, all, o)
			if err != nil {
				return nil, err
			}
			defer r.Close()
			return d.AboutReconciliation(ctx, r, all, asked)
		},
		"export": func(ctx context.Context) (any, error) {
			x, err := d.Export(ctx, app.ExportRequest{Request: q, With: app.WithFees})
			if err != nil {
				return nil, err
			}
			return x.About(ctx, "csv", asked)
		},
		"package": func(ctx context.Context) (any, error) {
			q := pack
			q.Dir = filepath.Join(dirs, "package")
			defer os.RemoveAll(q.Dir)
			made, err := d.MakePackage(ctx, q)
			if err != nil {
				require.NoDirExists(t, q.Dir)
				return nil, err
			}
			return made.Sum, nil
		},
		"check": func(ctx context.Context) (any, error) {
			open := func(ctx context.Context) (*app.Ledger, error) { return app.Open(ctx, place, network.BuiltIn()) }
			c, err := app.CheckPackage(ctx, made.Dir, open, app.Vouchers{}, pack.PackageOptions)
			if err != nil {
				return nil, err
			}
			return [][]string{c.Damage, c.Differences, c.Notes}, nil
		},
		"unchanged": func(ctx context.Context) (any, error) { return nil, d.Unchanged(ctx, made.Manifest) },
		"months": func(ctx context.Context) (any, error) {
			dir := filepath.Join(dirs, "months")
			defer os.RemoveAll(dir)
			x, err := d.Dataset(ctx, app.DatasetRequest{Dir: dir, Period: january, Program: "a test"})
			if err != nil {
				return nil, err
			}
			c, err := d.CheckDataset(ctx, dir, &app.Progress{})
			return []any{x, c}, err
		},
		"sync": func(ctx context.Context) (any, error) {
			dir := filepath.Join(dirs, "sync")
			require.NoError(t, os.Mkdir(dir, 0o700))
			defer os.RemoveAll(dir)
			place := filepath.Join(dir, "fees.db")
			if _, err := app.Sync(ctx, place, wanted, app.FillOptions{Reader: demo(t)}); err != nil {
				_, resumed := app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: demo(t)})
				require.NoError(t, resumed)
				require.Equal(t, seal, sealOf(t, place), "it continues where it was interrupted")
				return nil, err
			}
			return sealOf(t, place), nil
		},
		"verification": func(ctx context.Context) (any, error) {
			v, err := app.Verify(ctx, app.VerifyOptions{Place: place, Against: &app.FillOptions{Reader: demo(t)}, Program: "a test"})
			if err != nil {
				return nil, err
			}
			return []any{v.Blocks, v.Compared, v.Damage, v.Differences, v.Evidence, v.NotKept}, nil
		},
	} {
		t.Run(name, func(t *testing.T) { wholeOrStopped(t, do) })
	}
}

// Comparisons, lists and documents are whole or not there, too.
func TestInterruptedLists(t *testing.T) {
	long(t)
	leavesNothing(t)
	place := copied(t)
	d := opened(t, place)
	accounts := []chain.Address{address(t, alith), address(t, baltathar)}
	prices, err := app.ReadPrices(app.PricesInput{Files: []string{write(t, "eur.csv", "# source: made up\n2026-01-01,2\n")}, Fiat: "EUR"})
	require.NoError(t, err)
	q := app.Request{Period: app.Heights(14, 27), Accounts: accounts, Prices: prices}
	before := app.PeriodInput{Blocks: "0..13"}
	months := winter(t)
	partial := func(month string) app.Request {
		return app.Request{Period: parsed(t, app.PeriodInput{Month: month, Partial: true})}
	}
	written := func(s *table.Sheet) (string, error) {
		var text bytes.Buffer
		err := table.WriteCSV(&text, s)
		return text.String(), err
	}
	asked := app.AboutRequest{Program: "a test", Command: "a test"}
	for name, do := range map[string]func(context.Context) (any, error){
		"comparison": func(ctx context.Context) (any, error) {
			c, err := d.Compare(ctx, q, report.Choice{By: report.Account}, before)
			if err != nil {
				return nil, err
			}
			return written(c.Sheet())
		},
		"comparison of parts": func(ctx context.Context) (any, error) {
			c, err := months.Compare(ctx, partial("2025-03"), report.Choice{By: report.Layer}, app.PeriodInput{Month: "2025-02", Partial: true})
			if err != nil {
				return nil, err
			}
			return written(c.Sheet())
		},
		"variance": func(ctx context.Context) (any, error) {
			v, err := d.Variance(ctx, app.VarianceRequest{Request: q, Against: before})
			if err != nil {
				return nil, err
			}
			return written(v.Sheet())
		},
		"figures": func(ctx context.Context) (any, error) {
			return d.FiguresOf(ctx, accounts, q.Period)
		},
		"callings": func(ctx context.Context) (any, error) { return d.CallingsOf(ctx, q.Period, accounts) },
		"deposits": func(ctx context.Context) (any, error) {
			list, err := d.Deposits(ctx, app.DepositsRequest{Request: q, Changes: true})
			if err != nil {
				return nil, err
			}
			return written(list.List)
		},
		"findings": func(ctx context.Context) (any, error) {
			list, err := d.ListFindings(ctx, q.Period)
			if err != nil {
				return nil, err
			}
			return written(list.Sheet)
		},
		"a hash that nothing has": func(ctx context.Context) (any, error) {
			_, err := d.PlaceOf(ctx, chain.Hash{1}.String())
			if app.KindOf(err) == failure.NotFound {
				return err.Error(), nil
			}
			return nil, err
		},
		"a transaction that does not exist": func(ctx context.Context) (any, error) {
			_, err := d.Transaction(ctx, "3-99")
			if app.KindOf(err) == failure.NotFound {
				return err.Error(), nil
			}
			return nil, err
		},
		"statements on paper": func(ctx context.Context) (any, error) {
			made, err := d.Statements(ctx, app.StatementRequest{Request: q})
			if err != nil {
				return nil, err
			}
			a, err := made.About(ctx, asked)
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
			err = made.WritePDF(ctx, &text, app.Paper{Size: "a4"}, a)
			return text.String(), made.Explain(err)
		},
		"statements in text": func(ctx context.Context) (any, error) {
			made, err := d.Statements(ctx, app.StatementRequest{Request: q})
			if err != nil {
				return nil, err
			}
			var text, lines bytes.Buffer
			document := made.Document(ctx)
			if err = document.Text(&text, 120); err == nil {
				err = document.JSON(&lines)
			}
			return text.String() + lines.String(), made.Explain(err)
		},
		"rollforward by month": func(ctx context.Context) (any, error) {
			made, err := months.Rollforward(ctx, app.RollforwardRequest{Request: app.Request{Period: partial("2025-02").Period, Accounts: accounts}, By: app.ByMonth})
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
			err = made.Document(ctx).Text(&text, 120)
			return text.String(), err
		},
		"forecast": func(ctx context.Context) (any, error) {
			f, err := app.ForecastSync(ctx, place, blocks(t, "20..27"), app.FillOptions{Reader: demo(t)})
			if err != nil {
				return nil, err
			}
			return f.Missing, nil
		},
		"days": func(ctx context.Context) (any, error) {
			f, err := app.ForecastSync(ctx, place, wanted(t, app.PeriodInput{Month: "2026-01"}), app.FillOptions{Reader: demo(t)})
			if err != nil {
				return nil, err
			}
			return f.Blocks, nil
		},
		"examination": func(ctx context.Context) (any, error) {
			return app.Examine(ctx, chain.Heights{First: 20, Last: 27}, app.Examination{Reader: demo(t), Accounts: accounts[:0], Signatures: true}, func(*evidence.Report) error { return nil })
		},
	} {
		t.Run(name, func(t *testing.T) { wholeOrStopped(t, do) })
	}
}
