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
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
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
	Token: console.Token{Symbol: "GLMR"}, Notes: []string{"Known part: not all of it"},
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
	require.ErrorIs(t, s.EachFee(context.Background(), func(*statement.Line) error { return errAway }), errAway)
	require.NoError(t, book.Close())
	require.Error(t, style.WriteJSONList(context.Background(), &bytes.Buffer{}, []*statement.Statement{s}))
	_, err := style.Parts(context.Background(), s)
	require.Error(t, err)
	require.Error(t, s.EachFee(context.Background(), func(*statement.Line) error { return nil }))
	require.Error(t, table.WriteCSV(&bytes.Buffer{}, statement.Without(style.Fees(context.Background(), s), "account")))
	require.Error(t, table.WriteCSV(&bytes.Buffer{}, style.Movements(context.Background(), s)))
}

func TestName(t *testing.T) {
	require.Equal(t, alith.String()+" (Treasury)", style.Name(alith))
	require.True(t, strings.HasPrefix(style.Name(chain.Address{}), "0x0000"))
}

// read returns the rows of a sheet in CSV, by column.
func read(t *testing.T, s *table.Sheet) (list []map[string]string) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, table.WriteCSV(&text, s))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		list = append(list, cells)
	}
	return list
}

// By fee, what was withheld and given back is one row without an event: its changes and their worth are those of the
// fee. Other rows stay.
func TestMovementsByFee(t *testing.T) {
	ctx := context.Background()
	s := made(t, recorded(t, "moonbeam-2100"), nil, alith, chain.Heights{First: 25, Last: 25}, false)
	prices, err := money.Read([]byte("# source: X\n2026-01-01,100\n"), "EUR")
	require.NoError(t, err)
	y := style
	require.NoError(t, y.ValueBy(ctx, statement.Valued{Prices: prices}, []*statement.Statement{s}))
	parts, fees := read(t, y.Movements(ctx, s)), read(t, y.MovementsByFee(ctx, s))
	require.Len(t, fees, len(parts)-1, "one of the fees was given back in part")
	found := 0
	for _, row := range fees {
		if row["of_fee"] == "false" {
			require.Contains(t, parts, row)
			continue
		}
		require.Equal(t, []string{"", "", "fee", "", "", ""}, []string{row["event"], row["event_index"], row["kind"], row["counterparty"], row["amount"], row["amount_eur"]})
		require.Equal(t, "-"+row["fee"], row["free"])
		if row["place"] == "25-7" { // 9090000000000000 - 3874764000000000
			found++
			require.Equal(t, []string{"5215236000000000", "0.52", "-0.52"}, []string{row["fee"], row["fee_eur"], row["free_eur"]})
		}
	}
	require.Equal(t, 1, found)
}

// A fee with failed checks counts once, and names each of them.
func TestFailedChecks(t *testing.T) {
	ctx := context.Background()
	book := recorded(t, "moonbeam-2100", `UPDATE main.blocks SET flags = flags | 2, known = '{"findings":[
		{"check_id":"evm.cash","extrinsic":4,"message":"a"},{"check_id":"evm.split","extrinsic":4,"message":"b"},{"check_id":"block.time","extrinsic":null,"message":"c"}]}' WHERE height = 25`)
	s := made(t, book, nil, alith, chain.Heights{First: 25, Last: 26}, false)
	for _, f := range s.Fees {
		want := map[fee.Layer]uint64{fee.EVM: 1}[f.Layer]
		require.Equal(t, want, f.Failed, f.Layer)
	}
	require.Contains(t, s.Notes(console.Token{}), "1 evm fee with failed checks")
	for _, sheet := range []*table.Sheet{style.Fees(ctx, s), style.MovementsByFee(ctx, s)} {
		var failed []string
		for _, row := range read(t, sheet) {
			if row["failed_checks"] != "" {
				failed = append(failed, row["block"]+": "+row["failed_checks"]+", "+row["verdict"])
			}
		}
		require.Equal(t, []string{"25: evm.cash evm.split, match"}, failed)
	}
}

// A token transfer from the account to itself is neither in nor out.
func TestTransferToOneself(t *testing.T) {
	book := recorded(t, "moonbeam-2100", "UPDATE transfers SET recipient = sender WHERE height = 26")
	s := made(t, book, nil, alith, chain.Heights{First: 25, Last: 26}, false)
	var list [][]string
	for _, row := range read(t, style.Transfers(context.Background(), s)) {
		list = append(list, []string{row["block"], row["direction"], row["counterparty"], row["counterparty_label"]})
	}
	require.Equal(t, [][]string{{"25", "out", "0x798d4Ba9baf0064Ec19eB4F0a1a45785ae9D6DFc", ""}, {"26", "self", alith.String(), "Treasury"}}, list)
}
