package table_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

func TestTableShortensNamesAndNoFigure(t *testing.T) {
	s := &table.Sheet{
		Title: "Fees of January 2024", Token: console.Token{Symbol: "GLMR"}, Notes: []string{"blocks 5 to 7 are not in the ledger, so the totals are not those of the month"},
		Columns: []table.Column{
			{Name: "hash", Kind: table.Hash, Drop: 3}, {Name: "payer", Kind: table.Address, Drop: 2}, {Name: "call", Kind: table.Text},
			{Name: "gas_price", Kind: table.GasPrice, Drop: 1}, {Name: "fee", Kind: table.Wei, Total: true},
		},
		Rows: rows(
			[]any{chain.Hash{0xab}, chain.Address20([20]byte{0x01}), "ethereum.transact", price(t, "125000000000"), wei(t, "2625000000000000")},
			[]any{chain.Hash{0xcd}, chain.Address20([20]byte{0x02}), "parachainStaking.delegatorBondMore", price(t, "31250000001"), wei(t, "10500000000000000000")},
			[]any{nil, nil, nil, nil, nil},
		),
	}
	narrow := `Fees of January 2024

call                                 fee GLMR
---------------------------------------------
ethereum.transact                    0.002625
parachainStaking.delegatorBondMore  10.500000

---------------------------------------------
total                               10.502625
hidden columns: hash, payer, gas price Gwei
  (widen the terminal or use --format json)

note: blocks 5 to 7 are not in the ledger,
  so the totals are not those of the month
`
	var out bytes.Buffer
	require.NoError(t, table.WriteTable(&out, s, 45))
	require.Equal(t, narrow, out.String())
	out.Reset()
	require.NoError(t, table.WriteTable(&out, s, 100))
	require.Contains(t, out.String(), "0xab00…0000  0x0100…0000  ethereum.transact         ")
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len([]rune(line)), 101, line)
	}
	out.Reset()
	require.NoError(t, table.WriteTable(&out, s, 1))
	require.Contains(t, out.String(), "10.502625")
}

// What is beside the rows begins in one column, also beside wide characters, and only if there is room.
func TestBeside(t *testing.T) {
	text := func(width int) string {
		s := one(table.Text, false, "ab", "漢字", "")
		s.Beside = func(row, width int) string { return strings.Repeat("#", min(row*2, width)) }
		var out strings.Builder
		require.NoError(t, table.WriteTable(&out, s, width))
		return out.String()
	}
	require.Equal(t, "it\n------\nab\n漢字    ##\n        ####\n", text(60))
	require.Equal(t, "it\n------\nab\n漢字\n\n", text(59))
}
