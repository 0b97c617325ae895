package reconcile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

func preview(t *testing.T, text string, o reconcile.Options) (*reconcile.Preview, error) {
	t.Helper()
	return reconcile.ReadPreview(t.Context(), strings.NewReader(text), o, 2)
}

// The beginning of a file is shown as written, even if it cannot be read: its header, or the row most like one.
func TestPreview(t *testing.T) {
	hash := "0x" + strings.Repeat("ab", 32)
	p, err := preview(t, "Report\n\nTx hash;Fee (GLMR);Centre\n"+hash+";x;<b>\n;;\nby hand;;\n1;2;3\n", reconcile.Options{Symbol: "GLMR"})
	require.NoError(t, err)
	require.Equal(t, &reconcile.Preview{
		Form: "csv", Separator: ";", Encoding: reconcile.UTF8, Line: 3, Header: []string{"Tx hash", "Fee (GLMR)", "Centre"}, Unit: reconcile.Token,
		Found: []reconcile.Column{{Field: reconcile.Hash, Name: "Tx hash", Place: 1}, {Field: reconcile.Fee, Name: "Fee (GLMR)", Place: 2}},
		Rows:  []reconcile.Line{{Number: 4, Cells: []string{hash, "x", "<b>"}}, {Number: 6, Cells: []string{"by hand", "", ""}}},
	}, p)

	// Without a header: the row with the most names, at the end of a short file and of a long one.
	for _, more := range []int{1, 200} {
		p, err = preview(t, "Report\nBeleg;Betrag;Datum\n"+strings.Repeat(hash+";1;2\n", more), reconcile.Options{})
		require.NoError(t, err)
		require.Equal(t, 2, p.Line)
		require.Equal(t, []string{"Beleg", "Betrag", "Datum"}, p.Header)
		require.Empty(t, p.Found)
		require.Len(t, p.Rows, min(2, more))
		require.Equal(t, 3, p.Rows[0].Number)
	}
	p, err = preview(t, "Report;;\nBeleg;Betrag;Datum\n"+hash+";1;2\n", reconcile.Options{HeaderRow: 2, Columns: map[reconcile.Field]string{reconcile.Fee: "Betrag", reconcile.Hash: "Beleg"}, SkipRows: []int{1}})
	require.NoError(t, err)
	require.Len(t, p.Found, 3)

	// An unreadable row ends it; the rows before are shown.
	p, err = preview(t, "hash,fee_wei\n"+hash+",1\n\"x\"y,1\n", reconcile.Options{})
	require.NoError(t, err)
	require.Len(t, p.Rows, 1)

	p, err = preview(t, grid{{"Report"}, {"tx hash", "fee_wei"}, {hash, "7"}}.xlsx(t, nil), reconcile.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"Sheet1"}, p.Sheets)
	require.Equal(t, "Sheet1", p.Sheet)
	require.Equal(t, []reconcile.Line{{Number: 3, Cells: []string{hash, "7"}}}, p.Rows)

	for text, want := range map[string]string{
		"": "the file is empty", "\n\n": "no commas, semicolons, tabs or pipes", ",,\n,,\n": "the file is empty", "\x00\x01,\x02\n": "a zero byte", "PK\x03\x04": "cannot be unpacked",
	} {
		_, err = preview(t, text, reconcile.Options{})
		require.ErrorContains(t, err, want, "%q", text)
	}
	_, err = preview(t, "hash,fee_wei\n", reconcile.Options{Unit: "x"})
	require.ErrorContains(t, err, "--unit")
}

// Nothing more is read after the request is cancelled.
func TestGivenUp(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	book := grid{{"tx hash", "fee_wei"}, {"0x" + strings.Repeat("ab", 32), "7"}}.xlsx(t, nil)
	for _, text := range []string{"hash,fee_wei\n", book} {
		_, err := reconcile.ReadFile(over, strings.NewReader(text), reconcile.Options{})
		require.ErrorIs(t, err, context.Canceled)
		_, err = reconcile.ReadPreview(over, strings.NewReader(text), reconcile.Options{}, 2)
		require.ErrorIs(t, err, context.Canceled)
	}
	// The same while a workbook is read.
	ctx, cancel := context.WithCancel(t.Context())
	in := &ending{Reader: strings.NewReader(book), end: cancel}
	_, err := reconcile.ReadFile(ctx, in, reconcile.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// ending calls end with its first byte.
type ending struct {
	*strings.Reader
	end func()
}

func (e *ending) Read(p []byte) (int, error) {
	e.end()
	return e.Reader.Read(p)
}
