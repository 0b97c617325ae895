package table_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/pdftest"
)

// onPaper returns what a document contains, and the artifacts of its pages.
func onPaper(t *testing.T, p table.Paper, sheets ...*table.Sheet) ([]pdftest.Leaf, []string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, table.WritePDF(&out, p, sheets...))
	return pdftest.Parse(t, out.Bytes()).Leaves()
}

// textsOf returns the texts of one kind.
func textsOf(list []pdftest.Leaf, kind string) (texts []string) {
	for _, l := range list {
		if l.Kind == kind {
			texts = append(texts, l.Text)
		}
	}
	return texts
}

func TestPaper(t *testing.T) {
	list, artifacts := onPaper(t, table.Paper{Size: pdf.A4, Title: "All\x1b kinds", Notes: []string{"before"}, Footer: []string{"2026-01"}, Sign: true}, every(t))
	require.Equal(t, []string{"All kinds"}, textsOf(list, "H1"))
	require.Equal(t, []string{"Every kind of value"}, textsOf(list, "H2"))
	require.Equal(t, []string{"before", "Note: 2 blocks are not covered", "Note: =1+1 is [31mno formula", "Prepared by Date ", "Reviewed by Date "}, textsOf(list, "P"))
	require.Equal(t, []string{"call", "gas", "fee GLMR", "drift GLMR", "transferred", "gas price Gwei", "time", "day", "hash", "payer", "success"}, textsOf(list, "TH"))
	require.Equal(t, []string{
		"balances.transfer", "21000", "0.002625000000000000", "-0.000000000000000001", "1", "125.000000000", "2024-01-01T00:00:00Z", "2024-01-01",
		"0x00000000000000000000000000000000000000000000000000000000000000ab", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "true",
		`=HYPERLINK("http://evil";"a,b")`, "-5", "12345.678901234567890123", "1.500000000000000000",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935", "31.250000001", "2024-01-31T12:26:39.006Z", "2024-01-31",
		"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "0x0000000000000000000000000000000000000001", "false",
	}, textsOf(list, "TD")[:22])
	require.Contains(t, strings.Join(textsOf(list, "TD")[33:], "|"), "total|20995|12345.681526234567890123|1.499999999999999999|", "the totals")
	require.Contains(t, artifacts[0], "2026-01\n")
}

// Long text is cut and said so; leading spaces stay; a sheet without a title has its name.
func TestPaperText(t *testing.T) {
	long := strings.Repeat("label ", 1000)
	list, _ := onPaper(t, table.Paper{Size: pdf.Letter, Title: "Text"}, &table.Sheet{Name: "labels", Columns: []table.Column{{Name: "label", Kind: table.Text}, {Name: "more", Kind: table.Text}},
		Rows: rows([]any{long, "  a class"}, []any{"b", nil})})
	require.Equal(t, []string{"Labels"}, textsOf(list, "H2"))
	cells := textsOf(list, "TD")
	require.True(t, strings.HasPrefix(long, strings.TrimSuffix(cells[0], "…")))
	require.Equal(t, "\u00a0\u00a0a class", cells[1])
	require.Equal(t, []string{"Note: 1 long text cut, marked with …; other formats contain the whole text"}, textsOf(list, "P"))
}

// Characters that the fonts lack are boxes, and a note says so before the place to sign.
func TestPaperLacks(t *testing.T) {
	made := func(label, footer string) []string {
		list, _ := onPaper(t, table.Paper{Size: pdf.A4, Title: "Text", Footer: []string{footer}, Sign: true}, &table.Sheet{Name: "labels", Columns: []table.Column{{Name: "label", Kind: table.Text}}, Rows: rows([]any{label})})
		return textsOf(list, "P")
	}
	const said = "Note: 1 text contains characters that the fonts lack; each is shown as a box, so labels may look alike. Other formats contain the whole text"
	signed := []string{"Prepared by Date ", "Reviewed by Date "}
	require.Equal(t, signed, made("Müller, кошелёк", "2026-01"))
	require.Equal(t, append([]string{said}, signed...), made("账户账", "2026-01"))
	require.Equal(t, append([]string{said}, signed...), made("a", "账"))
}

// What the reader must know first is framed: of the document before its notes, of a part of it below the part's title, which
// starts a page, and its facts. The caller learns which texts cannot be shown.
func TestPaperFrames(t *testing.T) {
	words := []table.Column{{Name: "label", Kind: table.Text}}
	above := &table.Above{Title: "Alice\x1b", Framed: []string{"not\x1b proved"}}
	above.Facts.Add("Account", "0x01\x1b")
	var lacking []string
	p := table.Paper{Size: pdf.A4, Title: "Statements", Framed: []string{"MISSING:\x1b block 7"}, Notes: []string{"before"}, Lacking: func(texts []string) { lacking = texts }}
	list, artifacts := onPaper(t, p, &table.Sheet{Name: "summary", Columns: words, Rows: rows([]any{"账户"})}, &table.Sheet{Name: "alice", Title: "Movements", Above: above, Columns: words, Rows: rows([]any{"b"})})
	require.Equal(t, []string{"账户"}, lacking)
	require.Len(t, artifacts, 2, "pages")
	require.Equal(t, []string{"Summary", "Alice", "Movements"}, textsOf(list, "H2"))
	var order []string
	for _, l := range list {
		order = append(order, l.Text)
	}
	at := -1
	for _, text := range []string{"MISSING: block 7", "before", "Summary", "Alice", "Account 0x01", "not proved", "Movements"} {
		next := slices.IndexFunc(order, func(have string) bool { return strings.Contains(have, text) })
		require.Greater(t, next, at, "%s: %q", text, order)
		at = next
	}
}

func TestPaperManyRows(t *testing.T) {
	const count = 2000
	s := &table.Sheet{Name: "rows", Title: "Rows", Columns: []table.Column{{Name: "n", Kind: table.Integer, Total: true}}, Rows: func(yield func([]any, error) bool) {
		for n := range count {
			if !yield([]any{n}, nil) {
				return
			}
		}
	}}
	list, artifacts := onPaper(t, table.Paper{Size: pdf.A4, Title: "Many"}, s)
	cells := textsOf(list, "TD")
	require.Len(t, cells, count+1)
	for n := range count {
		require.Equal(t, fmt.Sprint(n), cells[n])
	}
	require.Equal(t, fmt.Sprint(count*(count-1)/2), cells[count])
	require.Greater(t, len(artifacts), 20)
}

func TestPaperErrors(t *testing.T) {
	broken := errors.New("disk full")
	var failing iter.Seq2[[]any, error] = func(yield func([]any, error) bool) { yield(nil, broken) }
	number := []table.Column{{Name: "n", Kind: table.Integer}}
	paper := table.Paper{Size: pdf.A4, Title: "Errors"}
	require.ErrorIs(t, table.WritePDF(&bytes.Buffer{}, paper, &table.Sheet{Name: "s", Columns: number, Rows: failing}), broken)
	require.EqualError(t, table.WritePDF(&bytes.Buffer{}, paper, &table.Sheet{Name: "s"}), `sheet "s" has no columns`)
	require.ErrorContains(t, table.WritePDF(&bytes.Buffer{}, table.Paper{Size: "a5"}), "paper size")
	require.ErrorIs(t, table.WritePDF(fullDisk{broken}, paper, &table.Sheet{Name: "s", Columns: number, Rows: rows([]any{1})}), broken)
}

// fullDisk is a writer that fails.
type fullDisk struct{ err error }

func (f fullDisk) Write([]byte) (int, error) { return 0, f.err }
