package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

func TestCSVReadBack(t *testing.T) {
	lines, err := csv.NewReader(bytes.NewReader(written(t, "csv", every(t)))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"call", "gas", "fee", "fee_token", "drift", "drift_token", "transferred", "gas_price", "time", "day", "hash", "payer", "success"},
		{
			"balances.transfer", "21000", "2625000000000000", "0.002625000000000000", "-1", "-0.000000000000000001", "1",
			"125000000000", "2024-01-01T00:00:00Z", "2024-01-01",
			"0x00000000000000000000000000000000000000000000000000000000000000ab", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "true",
		},
		{
			`'=HYPERLINK("http://evil";"a,b")`, "-5", "12345678901234567890123", "12345.678901234567890123", "1500000000000000000", "1.500000000000000000",
			"115792089237316195423570985008687907853269984665640564039457584007913129639935",
			"31250000001", "2024-01-31T12:26:39.006Z", "2024-01-31",
			"0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "0x0000000000000000000000000000000000000001", "false",
		},
		{"", "", "", "", "", "", "", "", "", "", "", "", ""},
	}, lines)
}

// Readers skip an empty line: the row would be lost.
func TestCSVKeepsARowWithoutValue(t *testing.T) {
	text := written(t, "csv", one(table.Text, false, "a", nil, "b"))
	require.Equal(t, "it\na\n\"\"\nb\n", string(text))
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 4)
}

// Text survives JSON unchanged, with control characters escaped.
func TestJSONText(t *testing.T) {
	for _, text := range []string{"<a&b>", "a\nb", "\x1b[31m", "\u202egpj.exe", "\x7f\u0085", `"quoted" \ `, "\U000e0001", "=1+1", ""} {
		line := written(t, "jsonl", one(table.Text, false, text))
		var back struct{ It string }
		require.NoError(t, json.Unmarshal(line, &back))
		require.Equal(t, text, back.It)
		require.Equal(t, plain.Line(string(line[:len(line)-1])), string(line[:len(line)-1]))
	}
	require.Equal(t, `{"it":"<a&b>"}`+"\n", string(written(t, "jsonl", one(table.Text, false, "<a&b>"))))
	require.Equal(t, `{"it":"\udb40\udc01\u202e"}`+"\n", string(written(t, "jsonl", one(table.Text, false, "\U000e0001\u202e"))))
	require.Equal(t, `{"it":"a\ufffdb"}`+"\n", strings.ReplaceAll(string(written(t, "jsonl", one(table.Text, false, "a\xffb"))), "\ufffd", `\ufffd`))
}
