package table_test

import (
	"bytes"
	"flag"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// every returns a sheet of all kinds with extremes: 2^63-1, 2^256-1, one wei, a time with milliseconds, text
// that would be a formula, and an empty row.
func every(t testing.TB) *table.Sheet {
	return &table.Sheet{
		Name: "all kinds", Title: "Every kind of value", Token: console.Token{Symbol: "GLMR"},
		Notes: []string{"2 blocks are not covered", "=1+1 is \x1b[31mno formula"},
		Columns: []table.Column{
			{Name: "call", Kind: table.Text},
			{Name: "gas", Kind: table.Integer, Total: true},
			{Name: "fee", Kind: table.Wei, Total: true},
			{Name: "drift", Kind: table.SignedWei, Total: true},
			{Name: "transferred", Kind: table.TokenAmount},
			{Name: "gas_price", Kind: table.GasPrice},
			{Name: "time", Kind: table.Time},
			{Name: "day", Kind: table.Date},
			{Name: "hash", Kind: table.Hash},
			{Name: "payer", Kind: table.Address},
			{Name: "success", Kind: table.Boolean},
		},
		Rows: rows(
			[]any{
				"balances.transfer", uint64(21000), wei(t, "2625000000000000"), signed(t, "-1"), token(t, "1"),
				chain.NewGasPrice(125_000_000_000), at(t, 1_704_067_200_000), "2024-01-01",
				hash(t, "0x00000000000000000000000000000000000000000000000000000000000000Ab"),
				address(t, "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"), true,
			},
			[]any{
				`=HYPERLINK("http://evil";"a,b")`, int64(-5), chain.Some(wei(t, "12345678901234567890123")), chain.Some(signed(t, "1500000000000000000")),
				token(t, "115792089237316195423570985008687907853269984665640564039457584007913129639935"),
				chain.NewGasPrice(31_250_000_001), at(t, 1_706_703_999_006), at(t, 1_706_703_999_006),
				hash(t, "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
				chain.Some(address(t, "0x0000000000000000000000000000000000000001")), chain.Some(false),
			},
			[]any{
				nil, chain.Optional[uint64]{}, chain.Optional[chain.Wei]{}, nil, chain.Optional[chain.TokenAmount]{},
				chain.Optional[chain.GasPrice]{}, chain.Optional[chain.Time]{}, nil,
				chain.Optional[chain.Hash]{}, chain.Optional[chain.Address]{}, chain.Optional[bool]{},
			},
		),
	}
}

func rows(list ...[]any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for _, row := range list {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// one returns a sheet with one column.
func one(kind table.Kind, total bool, values ...any) *table.Sheet {
	list := make([][]any, len(values))
	for i, v := range values {
		list[i] = []any{v}
	}
	return &table.Sheet{Name: "one", Token: console.Token{Symbol: "GLMR"}, Columns: []table.Column{{Name: "it", Kind: kind, Total: total}}, Rows: rows(list...)}
}

// forms are the writers, by the extension of their golden files.
var forms = map[string]func(io.Writer, ...*table.Sheet) error{
	"csv":     table.WriteCSV,
	"jsonl":   table.WriteJSONLines,
	"xlsx":    table.WriteXLSX,
	"parquet": table.WriteParquet,
	"txt":     func(w io.Writer, s ...*table.Sheet) error { return table.WriteTables(w, math.MaxInt, s...) },
}

func written(t testing.TB, form string, s *table.Sheet) []byte {
	var out bytes.Buffer
	require.NoError(t, forms[form](&out, s))
	return out.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, got, 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if utf8.Valid(want) {
		require.Equal(t, string(want), string(got))
	}
	require.True(t, bytes.Equal(want, got), "%s is not what was written", name)
}

func wei(t testing.TB, text string) chain.Wei           { return must(chain.ParseWei(text))(t) }
func signed(t testing.TB, text string) chain.SignedWei  { return must(chain.ParseSignedWei(text))(t) }
func token(t testing.TB, text string) chain.TokenAmount { return must(chain.ParseTokenAmount(text))(t) }
func price(t testing.TB, text string) chain.GasPrice    { return must(chain.ParseGasPrice(text))(t) }
func hash(t testing.TB, text string) chain.Hash         { return must(chain.ParseHash(text))(t) }
func address(t testing.TB, text string) chain.Address   { return must(chain.ParseAddress(text))(t) }
func at(t testing.TB, ms uint64) chain.Time             { return must(chain.TimeAt(ms))(t) }

func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		require.NoError(t, err)
		return value
	}
}
