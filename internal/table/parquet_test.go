package table_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/table"
)

func readParquet(t *testing.T, text []byte) *parquet.File {
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	return file
}

// values returns all values of a file by row, and the number of rows in each group.
func values(t *testing.T, file *parquet.File) (all [][]parquet.Value, groups []int64) {
	for _, group := range file.RowGroups() {
		groups = append(groups, group.NumRows())
		reader := group.Rows()
		buffer := make([]parquet.Row, 1)
		for {
			n, err := reader.ReadRows(buffer)
			if n == 1 {
				all = append(all, buffer[0].Clone())
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, reader.Close())
	}
	return all, groups
}

// twosComplement decodes an integer.
func twosComplement(bytes []byte) *big.Int {
	n := new(big.Int).SetBytes(bytes)
	if bytes[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return n
}

func TestParquetReadBack(t *testing.T) {
	file := readParquet(t, written(t, "parquet", every(t)))
	require.Equal(t, `message all kinds {
	optional binary call (STRING);
	optional int64 gas (INT(64,true));
	optional fixed_len_byte_array(16) fee (DECIMAL(38,0));
	optional fixed_len_byte_array(16) drift (DECIMAL(38,0));
	optional binary transferred (STRING);
	optional fixed_len_byte_array(16) gas_price (DECIMAL(38,0));
	optional int64 time (TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS));
	optional int32 day (DATE);
	optional binary hash (STRING);
	optional binary payer (STRING);
	optional boolean success;
}`, file.Schema().String())
	all, _ := values(t, file)
	require.Len(t, all, 3)

	first := all[0]
	require.Equal(t, "balances.transfer", first[0].String())
	require.EqualValues(t, 21000, first[1].Int64())
	require.Equal(t, "2625000000000000", twosComplement(first[2].ByteArray()).String())
	require.Equal(t, bytes.Repeat([]byte{0xff}, 16), first[3].ByteArray()) // -1
	require.Equal(t, "1", first[4].String())
	require.Equal(t, "125000000000", twosComplement(first[5].ByteArray()).String())
	require.Equal(t, int64(1_704_067_200_000), first[6].Int64())
	require.EqualValues(t, 19723, first[7].Int32()) // 54 years of 365 days, and 13 leap days
	require.Equal(t, "0x00000000000000000000000000000000000000000000000000000000000000ab", first[8].String())
	require.Equal(t, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", first[9].String())
	require.True(t, first[10].Boolean())

	second := all[1]
	require.Equal(t, `=HYPERLINK("http://evil";"a,b")`, second[0].String())
	require.EqualValues(t, -5, second[1].Int64())
	require.Equal(t, "12345678901234567890123", twosComplement(second[2].ByteArray()).String())
	require.Equal(t, "115792089237316195423570985008687907853269984665640564039457584007913129639935", second[4].String())
	require.Equal(t, int64(1_706_703_999_006), second[6].Int64())
	require.EqualValues(t, 19753, second[7].Int32())
	require.False(t, second[10].Boolean())

	for i, value := range all[2] {
		require.True(t, value.IsNull(), i)
	}
	for key, want := range map[string]string{"title": "Every kind of value", "symbol": "GLMR", "note_1": "2 blocks are not covered"} {
		got, ok := file.Lookup(key)
		require.True(t, ok, key)
		require.Equal(t, want, got)
	}
}

func TestParquetDecimals(t *testing.T) {
	amounts := []string{
		"0", "1", "-1", "255", "256", "-255", "-256", "-257", "65536", "-65536", "18446744073709551616", "-18446744073709551616",
		"99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
	}
	var list []any
	for _, amount := range amounts {
		list = append(list, signed(t, amount))
	}
	all, _ := values(t, readParquet(t, written(t, "parquet", one(table.SignedWei, false, list...))))
	for i, amount := range amounts {
		require.Equal(t, amount, twosComplement(all[i][0].ByteArray()).String())
	}
}

// Currency amounts and percentages are their digits without the point: 0.05 is 5, and zero is 0 rather than nothing.
func TestParquetFixedDecimals(t *testing.T) {
	var list []any
	want := map[string]string{"0.00": "0", "-0.00": "0", "0.05": "5", "-0.05": "-5", "12.30": "1230", "-100.00": "-10000"}
	texts := slices.Sorted(maps.Keys(want))
	for _, text := range texts {
		list = append(list, text)
	}
	all, _ := values(t, readParquet(t, written(t, "parquet", one(table.Percent, false, list...))))
	for i, text := range texts {
		require.Equal(t, want[text], twosComplement(all[i][0].ByteArray()).String(), text)
	}
}

func TestParquetFigureThatDoesNotFit(t *testing.T) {
	const digits39 = "100000000000000000000000000000000000000"
	for _, c := range []struct {
		kind  table.Kind
		value any
		want  string
	}{
		{table.Wei, wei(t, digits39), digits39 + " wei: more than the 38 digits of a Parquet decimal"},
		{table.SignedWei, signed(t, "-"+digits39), "-" + digits39 + " wei: more than the 38 digits of a Parquet decimal"},
		{table.GasPrice, price(t, digits39), digits39 + " wei: more than the 38 digits of a Parquet decimal"},
		{table.GasPrice, price(t, digits39+"0"), digits39 + "0 wei per gas: more than the 38 digits of a Parquet decimal"},
		{table.Integer, uint64(1 << 63), "9223372036854775808 does not fit in a signed 64-bit integer"},
	} {
		require.EqualError(t, table.WriteParquet(io.Discard, one(c.kind, false, c.value)), `sheet "one", column it: `+c.want)
	}
}

// Rows are written in several groups, in order.
func TestParquetRowGroups(t *testing.T) {
	const n = 50_000
	s := one(table.Text, false)
	s.Rows = func(yield func([]any, error) bool) {
		row := make([]any, 1) // one for all rows: who keeps it is wrong
		for i := range n {
			row[0] = fmt.Sprint(i)
			if !yield(row, nil) {
				return
			}
		}
	}
	all, groups := values(t, readParquet(t, written(t, "parquet", s)))
	require.Equal(t, []int64{20_000, 20_000, 10_000}, groups)
	for i, row := range all {
		require.Equal(t, fmt.Sprint(i), row[0].String())
	}
}

func TestParquetTextIsUTF8(t *testing.T) {
	s := one(table.Text, false, "a\xffb")
	s.Name, s.Title = "\xff", "\xff"
	all, _ := values(t, readParquet(t, written(t, "parquet", s)))
	require.Equal(t, "a\ufffdb", all[0][0].String())
}

// Readers skip pages and groups by their bounds: a negative amount is the minimum, and a page of nulls has
// no bounds.
func TestParquetBoundsOfAmounts(t *testing.T) {
	const page = 20_000 // rows, more than a page of amounts has
	s := one(table.SignedWei, false)
	s.Rows = func(yield func([]any, error) bool) {
		for i := range 2*page + 4 {
			var value any
			switch i {
			case 2 * page:
				value = signed(t, "5")
			case 2*page + 1:
				value = signed(t, "-12345678901234567890123")
			case 2*page + 2:
				value = signed(t, "-1")
			}
			if !yield([]any{value}, nil) {
				return
			}
		}
	}
	file := readParquet(t, written(t, "parquet", s))
	least, greatest := "-12345678901234567890123", "5"
	groups := file.RowGroups()
	chunk := file.Metadata().RowGroups[len(groups)-1].Columns[0].MetaData.Statistics
	require.Equal(t, least, twosComplement(chunk.MinValue).String())
	require.Equal(t, greatest, twosComplement(chunk.MaxValue).String())
	for i, index := range file.ColumnIndexes() {
		require.Len(t, index.MinValues, len(index.NullPages))
		require.Len(t, index.MaxValues, len(index.NullPages))
		for n, isNull := range index.NullPages {
			if isNull {
				require.Empty(t, index.MinValues[n])
				continue
			}
			require.Equal(t, len(groups)-1, i)
			require.Equal(t, least, twosComplement(index.MinValues[n]).String())
			require.Equal(t, greatest, twosComplement(index.MaxValues[n]).String())
		}
	}
}

// A file records its sort order and metadata, and is the same bytes each time.
func TestParquetOptions(t *testing.T) {
	s := every(t)
	o := table.ParquetOptions{Sorted: []string{"gas", "call"}, Metadata: map[string]string{"seal": "ab", "month": "2026-01", "network": "moonbeam", "whole": "true"}, RowsInGroup: 2, Zstd: true}
	encode := func() []byte {
		var out bytes.Buffer
		w, err := table.NewParquetWriter(&out, s, o)
		require.NoError(t, err)
		for values, err := range s.Rows {
			require.NoError(t, err)
			require.NoError(t, w.Write(values))
		}
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	text := encode()
	for range 20 {
		require.Equal(t, text, encode())
	}
	file := readParquet(t, text)
	groups := file.Metadata().RowGroups
	require.Len(t, groups, 2)
	for _, group := range groups {
		require.Len(t, group.SortingColumns, 2)
		require.EqualValues(t, 1, group.SortingColumns[0].ColumnIdx)
		require.EqualValues(t, 0, group.SortingColumns[1].ColumnIdx)
		require.False(t, group.SortingColumns[0].Descending)
		for _, column := range group.Columns {
			require.Equal(t, "ZSTD", column.MetaData.Codec.String())
			require.NotZero(t, column.ColumnIndexOffset)
			require.NotZero(t, column.OffsetIndexOffset)
		}
	}
	for key, want := range o.Metadata {
		got, ok := file.Lookup(key)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	all, _ := values(t, file)
	before, _ := values(t, readParquet(t, written(t, "parquet", every(t))))
	require.Equal(t, fmt.Sprint(before), fmt.Sprint(all))
}

// A row that does not match the sheet is an error, and so are columns that cannot be written.
func TestParquetRowThatDoesNotFit(t *testing.T) {
	w, err := table.NewParquetWriter(io.Discard, one(table.Integer, false), table.ParquetOptions{})
	require.NoError(t, err)
	require.NoError(t, w.Write([]any{1}))
	require.EqualError(t, w.Write([]any{1, 2}), `sheet "one", row 2: have 2 values, want 1`)
	require.ErrorContains(t, w.Write([]any{"x"}), `sheet "one", row 3, column it: `)
	_, err = table.NewParquetWriter(io.Discard, &table.Sheet{Name: "none"}, table.ParquetOptions{})
	require.EqualError(t, err, `sheet "none" has no columns`)
}

// Rows with long texts end a group early.
func TestParquetGroupsOfLongTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about size")
	}
	long := strings.Repeat("x", 1<<20)
	s := one(table.Text, false)
	s.Rows = func(yield func([]any, error) bool) {
		for i := range 130 {
			if !yield([]any{fmt.Sprint(i, long)}, nil) {
				return
			}
		}
	}
	_, groups := values(t, readParquet(t, written(t, "parquet", s)))
	require.Equal(t, []int64{64, 64, 2}, groups)

	s.Rows = func(yield func([]any, error) bool) { // what an ended group held is not counted again
		for i := range 70_000 {
			if !yield([]any{fmt.Sprint(i, long[:1<<10])}, nil) {
				return
			}
		}
	}
	_, groups = values(t, readParquet(t, written(t, "parquet", s)))
	require.Equal(t, []int64{20_000, 20_000, 20_000, 10_000}, groups)
}
