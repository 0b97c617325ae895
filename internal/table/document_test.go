package table_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/table"
)

// A document is written in each format by its own writer; the terminal's is the list unless it has a text.
func TestDocument(t *testing.T) {
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	list := &table.Sheet{Name: "y", Columns: []table.Column{{Name: "height", Kind: table.Integer}}, Rows: func(yield func([]any, error) bool) {
		_ = yield([]any{uint64(7)}, nil) && yield([]any{uint64(10)}, nil)
	}}
	d := &table.Document{List: list, JSON: write("{}"), HTML: write("<p>"), PDF: write("%PDF")}
	for format, want := range map[string]string{
		"csv": "height\n7\n10\n", "jsonl": `{"height":7}` + "\n" + `{"height":10}` + "\n", "json": "{}", "html": "<p>", "pdf": "%PDF",
	} {
		var out bytes.Buffer
		require.NoError(t, d.Write(&out, format, 0))
		require.Equal(t, want, out.String(), format)
	}
	for _, format := range []string{"parquet", "xlsx"} {
		var out bytes.Buffer
		require.NoError(t, d.Write(&out, format, 0))
		require.NotZero(t, out.Len(), format)
	}
	var plain, twice bytes.Buffer
	require.NoError(t, d.Write(&plain, "", 80))
	require.Contains(t, plain.String(), "10")
	require.NoError(t, table.WriteTables(&twice, 80, list, list))
	require.Equal(t, plain.String()+"\n"+plain.String(), twice.String())
	d.Text = func(w io.Writer, _ int) error { return write("text")(w) }
	plain.Reset()
	require.NoError(t, d.Write(&plain, "", 80))
	require.Equal(t, "text", plain.String())
	require.Equal(t, []*table.Sheet{list}, d.Sheets())
	d.Book = []*table.Sheet{list, list}
	require.Len(t, d.Sheets(), 2)

	var cells []table.Cell
	_, err := list.Each(func(row []table.Cell) error { cells = append(cells, row[0]); return nil })
	require.NoError(t, err)
	height, ok := cells[1].Height()
	require.True(t, ok)
	require.Equal(t, uint64(10), height)
	require.Equal(t, -1, cells[0].Compare(cells[1]), "7 is below 10")
}
