package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// The sums in each format equal those of math/big.
func TestTotalsAreThoseOfBigIntegers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		fee, drift, gas := new(big.Int), new(big.Int), new(big.Int)
		var list [][]any
		for range random.IntN(40) {
			f, d, g := amount(random), amount(random), random.Uint64()>>1
			if random.IntN(2) == 0 {
				d.Neg(d)
			}
			if random.IntN(5) == 0 {
				list = append(list, []any{nil, nil, nil, nil})
			}
			fee.Add(fee, f)
			drift.Add(drift, d)
			gas.Add(gas, new(big.Int).SetUint64(g))
			list = append(list, []any{"a", wei(t, f.String()), signed(t, d.String()), g})
		}
		s := &table.Sheet{Name: "sums", Token: console.Token{Symbol: "GLMR"}, Columns: []table.Column{
			{Name: "call", Kind: table.Text}, {Name: "fee", Kind: table.Wei, Total: true},
			{Name: "drift", Kind: table.SignedWei, Total: true}, {Name: "gas", Kind: table.Integer, Total: true},
		}, Rows: rows(list...)}

		lines, err := csv.NewReader(bytes.NewReader(written(t, "csv", s))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{fee.String(), drift.String(), gas.String()}, sums(lines[1:], 1, 3, 5))

		objects := [][]string{}
		for line := range strings.Lines(string(written(t, "jsonl", s))) {
			var row struct {
				Fee, Drift *string
				Gas        json.Number
			}
			require.NoError(t, json.Unmarshal([]byte(line), &row))
			if row.Fee != nil {
				objects = append(objects, []string{*row.Fee, *row.Drift, row.Gas.String()})
			}
		}
		require.Equal(t, []string{fee.String(), drift.String(), gas.String()}, sums(objects, 0, 1, 2))

		cells := opened(t, written(t, "xlsx", s)).cells("sums")
		last := cells[len(cells)-1]
		require.Equal(t, []string{"total", fee.String(), drift.String()}, []string{last[0], last[4], last[5]})
		require.Equal(t, gas.String(), last[3])

		all, _ := values(t, readParquet(t, written(t, "parquet", s)))
		columns := [3]*big.Int{new(big.Int), new(big.Int), new(big.Int)}
		for _, row := range all {
			if !row[1].IsNull() {
				columns[0].Add(columns[0], twosComplement(row[1].ByteArray()))
				columns[1].Add(columns[1], twosComplement(row[2].ByteArray()))
				columns[2].Add(columns[2], big.NewInt(row[3].Int64()))
			}
		}
		require.Equal(t, fmt.Sprint(fee, drift, gas), fmt.Sprint(columns[0], columns[1], columns[2]))

		text := strings.Split(string(written(t, "txt", s)), "\n")
		figures := strings.Fields(text[len(text)-2])
		require.Equal(t, "total", figures[0])
		require.Zero(t, rational(t, figures[1]).Cmp(tokensOf(fee)))
		require.Zero(t, rational(t, figures[2]).Cmp(tokensOf(drift)))
		require.Equal(t, gas.String(), figures[3])
	}
}

// amount has up to 120 bits: small ones and large ones.
func amount(random *rand.Rand) *big.Int {
	n := new(big.Int).Lsh(new(big.Int).SetUint64(random.Uint64()), 56)
	return n.Rsh(n, uint(random.IntN(120)))
}

func sums(lines [][]string, columns ...int) (totals []string) {
	for _, column := range columns {
		sum := new(big.Int)
		for _, line := range lines {
			n, _ := new(big.Int).SetString(line[column], 10)
			if n != nil {
				sum.Add(sum, n)
			}
		}
		totals = append(totals, sum.String())
	}
	return totals
}

func tokensOf(wei *big.Int) *big.Rat {
	return new(big.Rat).SetFrac(wei, new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
}

func rational(t *testing.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}
