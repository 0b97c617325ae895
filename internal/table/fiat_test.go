package table_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// worth values amounts of the token at a price of 1, in milli-tokens.
func worth(t testing.TB, currency, amount string) money.Amount {
	list, err := money.Read([]byte("# source: X\n2026-01-01,1\n"), currency)
	require.NoError(t, err)
	value, known := money.Value(list.Valuer(), signed(t, amount+"000000000000000"), chain.Some(at(t, 1_767_225_600_000))).Get()
	require.True(t, known)
	return value
}

// inFiat returns a sheet of currency amounts, each with half a cent.
func inFiat(t testing.TB, last any) *table.Sheet {
	return &table.Sheet{
		Name: "fiat", Token: console.Token{Symbol: "GLMR"}, Columns: []table.Column{
			{Name: "call", Kind: table.Text}, {Name: "fee_eur", Kind: table.Fiat, Total: true, Currency: "EUR"}, {Name: "fee_percent", Kind: table.Percent},
		},
		Rows: rows([]any{"a", worth(t, "EUR", "1005"), "12.30"}, []any{"b", chain.Some(worth(t, "EUR", "1005")), chain.Some("-0.05")}, []any{"c", last, nil}),
	}
}

// The total is the sum of unrounded values, in every format.
func TestFiat(t *testing.T) {
	require.Equal(t, "call,fee_eur,fee_percent\na,1.01,12.30\nb,1.01,-0.05\nc,,\n", string(written(t, "csv", inFiat(t, nil))))
	require.Equal(t, `{"call":"a","fee_eur":"1.01","fee_percent":"12.30"}`, strings.Split(string(written(t, "jsonl", inFiat(t, nil))), "\n")[0])
	require.Equal(t, "call   fee EUR  fee %\n-----------------------\na         1.01  12.30\nb         1.01  -0.05\nc\n-----------------------\ntotal     2.01\n", string(written(t, "txt", inFiat(t, nil))))
	book := written(t, "xlsx", inFiat(t, nil))
	require.Equal(t, [][]string{{"Call", "Fee, EUR", "Fee, %"}, {"a", "1.01", "12.30"}, {"b", "1.01", "-0.05"}, {"c"}, {"total", "2.01"}}, opened(t, book).cells("fiat"))
	require.NotContains(t, part(t, book, "xl/worksheets/sheet1.xml"), "<f>", "the sum of rounded values would differ")
	all, _ := values(t, readParquet(t, written(t, "parquet", inFiat(t, nil))))
	require.Equal(t, "101", twosComplement(all[0][1].ByteArray()).String())
	require.Equal(t, "-5", twosComplement(all[1][2].ByteArray()).String())
	require.True(t, all[2][1].IsNull())
}

// A total with an unknown amount is unknown.
func TestFiatNotKnown(t *testing.T) {
	s := func() *table.Sheet { return inFiat(t, chain.Optional[money.Amount]{}) }
	require.True(t, strings.HasSuffix(string(written(t, "csv", s())), "\nc,,\n"))
	require.True(t, strings.HasSuffix(string(written(t, "jsonl", s())), `{"call":"c","fee_eur":null,"fee_percent":null}`+"\n"))
	require.Contains(t, string(written(t, "txt", s())), "\ntotal  not known\n")
	require.Equal(t, []string{"total", "not known"}, opened(t, written(t, "xlsx", s())).cells("fiat")[4])
	all, _ := values(t, readParquet(t, written(t, "parquet", s())))
	require.True(t, all[2][1].IsNull())
}

// Numbers of more than 15 digits are text.
func TestFiatOfManyDigits(t *testing.T) {
	big := worth(t, "EUR", "10000000000000000") // 10^13
	s := &table.Sheet{Name: "fiat", Columns: []table.Column{{Name: "fee_eur", Kind: table.Fiat, Total: true, Currency: "EUR"}}, Rows: rows([]any{worth(t, "EUR", "9999999999999000")}, []any{big})}
	cells := cellsOf(part(t, written(t, "xlsx", s), "xl/worksheets/sheet1.xml"))
	require.Equal(t, cell{"", "<v>9999999999999</v>"}, cells["A2"])
	require.Equal(t, inline("10000000000000.00"), cells["A3"])
	require.Equal(t, inline("19999999999999.00"), cells["A4"])
}

func TestFiatRefused(t *testing.T) {
	s := inFiat(t, worth(t, "USD", "1"))
	require.EqualError(t, table.WriteCSV(io.Discard, s), `sheet "fiat", row 3, column fee_eur: an amount in USD, and the column is in EUR`)
	require.ErrorContains(t, table.WriteCSV(io.Discard, one(table.Percent, false, "1")), "is not of kind percent")
	require.ErrorContains(t, table.WriteCSV(io.Discard, one(table.Percent, false, worth(t, "EUR", "1"))), "is not of kind percent")
	huge := &table.Sheet{Name: "s", Columns: []table.Column{{Name: "p", Kind: table.Percent}}, Rows: rows([]any{strings.Repeat("9", 60) + ".00"})}
	require.ErrorContains(t, table.WriteParquet(io.Discard, huge), "38 digits")
	none := &table.Sheet{Name: "s", Columns: []table.Column{{Name: "fee_jpy", Kind: table.Fiat, Total: true, Currency: "JPY"}}}
	require.Contains(t, string(written(t, "txt", none)), "0\n")
}

// An amount whose currency another column names is text for programs, and a number with its decimals in a workbook.
func TestAmountsOfSeveralCurrencies(t *testing.T) {
	s := func() *table.Sheet {
		return &table.Sheet{Name: "values", Columns: []table.Column{{Name: "value", Kind: table.Text}, {Name: "currency", Kind: table.Text}}, Rows: rows(
			[]any{worth(t, "EUR", "-1005"), "EUR"}, []any{chain.Some(worth(t, "JPY", "2000")), "JPY"}, []any{nil, nil},
			[]any{worth(t, "EUR", "12345678901234567890"), "EUR"},
		)}
	}
	require.Equal(t, "value,currency\n-1.01,EUR\n2,JPY\n,\n12345678901234567.89,EUR\n", string(written(t, "csv", s())))
	require.Equal(t, `{"value":"-1.01","currency":"EUR"}`, strings.Split(string(written(t, "jsonl", s())), "\n")[0])
	all, _ := values(t, readParquet(t, written(t, "parquet", s())))
	require.Equal(t, "-1.01", all[0][0].String())
	book := written(t, "xlsx", s())
	cells := cellsOf(part(t, book, "xl/worksheets/sheet1.xml"))
	require.Equal(t, []cell{{"", "<v>-1.01</v>"}, {"", "<v>2</v>"}, {}, inline("12345678901234567.89")}, []cell{cells["A2"], cells["A3"], cells["A4"], cells["A5"]})
	require.Equal(t, []string{"-1.01", "2"}, []string{opened(t, book).cells("values")[1][0], opened(t, book).cells("values")[2][0]})
}
