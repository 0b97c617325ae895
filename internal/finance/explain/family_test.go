package explain_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Fees by a stored base fee, by the gas limit and in units of 10^9 wei follow from their steps, and equal what the
// recorded chains charged.
func TestFormulasOfTheFamily(t *testing.T) {
	for name, table := range map[string]string{"creditcoin3-87": "creditcoin.json", "bittensor-218": "bittensor.json"} {
		t.Run(name, func(t *testing.T) {
			directory := pairs.Path(t, name, "gateway")
			src, err := answers.OpenDirectory(directory)
			require.NoError(t, err)
			text, err := os.ReadFile(repository.Path("network", "tables", table))
			require.NoError(t, err)
			tables, err := network.BuiltIn().With(table, text)
			require.NoError(t, err)
			r := &source.Reader{Source: src, Tables: tables}
			text, err = os.ReadFile(filepath.Join(directory, "sent.json"))
			require.NoError(t, err)
			var file struct{ Sent []sent }
			require.NoError(t, json.Unmarshal(text, &file))
			compared, byEvent := 0, 0
			for _, s := range file.Sent {
				if s.Family != "evm" || s.Height == 0 || s.Index < 0 {
					continue
				}
				v := explained(t, r, s.Height, s.Index, nil)
				what := fmt.Sprintf("%d-%d", s.Height, s.Index)
				results := map[string]string{}
				follow(t, what, results, v.Inputs, v.Steps)
				require.Equal(t, s.Charged, results["fee"], what)
				require.NotNil(t, v.Cash, what)
				follow(t, what, results, v.Cash.Inputs, v.Cash.Steps)
				require.Equal(t, s.Charged, results["charged"], what)
				for _, in := range v.Inputs {
					if in.From == "event baseFee.NewBaseFeePerGas earlier in the block" {
						byEvent++
					}
				}
				compared++
			}
			require.GreaterOrEqual(t, compared, 90)
			require.Positive(t, byEvent, "root set the base fee in one block")
		})
	}
}
