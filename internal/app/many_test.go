package app_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
)

// Sixty-four people ask at once, of a database that has four connections for them, or of a
// file. Each gets the same answer as a single client.
func TestManyAtOnce(t *testing.T) {
	for name, place := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return file(t) },
		"postgres": func(t *testing.T) string { long(t); return postgrestest.Start(t).Database(t) + "&pool_max_conns=4" },
	} {
		t.Run(name, func(t *testing.T) {
			d, err := app.Open(t.Context(), filled(t, place(t)), network.BuiltIn())
			require.NoError(t, err)
			defer d.Close()
			alith, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
			require.NoError(t, err)
			questions := []func() (string, error){
				func() (string, error) { return written(t, d, report.Day) },
				func() (string, error) { return written(t, d, report.Account) },
				func() (string, error) { return written(t, d, report.Contract) },
				func() (string, error) {
					made, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: []chain.Address{alith}}})
					if err != nil {
						return "", err
					}
					var text strings.Builder
					err = made.Style.WriteJSON(t.Context(), &text, made.List[0])
					return text.String(), err
				},
			}
			var alone []string
			for _, ask := range questions {
				answer, err := ask()
				require.NoError(t, err)
				require.NotEmpty(t, answer)
				alone = append(alone, answer)
			}
			var asking sync.WaitGroup
			people := 64
			if testing.Short() {
				people = 8
			}
			wrong := make([]error, people)
			for i := range wrong {
				asking.Go(func() {
					answer, err := questions[i%len(questions)]()
					if err == nil && answer != alone[i%len(questions)] {
						err = fmt.Errorf("question %d has another answer among many", i)
					}
					wrong[i] = err
				})
			}
			asking.Wait()
			for _, err := range wrong {
				require.NoError(t, err)
			}
		})
	}
}

// written is a report as JSON.
func written(t *testing.T, d *app.Ledger, by report.By) (string, error) {
	r, err := d.Report(t.Context(), app.Request{Period: app.Heights(0, 27)}, report.Choice{By: by})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = r.Document().JSON(&text)
	return text.String(), err
}
