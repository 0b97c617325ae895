package table_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// Exact amounts and token amounts, computed by moving the point.
func TestTokenAmountHasEighteenDecimals(t *testing.T) {
	for amount, want := range map[string]string{
		"0":                    "0.000000000000000000",
		"1":                    "0.000000000000000001",
		"-1":                   "-0.000000000000000001",
		"999999999999999999":   "0.999999999999999999",
		"1000000000000000000":  "1.000000000000000000",
		"-1000000000000000000": "-1.000000000000000000",
		"1000000000000000001":  "1.000000000000000001",
		"340282366920938463463374607431768211455":  "340282366920938463463.374607431768211455",
		"-340282366920938463463374607431768211455": "-340282366920938463463.374607431768211455",
	} {
		got := written(t, "csv", one(table.SignedWei, false, signed(t, amount)))
		require.Equal(t, "it,it_token\n"+amount+","+want+"\n", string(got))
	}
}

func TestIntegersOfEveryType(t *testing.T) {
	var nonce chain.Optional[chain.Nonce]
	s := one(table.Integer, false, 7, int64(-9223372036854775808), uint64(18446744073709551615), chain.NewGas(21000),
		chain.Some(chain.NewRefTime(5)), chain.Some(3), chain.Some(int64(-4)), nonce, chain.Some(chain.NewGas(1)))
	require.Equal(t, `{"it":7}
{"it":-9223372036854775808}
{"it":18446744073709551615}
{"it":21000}
{"it":5}
{"it":3}
{"it":-4}
{"it":null}
{"it":1}
`, string(written(t, "jsonl", s)))
}

func TestValueOfAnotherKindIsAnError(t *testing.T) {
	for _, c := range []struct {
		kind  table.Kind
		value any
		want  string
	}{
		{table.Text, 5, "a value of type int is not of kind text"},
		{table.Integer, "5", "a value of type string is not of kind integer"},
		{table.Integer, 5.0, "a value of type float64 is not of kind integer"},
		{table.Wei, signed(t, "-1"), "a value of type chain.SignedWei is not of kind wei"},
		{table.Wei, uint64(1), "a value of type uint64 is not of kind wei"},
		{table.SignedWei, token(t, "1"), "a value of type chain.TokenAmount is not of kind signed wei"},
		{table.TokenAmount, wei(t, "1"), "a value of type chain.Wei is not of kind token amount"},
		{table.GasPrice, wei(t, "1"), "a value of type chain.Wei is not of kind gas price"},
		{table.Integer, chain.NewGasPrice(1), "a value of type chain.GasPrice is not of kind integer"},
		{table.Time, "2024-01-01", "a value of type string is not of kind time"},
		{table.Date, "2024-02-30", `"2024-02-30" is not a date such as 2024-01-31, from 1970 on`},
		{table.Date, "1969-12-31", `"1969-12-31" is not a date such as 2024-01-31, from 1970 on`},
		{table.Hash, chain.Address{}, "a value of type chain.Address is not of kind hash"},
		{table.Address, chain.Hash{}, "a value of type chain.Hash is not of kind address"},
		{table.Boolean, "true", "a value of type string is not of kind boolean"},
		{table.Integer, true, "a value of type bool is not of kind integer"},
		{table.Text, chain.Time{}, "a value of type chain.Time is not of kind text"},
	} {
		for form, write := range forms {
			err := write(io.Discard, one(c.kind, false, nil, c.value))
			require.EqualError(t, err, `sheet "one", row 2, column it: `+c.want, form)
		}
	}
}

func TestErrorOfTheRowsComesBack(t *testing.T) {
	broken := errors.New("the ledger is gone")
	for form, write := range forms {
		asked := 0
		s := one(table.Text, false)
		s.Rows = func(yield func([]any, error) bool) {
			asked++
			require.True(t, yield([]any{"a"}, nil))
			require.False(t, yield(nil, broken), "%s goes on after an error", form)
		}
		require.ErrorIs(t, write(io.Discard, s), broken, form)
		require.Equal(t, 1, asked, "%s consumes the rows more than once", form)
	}
}

