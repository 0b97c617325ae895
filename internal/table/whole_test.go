package table_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// An unknown figure makes the total unknown; one that does not apply is skipped.
func TestTotalWithAnUnknownFigure(t *testing.T) {
	wei := func(n uint64) chain.Optional[chain.Wei] { return chain.Some(chain.NewWei(n)) }
	none := chain.Optional[chain.Wei]{}
	s := &table.Sheet{Name: "fees", Token: console.Token{Symbol: "GLMR"}, Columns: []table.Column{
		{Name: "call", Kind: table.Text}, {Name: "tip", Kind: table.Wei, Total: true},
		{Name: "charged", Kind: table.Wei, Total: true, Whole: true}, {Name: "burned", Kind: table.Wei, Total: true, Whole: true},
	}, Rows: rows([]any{"a", wei(1), wei(5), wei(4)}, []any{"b", none, none, wei(3)}, []any{"c", wei(2), wei(6), wei(2)})}
	var text bytes.Buffer
	require.NoError(t, table.WriteTable(&text, s, 200))
	require.Regexp(t, `(?m)^total +0\.000000000000000003 +not known +0\.000000000000000009$`, text.String())

	var book bytes.Buffer
	require.NoError(t, table.WriteXLSX(&book, s))
	f, err := excelize.OpenReader(&book)
	require.NoError(t, err)
	defer f.Close()
	lines, err := f.GetRows("fees", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	last := lines[4]
	require.Equal(t, []string{"total", "3", "not known", "9"}, []string{last[0], last[4], last[5], last[6]})
	require.Equal(t, "not known", last[2])
	formula, err := f.GetCellFormula("fees", "C5")
	require.NoError(t, err)
	require.Empty(t, formula, "no sum of only the known figures")
}
