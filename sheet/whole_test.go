package sheet_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/sheet"
)

// A figure that is not known leaves the total of its column unknown; one that does not
// apply is not in the sum.
func TestTotalWithAnUnknownFigure(t *testing.T) {
	wei := func(n uint64) chain.Optional[chain.Wei] { return chain.Some(chain.NewWei(n)) }
	none := chain.Optional[chain.Wei]{}
	s := &sheet.Sheet{Name: "fees", Symbol: "GLMR", Columns: []sheet.Column{
		{Name: "call", Kind: sheet.Text}, {Name: "tip", Kind: sheet.Wei, Total: true},
		{Name: "charged", Kind: sheet.Wei, Total: true, Whole: true}, {Name: "burned", Kind: sheet.Wei, Total: true, Whole: true},
	}, Rows: rows([]any{"a", wei(1), wei(5), wei(4)}, []any{"b", none, none, wei(3)}, []any{"c", wei(2), wei(6), wei(2)})}
	var table bytes.Buffer
	require.NoError(t, sheet.WriteTable(&table, s, 200))
	require.Regexp(t, `(?m)^total +0\.000000000000000003 +not known +0\.000000000000000009$`, table.String())

	var book bytes.Buffer
	require.NoError(t, sheet.WriteXLSX(&book, s))
	f, err := excelize.OpenReader(&book)
	require.NoError(t, err)
	defer f.Close()
	lines, err := f.GetRows("fees", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	last := lines[4]
	require.Equal(t, []string{"total", "3", "not known", "9"}, []string{last[0], last[1], last[3], last[5]})
	formula, err := f.GetCellFormula("fees", "E5")
	require.NoError(t, err)
	require.Empty(t, formula, "no sum of what is known")
}
