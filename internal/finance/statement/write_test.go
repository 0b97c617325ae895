package statement_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
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
		var object, line, table strings.Builder
		require.NoError(t, style.WriteJSON(ctx, &object, s))
		require.NoError(t, style.WriteJSONLine(ctx, &line, s))
		require.JSONEq(t, object.String(), line.String())
		require.Equal(t, 1, strings.Count(line.String(), "\n"))
		require.Equal(t, s.Account.String(), parsed[i]["account"])
		for _, width := range []int{80, 200} {
			require.NoError(t, style.WriteTable(ctx, &table, s, width))
		}
		require.Contains(t, table.String(), "Statement of "+s.Account.String())
	}
	for n := 1; n <= 2; n++ {
		var workbook bytes.Buffer
		require.NoError(t, table.WriteXLSX(&workbook, style.Sheets(ctx, list[:n])...))
		require.True(t, bytes.HasPrefix(workbook.Bytes(), []byte("PK")))
	}
}
