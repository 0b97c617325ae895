package app_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// What is written for a reviewer or an accounting system is whole, byte for byte, or there is an error. A reader
// who gives up at any moment gets no part of it.
func TestWrittenWholeOrNotAtAll(t *testing.T) {
	long(t)
	leavesNothing(t)
	place := copied(t)
	d := opened(t, place)
	accounts := []chain.Address{address(t, alith), address(t, baltathar)}
	period := app.Heights(1, 27)
	prices, err := app.ReadPrices(app.PricesInput{Files: []string{write(t, "eur.csv", "# source: made up\n2026-01-01,2\n")}, Fiat: "EUR"})
	require.NoError(t, err)
	chartPath, tagsPath := write(t, "chart.csv", "# suspense: 9999\n# asset: 1500\n# rounding: 6859\nlayer,tag,account\n,X,6820\nevm,,6810\n"), write(t, "tags.csv", "25-4,X\n")
	in, err := app.ReadChart(chartPath, tagsPath)
	require.NoError(t, err)
	asked := app.AboutRequest{Program: "a test", Command: "fees"}
	q := app.Request{Period: period, Accounts: accounts, Prices: prices}
	export := func(ctx context.Context) (*app.Export, error) {
		return d.Export(ctx, app.ExportRequest{Request: q, ChartInput: in, With: app.WithFees, Style: journal.Request{By: journal.ByDay}})
	}
	about := func(a *closing.About, err error) (string, error) {
		var text bytes.Buffer
		if err == nil {
			err = a.Write(&text)
		}
		return text.String(), err
	}
	sheet := func(s *table.Sheet) (string, error) {
		var text bytes.Buffer
		err := table.WriteCSV(&text, s)
		return text.String(), err
	}
	sample := func(ctx context.Context) (*app.Sample, error) {
		return d.Sample(ctx, app.SampleRequest{Request: q, Size: 9, Seed: "audit"})
	}
	for name, ask := range map[string]func(context.Context) (string, error){
		"report by account code": func(ctx context.Context) (string, error) {
			r, err := d.Report(ctx, q, report.Choice{By: report.AccountCode, Chart: in.Chart, Tags: in.Tags})
			if err != nil {
				return "", err
			}
			return sheet(r.Sheet())
		},
		"about a report": func(ctx context.Context) (string, error) {
			q, choice := q, report.Choice{By: report.Day}
			f, err := d.Fees(ctx, q, choice, chain.Optional[app.PeriodInput]{})
			if err != nil {
				return "", err
			}
			return about(d.About(ctx, f, &q, asked))
		},
		"about an export": func(ctx context.Context) (string, error) {
			x, err := export(ctx)
			if err != nil {
				return "", err
			}
			return about(x.About(ctx, "csv", asked))
		},
		"sample": func(ctx context.Context) (string, error) {
			s, err := sample(ctx)
			if err != nil {
				return "", err
			}
			return sheet(s.Sheet(ctx))
		},
		"about a sample": func(ctx context.Context) (string, error) {
			s, err := sample(ctx)
			if err != nil {
				return "", err
			}
			return about(s.About(ctx, asked))
		},
		"journal for an accounting system": func(ctx context.Context) (string, error) {
			x, err := export(ctx)
			if err != nil {
				return "", err
			}
			b, err := x.Summarise(ctx, "netsuite")
			if err != nil {
				return "", err
			}
			text := bytes.NewBufferString(b.Compared)
			err = b.WriteManifest(text, []string{"0"})
			return text.String(), err
		},
		"chart check": func(ctx context.Context) (string, error) {
			x, err := export(ctx)
			if err != nil {
				return "", err
			}
			c, err := x.CheckChart(ctx)
			if err != nil {
				return "", err
			}
			return sheet(c.Sheet(ctx))
		},
		"transactions": func(ctx context.Context) (string, error) {
			l, err := d.Transactions(ctx, app.TransactionsRequest{Period: period, Payers: accounts})
			if err != nil {
				return "", err
			}
			var text bytes.Buffer
			err = l.Record(nil).WriteJSON(&text)
			return text.String(), err
		},
		"list for Koinly": func(ctx context.Context) (string, error) {
			x, err := export(ctx)
			if err != nil {
				return "", err
			}
			var text bytes.Buffer
			write, err := x.Writer(ctx, "koinly")
			if err != nil {
				return "", err
			}
			err = write(&text)
			return text.String(), err
		},
		"records": func(ctx context.Context) (string, error) {
			var text bytes.Buffer
			err := d.WriteRecords(ctx, &text, period)
			return text.String(), err
		},
		"Parquet files": func(ctx context.Context) (string, error) {
			dir := filepath.Join(t.TempDir(), "lake")
			_, err := d.Dataset(ctx, app.DatasetRequest{Dir: dir, Period: app.Period{All: true, Zone: period.Zone, Partial: true}, Program: "a test"})
			if err != nil {
				return "", err
			}
			found, err := d.CheckDataset(ctx, dir, &app.Progress{})
			if err != nil {
				return "", err
			}
			require.Empty(t, found.Problems)
			return fmt.Sprint(tree(t, dir)), nil
		},
		"state": func(ctx context.Context) (string, error) {
			s, err := d.StateOf(ctx, app.Heights(3, 20))
			return s.String(), err
		},
		"verification": func(ctx context.Context) (string, error) {
			v, err := app.Verify(ctx, app.VerifyOptions{Place: place, Program: "a test", Against: &app.FillOptions{Reader: demo(t)}})
			if err != nil {
				return "", err
			}
			return fmt.Sprint(v.Blocks, v.Compared, v.Damages, v.Differing(), v.Evidence), nil
		},
		"package with a chart": func(ctx context.Context) (string, error) {
			q := app.PackageRequest{
				Dir: filepath.Join(t.TempDir(), "january"), PeriodInput: app.PeriodInput{Month: "2026-01", Partial: true}, Journal: "hledger", With: app.WithFees,
				PackageInputs:  app.PackageInputs{Accounts: []string{alith}, Chart: chartPath, Tags: tagsPath},
				PackageOptions: app.PackageOptions{Program: "a test"},
			}
			if _, err := d.MakePackage(ctx, q); err != nil {
				require.NoDirExists(t, q.Dir)
				return "", err
			}
			text, err := os.ReadFile(filepath.Join(q.Dir, closing.ManifestFile)) // has the hash of every file
			return string(text), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := ask(t.Context())
			require.NoError(t, err)
			require.NotEmpty(t, want)
			givenUp(t, func(ctx context.Context) error {
				have, err := ask(ctx)
				if err == nil {
					require.Equal(t, want, have)
				}
				return err
			})
		})
	}
}
