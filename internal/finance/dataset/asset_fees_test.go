package dataset_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/dataset"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// Fees that were paid in assets are in the rows of their transactions, and null in all others: the data of AssetTxFeePaid in
// blocks 37 to 39 of the recording, and the deposits to the pot.
func TestFeesPaidInAssets(t *testing.T) {
	book := ledgertest.Hub(t, filepath.Join(t.TempDir(), "fees.db"), "passet-1019002", chain.Heights{First: 34, Last: 39})
	l := &lake{t, t.TempDir(), dataset.Chain{Network: "passet-hub", Program: "the test"}, book}
	l.wrote(dataset.Written, l.january(), false)
	files, err := filepath.Glob(filepath.Join(l.dir, "transactions", "*", "*", "*", "*.parquet"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	f, err := os.Open(files[0])
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	file, err := parquet.OpenFile(f, info.Size())
	require.NoError(t, err)
	column := func(row parquet.Row, name string) string {
		leaf, found := file.Schema().Lookup(name)
		require.True(t, found, name)
		v := row[leaf.ColumnIndex]
		switch {
		case v.IsNull():
			return "null"
		case v.Kind() == parquet.FixedLenByteArray: // a decimal, of which none here is below 0
			return new(big.Int).SetBytes(v.ByteArray()).String()
		}
		return v.String()
	}
	const asset = `{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`
	var have []string
	others := 0
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		all := make([]parquet.Row, group.NumRows())
		n, _ := rows.ReadRows(all)
		require.EqualValues(t, group.NumRows(), n)
		for _, row := range all {
			text := fmt.Sprint(column(row, "height"), " ", column(row, "fee_asset"), " ", column(row, "asset_fee"), " ", column(row, "asset_fee_tip"), " ", column(row, "asset_fee_equivalent"), " ", column(row, "fee"))
			if column(row, "fee_asset") == "null" {
				others++
				require.Regexp(t, ` null null null null [1-9]\d*$`, text)
				continue
			}
			have = append(have, text)
		}
		require.NoError(t, rows.Close())
	}
	require.Equal(t, []string{
		"37 " + asset + " 387766 0 38660075 0", "38 " + asset + " 388776 777 38760435 0", "39 " + asset + " 476690 0 47459241 0",
	}, have)
	require.Positive(t, others)
}
