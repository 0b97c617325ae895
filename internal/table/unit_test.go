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

// Amounts have the decimals of the sheet's token.
func TestTokenWithNineDecimals(t *testing.T) {
	made := func() *table.Sheet {
		s := one(table.Wei, true, chain.NewWei(1_500_000_001), chain.NewWei(7))
		s.Token = console.Token{Symbol: "TAO", Decimals: 9}
		return s
	}
	require.Equal(t, "it,it_token\n1500000001,1.500000001\n7,0.000000007\n", string(written(t, "csv", made())))
	var text bytes.Buffer
	require.NoError(t, table.WriteTable(&text, made(), 80))
	require.Regexp(t, `(?s)it TAO.*1\.500000001.*0\.000000007.*1\.500000008`, text.String())
	var cells []table.Cell
	totals, err := made().Each(func(row []table.Cell) error {
		cells = append(cells, row[0])
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, [][2]string{{"1.500000001", "1500000001"}, {"0.000000007", "7"}}, texts(cells))
	require.Equal(t, [][2]string{{"1.500000008", "1500000008"}}, texts(totals))

	file, err := excelize.OpenReader(bytes.NewReader(written(t, "xlsx", made())))
	require.NoError(t, err)
	defer file.Close()
	name := file.GetSheetName(0)
	for cell, want := range map[string]string{"A1": "It, TAO", "A2": "1.500000001", "A3": "0.000000007", "A4": "1.500000008", "B1": "It, planck, as text", "B2": "1500000001", "B4": "1500000008"} {
		have, err := file.GetCellValue(name, cell)
		require.NoError(t, err)
		require.Equal(t, want, have, cell)
	}
}
