package statement_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// A statement has the same JSON over several lines, on one line, and in a list; the table and the workbook contain
// it too.
func TestWritten(t *testing.T) {
	const name = "moonbeam-2100"
	ctx := t.Context()
	book, balances, span := recorded(t, name), ledgertest.RecordedBalances(t, name), chain.Heights{First: 1, Last: 27}
	list := []*statement.Statement{made(t, book, balances, alith, span, false), made(t, book, nil, chain.Address20([20]byte{19: 9}), span, false)}
	var all bytes.Buffer
	require.NoError(t, style.WriteJSONList(ctx, &all, list))
	var parsed []map[string]any
	require.NoError(t, json.Unmarshal(all.Bytes(), &parsed))
	require.Len(t, parsed, 2)
	for i, s := range list {
		var object, line, text strings.Builder
		require.NoError(t, style.WriteJSON(ctx, &object, s))
		require.NoError(t, style.WriteJSONLine(ctx, &line, s))
		require.JSONEq(t, object.String(), line.String())
		require.Equal(t, 1, strings.Count(line.String(), "\n"))
		require.Equal(t, s.Account.String(), parsed[i]["account"])
		for _, width := range []int{80, 200} {
			parts, err := style.Parts(ctx, s)
			require.NoError(t, err)
			require.NoError(t, table.WriteTables(&text, width, parts...))
		}
		require.Contains(t, text.String(), "Statement of "+s.Account.String())
	}
	for n := 1; n <= 2; n++ {
		var workbook bytes.Buffer
		require.NoError(t, table.WriteXLSX(&workbook, style.Sheets(ctx, list[:n])...))
		require.True(t, bytes.HasPrefix(workbook.Bytes(), []byte("PK")))
	}
}

// A list of no statements is an empty JSON list.
func TestEmptyList(t *testing.T) {
	var out strings.Builder
	require.NoError(t, style.WriteJSONList(t.Context(), &out, nil))
	require.JSONEq(t, "[]", out.String())
}

// The JSON contains the account's group only with an address book, and the fees paid for other senders only if there
// are any.
func TestHeadOfJSON(t *testing.T) {
	book := recorded(t, "moonbeam-2100", "UPDATE transactions SET sender = x'3cd0a705a2dc65e5b1e1205896baa2be8a07c6e0' WHERE height = 25 AND extrinsic = 7")
	span := chain.Heights{First: 25, Last: 25}
	named := style
	named.Called, named.Labels = true, &addressbook.Book{}
	require.NoError(t, named.Labels.Add(addressbook.Entry{Address: alith, Label: "Ours", Group: "company"}))
	head := func(y statement.Style, account chain.Address) (members map[string]any) {
		var text bytes.Buffer
		require.NoError(t, y.WriteJSON(t.Context(), &text, made(t, book, nil, account, span, false)))
		require.NoError(t, json.Unmarshal(text.Bytes(), &members))
		return members
	}
	ours, other := head(named, alith), head(named, chain.Address20([20]byte{19: 9}))
	require.Equal(t, []any{"Ours", "company"}, []any{ours["label"], ours["group"]})
	require.Contains(t, other, "group")
	require.Equal(t, []any{nil, nil}, []any{other["label"], other["group"]})
	require.NotContains(t, head(style, alith), "group")
	others := ours["paid_for_others"].(map[string]any)
	require.EqualValues(t, 1, others["transactions"])
	require.Equal(t, "5215236000000000", others["charged"]) // the withdrawal of 9090000000000000 less 3874764000000000
	require.Nil(t, other["paid_for_others"])
}

// The sheets of several accounts are named by label, or by the start of the address. An address book adds columns with
// labels to the tables.
func TestNamesOfSheets(t *testing.T) {
	book, span, none := recorded(t, "moonbeam-2100"), chain.Heights{First: 25, Last: 25}, chain.Address20([20]byte{9})
	list := []*statement.Statement{made(t, book, nil, alith, span, false), made(t, book, nil, none, span, false)}
	named := style
	named.Called = true
	var names []string
	for _, s := range named.Sheets(t.Context(), list) {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"summary", "movements Treasury", "fees Treasury", "transfers Treasury", "movements 0x09000000", "fees 0x09000000", "transfers 0x09000000"}, names)

	require.Equal(t, "movements 0xf24FF3a9", style.Sheets(t.Context(), list)[1].Name, "only an address book labels an account's own sheets")

	unnamed := style
	unnamed.Labels = nil
	for want, y := range map[string]statement.Style{"with an address book": style, "without": unnamed} {
		parts, err := y.Parts(t.Context(), list[0])
		require.NoError(t, err)
		var columns []string
		for _, c := range parts[len(parts)-1].Columns {
			columns = append(columns, c.Name)
		}
		require.Equal(t, "transfers", parts[len(parts)-1].Name)
		require.Equal(t, want == "without", !slices.Contains(columns, "counterparty_label"), want)
	}
}
