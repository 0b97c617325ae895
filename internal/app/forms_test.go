package app_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/test/pdftest"
)

// The fees of the demo's blocks 1 to 27: what its sent.json says that the senders were charged.
const (
	demoWei   = "1786951749384991759"
	demoToken = "1.786951749384991759"
)

// wantForms writes something in forms, and wants each to be that form and, where it is text, to have
// one of some texts.
func wantForms(t *testing.T, forms []string, write func(io.Writer, string) error, texts ...string) {
	t.Helper()
	for _, form := range forms {
		var out bytes.Buffer
		require.NoError(t, write(&out, form), form)
		switch text := out.String(); form {
		case "xlsx":
			require.True(t, strings.HasPrefix(text, "PK\x03\x04"), form)
		case "parquet":
			require.True(t, strings.HasPrefix(text, "PAR1") && strings.HasSuffix(text, "PAR1"), form)
		default:
			has := false
			for _, want := range texts {
				has = has || strings.Contains(text, want)
			}
			require.True(t, has, "%s has none of %v:\n%s", form, texts, text)
		}
	}
}

func TestFormsOfFees(t *testing.T) {
	d := opened(t, threeMonths(t))
	q, choice := app.Request{Period: app.Heights(1, 27)}, report.Choice{By: report.Layer}
	f, err := d.Fees(t.Context(), q, choice, chain.Optional[app.PeriodInput]{})
	require.NoError(t, err)
	require.Nil(t, f.Compared)
	require.Contains(t, f.Title(), "layer")
	require.Equal(t, f.Report.Holds(), f.Holds())
	wantForms(t, []string{"json", "html", "table"}, func(w io.Writer, form string) error { return f.Document().Write(w, form, 100) }, demoWei, demoToken)
	wantForms(t, []string{"csv", "jsonl", "xlsx", "parquet"}, func(w io.Writer, form string) error { return f.Document().Write(w, form, 0) }, "native")

	february := app.PeriodInput{Month: "2026-02"}
	before, err := february.Beside(app.PeriodBefore)
	require.NoError(t, err)
	q.Period = parsed(t, february)
	f, err = d.Fees(t.Context(), q, choice, before)
	require.NoError(t, err)
	require.NotNil(t, f.Compared)
	require.Contains(t, f.Title(), "January 2026")
	require.Equal(t, f.Report.Holds() && f.Compared.Holds(), f.Holds())
	total := f.Compared.Now.Totals.Fee.String()
	wantForms(t, []string{"json", "csv", "jsonl", "xlsx", "parquet"}, func(w io.Writer, form string) error { return f.Document().Write(w, form, 100) }, total, "native")
	wantForms(t, []string{"table"}, func(w io.Writer, form string) error { return f.Document().Write(w, form, 100) }, "January 2026")
}

// What a period is compared with is the one before, a month, a year, or nothing.
func TestPeriodsBeside(t *testing.T) {
	month := app.PeriodInput{Month: "2026-02"}
	for text, want := range map[string]chain.Optional[app.PeriodInput]{
		"": {}, "before": chain.Some(app.PeriodInput{Month: "2026-01"}), "2025-02": chain.Some(app.PeriodInput{Month: "2025-02"}), "2024": chain.Some(app.PeriodInput{Year: "2024"}),
	} {
		have, err := month.Beside(text)
		require.NoError(t, err, text)
		require.Equal(t, want, have, text)
	}
	_, err := month.Beside("last summer")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	require.ErrorContains(t, err, `"last summer": want before, a month such as 2025-02, or a year such as 2025`)
}

// The error of a field with fixed words lists all words except the empty one.
func TestOneOf(t *testing.T) {
	require.NoError(t, app.OneOf(app.FieldSeparator, "b", "a", "b"))
	require.Equal(t, []string{"a", "b"}, app.Texts([]report.By{"a", "b"}))
	for want, words := range map[string][]string{"want a, b or c": {"", "a", "b", "c"}, "want a or b": {"a", "b"}, "want a": {"a"}} {
		err := app.OneOf(app.FieldSeparator, "x", words...)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		require.Equal(t, []app.Field{app.FieldSeparator}, fieldsOf(t, err))
		require.True(t, strings.HasSuffix(err.Error(), want), err)
	}
}

func TestFormsOfStatements(t *testing.T) {
	d := opened(t, copied(t))
	var accounts []chain.Address
	for account := range recordedBalances() {
		accounts = append(accounts, account)
	}
	for n := 1; n <= 2; n++ {
		for _, part := range app.StatementParts {
			l, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: accounts[:n]}, Part: part, Balances: withBalances(t)})
			require.NoError(t, err)
			require.Len(t, l.List, n)
			wantForms(t, []string{"json", "table", "xlsx"}, func(w io.Writer, form string) error { return l.Document(t.Context()).Write(w, form, 120) }, fmt.Sprint(accounts[0]))
			wantForms(t, []string{"csv"}, func(w io.Writer, form string) error { return l.Document(t.Context()).Write(w, form, 0) }, "account")
		}
	}
}

