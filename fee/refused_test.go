package fee_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
)

// A deployment that the runtime refused costs nothing, if its signature names the sender.
func TestRefusedBeforeItRan(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(pairs.Path(t, "vflow-2000"), "gateway", "blocks", "10.json"))
	require.NoError(t, err)
	r, s := `"r":"0xb2cd56c91753f1141edb491eff8ad6a910b77d3d37f443eef512d314679bc121"`, `"r":"0x0000000000000000000000000000000000000000000000000000000000000000"`
	require.Contains(t, string(text), r)
	for name, c := range map[string]struct {
		old, new string
		priced   bool
	}{
		"as recorded": {"", "", true}, "no signer": {r, s, false}, "no signature": {`"r":"0xb2cd`, `"q":"0xb2cd`, false},
	} {
		b, err := sidecar.DecodeBlock(strings.Replace(string(text), c.old, c.new, 1))
		require.NoError(t, err)
		var x fee.Transaction
		for _, one := range fee.Price(b, &network.Rules{}, chain.Optional[chain.StoredMultiplier]{}).Transactions {
			if one.Index == 4 {
				x = one
			}
		}
		require.Equal(t, c.priced, x.Fee.Known(), name)
		if c.priced {
			require.Equal(t, chain.Some(chain.Wei{}), x.Fee)
			require.Equal(t, x.From, x.Payer)
		}
		claimed := fee.Price(b, &network.Rules{AccountMapping: network.ClaimedAccount}, chain.Optional[chain.StoredMultiplier]{})
		for _, one := range claimed.Transactions {
			if one.Index == 4 {
				require.Equal(t, x.Fee, one.Fee, name)
				require.False(t, one.Payer.Known(), "nothing was withdrawn")
			}
		}
	}
}
