package table_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// ofChain returns a sheet of one chain's fees, in a token with some decimals.
func ofChain(t *testing.T, name, symbol string, decimals int, fee string, more ...table.Column) *table.Sheet {
	s := &table.Sheet{
		Name: "fees", Title: name, Notes: []string{name}, Token: console.Token{Symbol: symbol, Decimals: decimals},
		Columns: append([]table.Column{{Name: "day", Kind: table.Date}, {Name: "fee", Kind: table.Wei, Total: true}}, more...),
		Totals:  append([]any{nil, wei(t, fee)}, make([]any, len(more))...),
	}
	row := []any{"2026-01-31", wei(t, fee)}
	for range more {
		row = append(row, uint64(7))
	}
	s.Rows = rows(row)
	return s.WithText(0, "network", name).WithText(1, "token", symbol)
}

// Rows of several chains have the columns of all, and the decimals of their own token.
func TestSeveralChains(t *testing.T) {
	list := func() []*table.Sheet {
		return []*table.Sheet{ofChain(t, "one", "GLMR", 18, "1500000000000000000"), ofChain(t, "two", "UNIT", 12, "2500000000000", table.Column{Name: "gas", Kind: table.Integer})}
	}
	write := func(form string) string {
		sheets := list()
		var out bytes.Buffer
		require.NoError(t, (&table.Document{List: sheets[0], More: sheets[1:]}).Write(&out, form, 80))
		return out.String()
	}
	require.Equal(t, "network,token,day,fee,fee_token,gas\n"+
		"one,GLMR,2026-01-31,1500000000000000000,1.500000000000000000,\n"+
		"two,UNIT,2026-01-31,2500000000000,2.500000000000,7\n", write("csv"))
	require.Equal(t, `{"network":"one","token":"GLMR","day":"2026-01-31","fee":"1500000000000000000","gas":null}`+"\n"+
		`{"network":"two","token":"UNIT","day":"2026-01-31","fee":"2500000000000","gas":7}`+"\n", write("jsonl"))
	file := readParquet(t, []byte(write("parquet")))
	require.EqualValues(t, 2, file.NumRows())
	require.Len(t, file.Root().Columns(), 5)
	_, symbol := file.Lookup("symbol")
	require.False(t, symbol, "it is a column")
	require.Regexp(t, `(?m)^total +1\.5$`, string(written(t, "txt", list()[0])))
}

// Columns of one name with values of different kinds are not mixed, and errors are not lost.
func TestSeveralChainsFail(t *testing.T) {
	text := one(table.Text, false, "x")
	for name, write := range forms {
		if name == "csv" || name == "jsonl" || name == "parquet" {
			require.EqualError(t, write(io.Discard, text, one(table.Integer, false, 1)), `sheet "one": column it is of kind integer, and of kind text in another sheet`)
			require.ErrorContains(t, write(io.Discard, text, &table.Sheet{Name: "none"}), "has no columns")
			broken := one(table.Text, false, "x")
			broken.Rows = func(yield func([]any, error) bool) { yield(nil, errBroken) }
			require.ErrorIs(t, write(io.Discard, one(table.Text, false, "x"), broken.WithText(1, "network", "two")), errBroken)
		}
	}
}

var errBroken = errors.New("broken")