func TestFormsOfARollforward(t *testing.T) {
	d := opened(t, copied(t))
	q := app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}, By: app.ByPeriod, Balances: withBalances(t)}
	r, err := rolled(t, d, q)
	require.NoError(t, err)
	wantForms(t, []string{"json", "csv", "xlsx", "table"}, func(w io.Writer, form string) error { return r.Document(t.Context()).Write(w, form, 200) }, "closing", "Closing")
	q.List = chain.Some(rollforward.All)
	r, err = rolled(t, d, q)
	require.NoError(t, err)
	wantForms(t, []string{"json", "csv", "jsonl", "xlsx", "parquet", "table"}, func(w io.Writer, form string) error { return r.Document(t.Context()).Write(w, form, 200) }, "balances.Withdraw", "withdrawal", "25-")
}

func TestFormsOfAnExport(t *testing.T) {
	d := opened(t, copied(t))
	var programs []string
	var accounts []chain.Address
	for account := range recordedBalances() {
		accounts = append(accounts, account)
	}
	x, err := d.Export(t.Context(), app.ExportRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: accounts}, With: app.WithFees})
	require.NoError(t, err)
	for _, form := range app.ExportForms {
		if _, is := app.Program(form); is {
			programs = append(programs, form)
		}
		write, err := x.Writer(t.Context(), form)
		require.NoError(t, err, form)
		wantForms(t, []string{form}, func(w io.Writer, _ string) error { return write(w) }, "GLMR", "fee")
	}
	require.Equal(t, programs, app.ProgramNames())
}

func TestFormsOfAReconciliation(t *testing.T) {
	d := opened(t, copied(t))
	in := app.BooksInput{Path: record(t, func(sent) bool { return true }), Reading: closing.Reading{Unit: "wei", Columns: []string{"fee=Kosten"}}}
	r, err := books(t, d, in, app.Heights(1, 27))
	require.NoError(t, err)
	for _, all := range []bool{false, true} {
		wantForms(t, []string{"json", "csv", "xlsx", "table"}, func(w io.Writer, form string) error { return r.Document(all).Write(w, form, 200) }, "matched", "Matched", "outcome")
	}
}

// The PDF documents have every row, and state their period on each page.
func TestPaper(t *testing.T) {
	d := opened(t, copied(t))
	account := chain.Address{}
	for account = range recordedBalances() {
		break
	}
	leaves := func(write func(io.Writer) error) (list []string) {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		elements, pages := pdftest.Parse(t, out.Bytes()).Leaves()
		for _, page := range pages {
			require.Contains(t, page, "the period")
		}
		for _, l := range elements {
			list = append(list, l.Text)
		}
		return list
	}
	a := &closing.About{Period: "the period"}
	l, err := d.Statements(t.Context(), app.StatementRequest{Request: app.Request{Period: app.Heights(1, 27), Accounts: []chain.Address{account}}, Balances: withBalances(t)})
	require.NoError(t, err)
	text := leaves(func(w io.Writer) error { return l.WritePDF(t.Context(), w, app.Paper{Size: "letter"}, a) })
	require.Equal(t, "Account statement, "+console.Ends(account.String(), 4), text[0])
	require.Contains(t, text, "opening")
	require.ErrorContains(t, l.WritePDF(t.Context(), io.Discard, app.Paper{Size: "a5"}, a), "paper size")

	q := app.RollforwardRequest{Request: app.Request{Period: app.Heights(1, 27)}, By: app.ByPeriod, Balances: withBalances(t)}
	r, err := rolled(t, d, q)
	require.NoError(t, err)
	require.Contains(t, leaves(func(w io.Writer) error { return r.WritePDF(t.Context(), w, app.Paper{Size: "a4"}, a) }), "closing")
	q.List = chain.Some(rollforward.All)
	r, err = rolled(t, d, q)
	require.NoError(t, err)
	require.Contains(t, leaves(func(w io.Writer) error { return r.WritePDF(t.Context(), w, app.Paper{Size: "a4"}, a) }), "fee-refund")

	in := app.BooksInput{Path: record(t, func(sent) bool { return true }), Reading: closing.Reading{Unit: "wei", Columns: []string{"fee=Kosten"}}}
	b, err := books(t, d, in, app.Heights(1, 27))
	require.NoError(t, err)
	text = leaves(func(w io.Writer) error { return app.WriteReconciliationPDF(w, b, true, app.Paper{Size: "a4"}, a) })
	require.Contains(t, text, "25-4")
	require.Contains(t, text, "file_sha256")
}

// A period is a command line's flags again.
func TestFlagsOfAPeriod(t *testing.T) {
	for want, in := range map[string]app.PeriodInput{
		"": {Blocks: "1..27"}, " --month 2026-01": {Month: "2026-01"}, " --year 2026": {Year: "2026"}, " --from 2026-01-01 --to '2026-01 31'": {From: "2026-01-01", To: "2026-01 31"},
	} {
		require.Equal(t, want, in.Flags())
	}
}

// A day that the newest block does not reach is named with its time zone.
func TestADayThatIsStillToCome(t *testing.T) {
	for zone, want := range map[string]string{"": "2027-05-01", "Asia/Tokyo": "2027-05-01 in Asia/Tokyo"} {
		_, err := app.Sync(t.Context(), file(t), wanted(t, app.PeriodInput{From: "2027-05-01", To: "2027-05-02", Timezone: zone}), app.FillOptions{Reader: hourly(t)})
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), err)
		require.ErrorContains(t, err, "is older than "+want)
	}
}
