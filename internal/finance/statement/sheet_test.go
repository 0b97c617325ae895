package statement_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file, or rewrites it.
func golden(t *testing.T, name, have string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, []byte(have), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), have)
}

var style = statement.Style{
	Token: console.Token{Symbol: "GLMR"}, Notes: []string{"PARTIAL: not all of it"},
	Labels: &labels, Evidence: evidence.Recorded(28).By(chain.Anchor{Height: 16_796_696, Hash: chain.Hash{0xef, 8}}, 28),
}

var labels addressbook.Book

func init() {
	for account, label := range map[chain.Address]string{
		alith: "Treasury",
		chain.Address20([20]byte{0x3c, 0xd0, 0xa7, 0x05, 0xa2, 0xdc, 0x65, 0xe5, 0xb1, 0xe1, 0x20, 0x58, 0x96, 0xba, 0xa2, 0xbe, 0x8a, 0x07, 0xc6, 0xe0}): "=HYPERLINK(\"http://x\")\u202e",
	} {
		labels.Add(addressbook.Entry{Address: account, Label: label})
	}
}

// The sheets of the most active account, and of one with movements whose changes are not stated.
func TestSheets(t *testing.T) {
	const name = "moonbeam-2100"
	ctx := context.Background()
	book := recorded(t, name,
		"INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (24, 9000, 2147483647, 3, 'balances.Slashed', 'slash', x'0000000000000000000000000000000000000001', '5', NULL, NULL)",
		"INSERT INTO movements (height, position, place, event_index, event, kind, account, amount, free, reserved) VALUES (25, 9000, -1, 0, 'balances.BalanceSet', 'free-set', x'0000000000000000000000000000000000000001', '5', NULL, '0')",
		"UPDATE transactions SET charged = NULL WHERE height = 25 AND extrinsic = 4",
		"UPDATE transactions SET charged = '7', sender = x'0000000000000000000000000000000000000009' WHERE height = 25 AND extrinsic = 5",
		"UPDATE transactions SET charged = '0' WHERE height = 25 AND extrinsic = 6",
		"UPDATE main.blocks SET flags = flags | 1 WHERE height = 25",
	)
	span := chain.Heights{First: 24, Last: 26}
	other := chain.Address20([20]byte{19: 1})
	balances := ledgertest.RecordedBalances(t, name)
	balances[other] = map[uint64]chain.Balance{
		23: {Free: chain.NewWei(10), Reserved: chain.NewWei(2)}, 24: {Free: chain.NewWei(7)}, 25: {Free: chain.NewWei(5)}, 26: {Free: chain.NewWei(5)},
	}
	list := []*statement.Statement{made(t, book, balances, alith, span, true), made(t, book, balances, other, span, false)}
	sheets := map[string]func() *table.Sheet{
		"summary":   func() *table.Sheet { return style.Summary(list...) },
		"movements": func() *table.Sheet { return style.Movements(ctx, list...) },
		"fees":      func() *table.Sheet { return style.Fees(ctx, list...) },
		"transfers": func() *table.Sheet { return style.Transfers(ctx, list...) },
		"brief":     func() *table.Sheet { return style.Brief(ctx, list[1]) },
		"brief-80": func() *table.Sheet {
			return statement.Without(style.Brief(ctx, list[0]), "reserved", "reserved_balance")
		},
	}
	for name, of := range sheets {
		var text, lines bytes.Buffer
		require.NoError(t, table.WriteTable(&text, of(), 80))
		golden(t, name+".txt", text.String())
		require.NoError(t, table.WriteCSV(&lines, of()))
		golden(t, name+".csv", lines.String())
		require.NotContains(t, lines.String(), ",=HYPERLINK")
		rows, err := csv.NewReader(&lines).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(rows), 1)
	}
	require.True(t, list[1].Reserves())
	require.False(t, list[0].Reserves())

	var book1, book2 bytes.Buffer
	require.NoError(t, table.WriteXLSX(&book1, style.Summary(list...), style.Movements(ctx, list[0]), style.Transfers(ctx, list[0])))
	require.NoError(t, table.WriteXLSX(&book2, style.Summary(list...), style.Movements(ctx, list[0]), style.Transfers(ctx, list[0])))
	require.Equal(t, book1.Bytes(), book2.Bytes())
	x, err := excelize.OpenReader(&book1)
	require.NoError(t, err)
	defer x.Close()
	require.Equal(t, []string{"summary", "movements", "transfers"}, x.GetSheetList())
}

// An error of the ledger ends a sheet, and the consumer may stop early.
func TestSheetErrors(t *testing.T) {
	book := recorded(t, "moonbeam-2100")
	s := made(t, book, nil, alith, chain.Heights{Last: 27}, false)
	rows := 0
	for range statement.Without(style.Fees(context.Background(), s), "account").Rows {
		rows++
		break
	}
	require.Equal(t, 1, rows)
	require.NoError(t, book.Close())
	require.Error(t, table.WriteCSV(&bytes.Buffer{}, statement.Without(style.Fees(context.Background(), s), "account")))
	require.Error(t, table.WriteCSV(&bytes.Buffer{}, style.Movements(context.Background(), s)))
}

func TestName(t *testing.T) {
	require.Equal(t, alith.String()+" (Treasury)", style.Name(alith))
	require.True(t, strings.HasPrefix(style.Name(chain.Address{}), "0x0000"))
}
