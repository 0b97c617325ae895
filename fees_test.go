package fees_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees"
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
