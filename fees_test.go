package fees_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// A report that is written as JSON and read back is the same report.
func TestReportsAreReadBack(t *testing.T) {
	for place, last := range map[string]uint64{"demo": 27, "testdata/recordings/moonbeam-1701": 17} {
		src, err := fees.OpenWith(place, fees.Options{Unfinalized: true})
		require.NoError(t, err)
		for report, err := range src.Blocks(t.Context(), 3, last) {
			require.NoError(t, err)
			text, err := json.Marshal(report)
			require.NoError(t, err)
			var back fees.Report
			require.NoError(t, json.Unmarshal(text, &back), report.Number)
			again, err := json.Marshal(&back)
			require.NoError(t, err)
			require.JSONEq(t, string(text), string(again))
			require.Equal(t, report.Transactions, back.Transactions)
		}
	}
}

// The values of a report are read back, and print as people write them.
func TestValuesAreReadBack(t *testing.T) {
	amount, err := chain.ParseSignedWei("-5")
	require.NoError(t, err)
	at, err := chain.TimeAt(1_767_225_888_001)
	require.NoError(t, err)
	type values struct {
		Amount  chain.Optional[chain.SignedWei]
		Unknown chain.Optional[chain.Wei]
		At      chain.Time
		Gas     chain.Gas
		Token   chain.TokenAmount
		Error   *fee.Error
	}
	v := values{chain.Some(amount), chain.Optional[chain.Wei]{}, at, chain.NewGas(21_000), chain.TokenAmountOf([32]byte{31: 7}), &fee.Error{Block: 25, Extrinsic: 4, Err: errors.New("weight: missing")}}
	text, err := json.Marshal(v)
	require.NoError(t, err)
	require.Equal(t, `{"Amount":"-5","Unknown":null,"At":"2026-01-01T00:04:48.001Z","Gas":"21000","Token":"7","Error":"block 25, extrinsic 4: weight: missing"}`, string(text))
	var back values
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, v, back)
	require.Equal(t, "-5 unknown 2026-01-01T00:04:48.001Z 21000 7 block 25, extrinsic 4: weight: missing", fmt.Sprintf("%v %v %v %v %v %v", v.Amount, v.Unknown, v.At, v.Gas, v.Token, v.Error))
	for _, wrong := range []string{`{"At":"2026-01-01T00:04:48.0001Z"}`, `{"At":"1969-12-31T00:00:00Z"}`, `{"At":"today"}`, `{"Gas":"-1"}`, `{"Amount":"--5"}`, `{"Token":"1.5"}`, `{"Error":"weight: missing"}`} {
		require.Error(t, json.Unmarshal([]byte(wrong), &back), wrong)
	}
}
