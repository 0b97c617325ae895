package gateway_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// served is a gateway before a node that was recorded, over HTTP or a WebSocket.
func served(t testing.TB, name, scheme string) (*gateway.Gateway, *nodetest.Node) {
	t.Helper()
	node := nodetest.OpenPair(t, name)
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	client, err := rpc.New(strings.Replace(server.URL, "http", scheme, 1), httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return gateway.New(client), node
}

// TestAnswersOfPairs wants every answer that Sidecar was recorded to have given to come from
// its node, to the byte.
func TestAnswersOfPairs(t *testing.T) {
	for _, name := range tier.Some(3, pairs.RealRuntimes) {
		t.Run(name, func(t *testing.T) {
			for _, scheme := range []string{"http", "ws"} {
				g, node := served(t, name, scheme)
				counts := map[string]int{}
				dir := pairs.Path(t, name, "gateway")
				for kind, question := range map[string]string{
					"blocks": "/blocks/%s", "headers": "/blocks/%s/header", "runtime-spec": "/runtime/spec?at=%s",
					"multiplier":   "/pallets/transaction-payment/storage/nextFeeMultiplier?at=%s",
					"block-weight": "/pallets/system/storage/blockWeight?at=%s",
					"parameters":   "/pallets/parameters/storage/parameters?keys%%5B%%5D=0x0004&at=%s",
				} {
					files, err := filepath.Glob(filepath.Join(dir, kind, "*.json"))
					require.NoError(t, err)
					for _, file := range files {
						height := strings.TrimSuffix(filepath.Base(file), ".json")
						same(t, g, fmt.Sprintf(question, height), file)
						if kind == "blocks" {
							sameBlock(t, g, "/blocks/"+height, file)
						}
						counts[kind]++
					}
				}
				same(t, g, "/node/version", filepath.Join(dir, "node-version.json"))
				same(t, g, "/runtime/metadata", filepath.Join(dir, "runtime-metadata.json"))
				same(t, g, "/runtime/metadata?at=12", filepath.Join(dir, "runtime-metadata.json"))
				balances, err := filepath.Glob(filepath.Join(dir, "balance-info", "*", "*.json"))
				require.NoError(t, err)
				for _, file := range balances {
					height := strings.TrimSuffix(filepath.Base(file), ".json")
					same(t, g, fmt.Sprintf("/accounts/%s/balance-info?at=%s", filepath.Base(filepath.Dir(file)), height), file)
					counts["balances"]++
				}
				t.Log(scheme, counts, node.Asked())
			}
		})
	}
}

// A node that refuses an account's locks still has its balance: that of the recorded gateway. The recordings of the hubs lack
// locks.
func TestBalancesWithoutLocks(t *testing.T) {
	for name, last := range map[string]int{"passet-1019002": 31, "stack-template-3": 37} {
		g, _ := served(t, name, "ws")
		files, err := filepath.Glob(pairs.Path(t, name, "gateway", "balance-info", "*", "*.json"))
		require.NoError(t, err)
		compared := 0
		for _, file := range files {
			height, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(file), ".json"))
			require.NoError(t, err)
			if height > last { // recorded without a node
				continue
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			want, err := sidecar.DecodeBalance(string(text))
			require.NoError(t, err)
			answer, err := g.Get(t.Context(), fmt.Sprintf("/accounts/%s/balance-info?at=%d", filepath.Base(filepath.Dir(file)), height))
			require.NoError(t, err, file)
			have, err := sidecar.DecodeBalance(answer)
			require.NoError(t, err)
			require.Equal(t, want, have, file)
			require.NotContains(t, answer, `"locks"`, "unknown, not none")
			compared++
		}
		require.Greater(t, compared, 10*last)
	}
	g, _ := served(t, "passet-1019002", "http")
	_, err := g.Get(t.Context(), "/accounts/5Cq1onJs8s8arASiDZTWU7C3cCEdvsq5QcR1Pp4E3A5DsD7n/balance-info?at=3")
	require.ErrorContains(t, err, "not recorded", "neither the account nor its locks")
}

func same(t *testing.T, g *gateway.Gateway, question, file string) {
	t.Helper()
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	have, err := g.Get(t.Context(), question)
	require.NoError(t, err, question)
	if string(want) != string(have) {
		at := 0
		for at < len(want) && at < len(have) && want[at] == have[at] {
			at++
		}
		require.Fail(t, question, "they differ at byte %d: want …%s, have …%s", at, want[at:min(at+80, len(want))], have[at:min(at+80, len(have))])
	}
}

// sameBlock requires a block that the gateway decodes from the node's data to equal the block in Sidecar's text.
func sameBlock(t *testing.T, g *gateway.Gateway, path, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	want, err := sidecar.DecodeBlock(string(text))
	require.NoError(t, err)
	have, err := g.Block(t.Context(), path)
	require.NoError(t, err, path)
	blocktest.RequireSame(t, want, have)
	data, err := want.EventData(chain.OnInitialize, 0)
	require.NoError(t, err)
	same, err := have.EventData(chain.OnInitialize, 0)
	require.NoError(t, err)
	require.Equal(t, data, same)
}
