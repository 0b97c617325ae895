package app_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Errors have the kind that front ends rely on.
func TestKinds(t *testing.T) {
	place, ctx := filled(t, file(t)), t.Context()
	d, err := app.Open(ctx, place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	ask := func(p app.Period) error {
		_, err := d.Report(ctx, app.Request{Period: p}, report.Choice{By: report.Day})
		return err
	}
	explain := func(name string) error {
		which, err := app.ParseTransactionRef(name, "")
		if err == nil {
			_, err = app.Explain(ctx, demo(t), which)
		}
		return err
	}
	for name, c := range map[string]struct {
		kind failure.Kind
		err  func() error
	}{
		"nothing":                     {"", func() error { return ask(app.Heights(1, 27)) }},
		"a period beyond":             {failure.NotCovered, func() error { return ask(app.Heights(1, 99)) }},
		"a month that is not there":   {failure.NotCovered, func() error { p, _ := app.PeriodInput{Month: "2031-01"}.Parse(); return ask(p) }},
		"a month that is none":        {failure.NotUnderstood, func() error { _, err := app.PeriodInput{Month: "2026-13"}.Parse(); return err }},
		"a range that is none":        {failure.NotUnderstood, func() error { _, err := app.PeriodInput{Blocks: "9..1"}.Parse(); return err }},
		"an account that is none":     {failure.NotUnderstood, func() error { _, _, err := app.ReadAccounts([]string{"0x12"}, nil); return err }},
		"a file that is not there":    {failure.NotUnderstood, func() error { _, err := app.ReadAddressBook("nowhere.csv"); return err }},
		"no ledger":                   {failure.NotFound, func() error { _, err := app.Open(ctx, file(t), network.BuiltIn()); return err }},
		"no transaction":              {failure.NotFound, func() error { return explain("25-77") }},
		"an inherent":                 {failure.NotFound, func() error { return explain("25-0") }},
		"a transaction that is none":  {failure.NotUnderstood, func() error { return explain("25") }},
		"a block that was not kept":   {failure.NotCovered, func() error { return explain("99-1") }},
		"a ledger that is written":    {failure.Busy, func() error { return writtenTwice(t, place) }},
		"a ledger that was altered":   {failure.Damaged, func() error { return altered(t) }},
		"a gateway that is away":      {failure.Unanswered, func() error { return unreachable(t) }},
		"who asked has gone":          {failure.Stopped, func() error { return fmt.Errorf("a request: %w", context.Canceled) }},
		"a full disk":                 {failure.Failed, func() error { return fmt.Errorf("a write: %w", syscall.ENOSPC) }},
		"something else":              {failure.Failed, func() error { return errors.New("something else") }},
		"amounts that no chain has":   {failure.Unanswered, func() error { return fmt.Errorf("block 3: %w", chain.ErrOverflow) }},
		"a ledger of another chain":   {failure.NotUnderstood, func() error { return &app.LedgerError{Place: "x", Err: ledger.ErrOtherChain} }},
		"rows that differ from those": {failure.DoesNotHold, func() error { return &app.LedgerError{Place: "x", Err: &ledger.DiffersError{}} }},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.err()
			require.Equal(t, c.kind, app.KindOf(err), "%v", err)
		})
	}
}

func writtenTwice(t *testing.T, place string) error {
	first, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer first.Close()
	_, err = app.OpenWriter(t.Context(), place, network.BuiltIn())
	return err
}

// altered is what a question says of a ledger in which a block was changed.
func altered(t *testing.T) error {
	place := filled(t, file(t))
	db, err := sql.Open("sqlite", place)
	require.NoError(t, err)
	_, err = db.Exec("UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = 25")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	v, err := app.Verify(t.Context(), app.VerifyOptions{Place: place})
	require.NoError(t, err)
	return v.Err()
}

// unreachable is the error of an unreachable gateway.
func unreachable(t *testing.T) error {
	src, err := source.Open("http://127.0.0.1:1", source.Options{Options: gatewayclient.Options{Total: 1}})
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	_, err = app.Temporary(t.Context(), "of the moment", app.Heights(1, 2), app.FillOptions{Reader: reader})
	return err
}

// An error names the fields of a question, under whatever names the front has for them.
func TestFieldsOfErrors(t *testing.T) {
	_, err := app.PeriodInput{From: "2026-01-01"}.Parse()
	require.EqualError(t, err, "state both from and to")
	var input *app.InputError
	require.ErrorAs(t, err, &input)
	require.Equal(t, "state both ?from and ?to", input.Naming(func(f app.Field) string { return "?" + string(f) }))
	_, err = app.ReadTables(filepath.Join(t.TempDir(), "mine.json"))
	require.ErrorAs(t, err, &input)
	require.Contains(t, input.Naming(func(f app.Field) string { return "--" + string(f) }), "--network-file: ")
}
