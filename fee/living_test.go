package fee_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// Every EVM fee of two real runtimes with a stored base fee equals what was charged: by the gas used on one, by the gas
// limit and in units of 10^9 wei on the other. Both have a block in which root set the base fee.
func TestFeesOfLivingChains(t *testing.T) {
	for name, c := range map[string]struct {
		table   string
		runtime uint32
		last    uint64
		fees    int
	}{
		"creditcoin3-87": {"creditcoin", 87, 27, 90},
		"bittensor-218":  {"bittensor", 218, 26, 91},
	} {
		t.Run(name, func(t *testing.T) {
			directory := repository.Shared(t, "pairs", name, "gateway")
			read := func(path ...string) string {
				text, err := os.ReadFile(filepath.Join(append([]string{directory}, path...)...))
				require.NoError(t, err)
				return string(text)
			}
			n, _ := network.BuiltIn().Named(c.table)
			rules, err := n.Rules(c.runtime)
			require.NoError(t, err)
			require.True(t, rules.Certain)

			var file struct {
				Sent []struct {
					Family, Kind string
					Height       uint64
					Index        int
					Charged      string `json:"charged_wei"`
				}
			}
			require.NoError(t, json.Unmarshal([]byte(read("sent.json")), &file))
			charged := map[[2]uint64]string{}
			for _, s := range file.Sent {
				if s.Family == "evm" && s.Height > 0 {
					charged[[2]uint64{s.Height, uint64(s.Index)}] = s.Charged
				}
			}
			equal, moved := 0, 0
			for height := uint64(1); height <= c.last; height++ {
				b, err := sidecar.DecodeBlock(read("blocks", fmt.Sprintf("%d.json", height)))
				require.NoError(t, err)
				m, err := sidecar.DecodeMultiplier(read("multiplier", fmt.Sprintf("%d.json", height-1)))
				require.NoError(t, err)
				base, err := sidecar.DecodeBaseFee(read("base-fee", fmt.Sprintf("%d.json", height-1)), "BaseFee.BaseFeePerGas")
				require.NoError(t, err)
				before := chain.StoredMultiplierOf(m)
				before.BaseFee = chain.Some(base.Value)
				r := fee.Price(b, &rules, chain.Some(before))
				for i := range r.Transactions {
					x := &r.Transactions[i]
					if x.Layer != fee.EVM {
						continue
					}
					require.Nil(t, x.Error, "%d-%d", height, x.Index)
					paid, _ := x.Fee.Get()
					require.Equal(t, charged[[2]uint64{height, uint64(x.Index)}], paid.String(), "%d-%d", height, x.Index)
					delete(charged, [2]uint64{height, uint64(x.Index)})
					equal++
					if x.BaseFeePerGas != nil {
						moved++
					}
				}
			}
			t.Logf("%d EVM fees equal what was charged, %d after root set the base fee", equal, moved)
			require.Equal(t, c.fees, equal)
			require.Positive(t, moved)
			require.Empty(t, charged)
		})
	}
}