// full accepts some bytes and then fails.
type full struct{ room int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriterThatIsFull(t *testing.T) {
	for form, write := range forms {
		size := len(written(t, form, every(t)))
		for _, room := range []int{0, size / 2, size - 1} {
			require.ErrorIs(t, write(&full{room}, every(t)), errFull, "%s with room for %d of %d bytes", form, room, size)
		}
		require.NoError(t, write(&full{size}, every(t)), form)
	}
}

// A workbook has many parts: a full disk is reported at any of them, even at the header.
func TestWriterThatIsFullAnywhere(t *testing.T) {
	size := len(written(t, "xlsx", every(t)))
	for room := 0; room < size; room += 100 {
		require.ErrorIs(t, table.WriteXLSX(&full{room}, every(t)), errFull, "with room for %d of %d bytes", room, size)
	}
	wide := &table.Sheet{Name: "s", Rows: rows()}
	for i := range 2_000 {
		wide.Columns = append(wide.Columns, table.Column{Name: fmt.Sprint("column_", i), Kind: table.Text})
	}
	require.ErrorIs(t, table.WriteCSV(&full{100}, wide), errFull)
}

// A missing temporary directory is an error.
func TestNoPlaceForTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "not", "there"))
	many := &table.Sheet{Name: "s"} // of 5 MB
	row := make([]any, 100)
	for i := range row {
		many.Columns = append(many.Columns, table.Column{Name: fmt.Sprint("column_", i), Kind: table.Integer})
		row[i] = uint64(math.MaxUint64)
	}
	many.Rows = func(yield func([]any, error) bool) {
		for range 2_500 {
			if !yield(row, nil) {
				return
			}
		}
	}
	for form, write := range map[string]func(io.Writer, *table.Sheet) error{
		"table": func(w io.Writer, s *table.Sheet) error { return table.WriteTable(w, s, 80) },
		"xlsx":  func(w io.Writer, s *table.Sheet) error { return table.WriteXLSX(w, s) },
	} {
		var out bytes.Buffer
		require.ErrorIs(t, write(&out, many), fs.ErrNotExist, form)
		require.Zero(t, out.Len(), form)
	}
}

func TestSheetThatCannotBeWritten(t *testing.T) {
	column := func(name string, kind table.Kind, total bool) []table.Column {
		return []table.Column{{Name: name, Kind: kind, Total: total}}
	}
	for _, c := range []struct {
		columns []table.Column
		want    string
	}{
		{nil, `sheet "s" has no columns`},
		{column("", table.Text, false), `sheet "s": column name "" is not in snake case`},
		{column("=1", table.Text, false), `sheet "s": column name "=1" is not in snake case`},
		{column("a\n", table.Text, false), `sheet "s": column name "a\n" is not in snake case`},
		{column("a", table.Text, true), `sheet "s", column a: a column of kind text has no total`},
		{column("a", table.GasPrice, true), `sheet "s", column a: a column of kind gas price has no total`},
		{column("a", table.TokenAmount, true), `sheet "s", column a: a column of kind token amount has no total`},
		{column("a", -1, false), `sheet "s", column a: unknown kind -1`},
		{column("a", 13, false), `sheet "s", column a: unknown kind 13`},
		{append(column("fee", table.Wei, false), column("fee_token", table.Text, false)...), `sheet "s" has two columns fee_token`},
		{column("a_eur", table.Fiat, false), `sheet "s", column a_eur: a column of kind fiat has the currency ""`},
		{[]table.Column{{Name: "a", Kind: table.Fiat, Currency: "EUR"}}, `sheet "s", column a: the name does not end with the currency EUR`},
		{column("a", table.Percent, true), `sheet "s", column a: a column of kind percent has no total`},
	} {
		for form, write := range forms {
			require.EqualError(t, write(io.Discard, &table.Sheet{Name: "s", Columns: c.columns}), c.want, form)
		}
	}
	short := &table.Sheet{Name: "s", Columns: column("a", table.Text, false), Rows: rows([]any{"x", "y"})}
	require.EqualError(t, table.WriteCSV(io.Discard, short), `sheet "s", row 1: have 2 values, want 1`)
}

func TestSheetWithoutRows(t *testing.T) {
	s := &table.Sheet{Name: "s", Token: console.Token{Symbol: "GLMR"}, Columns: []table.Column{{Name: "fee", Kind: table.Wei, Total: true}}}
	require.Equal(t, "fee,fee_token\n", string(written(t, "csv", s)))
	require.Empty(t, written(t, "jsonl", s))
	require.Equal(t, "fee GLMR\n----------\n       0\n", string(written(t, "txt", s)))
	require.Equal(t, [][]string{{"Fee, GLMR", "Fee, wei, as text"}, {"0.000000000000000000", "0"}}, opened(t, written(t, "xlsx", s)).cells("s"))
	require.Zero(t, readParquet(t, written(t, "parquet", s)).NumRows())
}

func TestOptionalOfEveryType(t *testing.T) {
	for _, c := range []struct {
		kind  table.Kind
		value any
		want  string
	}{
		{table.Text, chain.Some("a"), "a"},
		{table.SignedWei, chain.Some(wei(t, "5")), "5"},
		{table.TokenAmount, chain.Some(token(t, "6")), "6"},
		{table.GasPrice, chain.Some(price(t, "7")), "7"},
		{table.Time, chain.Some(at(t, 1)), "1970-01-01T00:00:00.001Z"},
		{table.Date, chain.Some(at(t, 86_400_000-1)), "1970-01-01"},
		{table.Date, chain.Some("1970-01-02"), "1970-01-02"},
		{table.Hash, chain.Some(chain.Hash{31: 1}), "0x" + strings.Repeat("0", 63) + "1"},
		{table.Integer, chain.Some(uint64(8)), "8"},
		{table.Date, chain.Optional[string]{}, ""},
	} {
		lines, err := csv.NewReader(bytes.NewReader(written(t, "csv", one(c.kind, false, c.value)))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, c.want, lines[1][0])
	}
}
