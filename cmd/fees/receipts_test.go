package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// With a node, as the source or beside it, fees explains the way from an Ethereum receipt to the fee, and says what proves
// the weight of a native call. Without one, the user states the receipt.
func TestExplainWithARuntime(t *testing.T) {
	t.Parallel()
	const name, table = "stack-template-3", "../../testdata/networks/stack-template-3.json"
	server := httptest.NewServer(nodetest.OpenPair(t, name))
	t.Cleanup(server.Close)
	node, recorded := "ws"+strings.TrimPrefix(server.URL, "http"), pairs.Path(t, name, "gateway")
	explain := func(code int, args ...string) string {
		t.Helper()
		out, stderr, have := fees(append([]string{"explain", "--network-file", table}, args...)...)
		require.Equal(t, code, have, out+stderr)
		return strings.Join(strings.Fields(out+stderr), " ")
	}
	for _, from := range [][]string{{"--gateway", node}, {"--gateway", recorded, "--node", node}} {
		out := explain(0, append(from, "8-4")...)
		require.Contains(t, out, "given back = 2220000000 planck")
		require.Contains(t, out, "cost = fee − given back = 2262219033 − 2220000000 = 42219033 planck")
		require.Contains(t, out, "the node's Ethereum receipt: ReviveApi.eth_receipt_data at block 8")
		require.Contains(t, out, "(less than one gas: the chain burned it from the payer)")
		require.Contains(t, out, "what proves the weight: the formula, with a whole number of bytes of proof that the chain reclaimed")
		require.NotRegexp(t, `[0-9] wei [^p]`, out, "only prices per gas are in wei")
		require.Contains(t, explain(0, append(from, "4-9")...), "what proves the weight: the formula, with the weight that the node's query_info states at the parent block")
	}
	var v struct {
		Transaction struct {
			WeightProof string `json:"weight_proof"`
			Receipt     struct {
				GasUsed   string `json:"gas_used"`
				GivenBack string `json:"given_back"`
				Rounding  string
			}
		}
		Receipt struct {
			Steps []struct{ Name, Unit, Result string }
		}
	}
	out, stderr, code := fees("explain", "8-4", "--gateway", node, "--network-file", table, "--format", "json")
	require.Zero(t, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	require.Equal(t, "proof_size", v.Transaction.WeightProof)
	require.Equal(t, "2220000000", v.Transaction.Receipt.GivenBack)
	require.Equal(t, "planck", v.Receipt.Steps[0].Unit)
	require.Equal(t, v.Transaction.Receipt.Rounding, v.Receipt.Steps[len(v.Receipt.Steps)-1].Result)

	// Blocks 18 and 19 contain eight and four native transactions, whose recorded answers of query_info are their fees.
	for _, from := range [][]string{{"--gateway", node}, {"--gateway", recorded, "--node", node}} {
		out, stderr, code := fees(append([]string{"verify", "18..19", "--network-file", table}, from...)...)
		require.Zero(t, code, out+stderr)
		require.Contains(t, out, "what proves the weight of 12 fees: the formula, with the weight that the node's query_info")
	}

	// The figures of 2-2 in sent.json.
	require.Contains(t, explain(0, "2-2", "--gateway", recorded, "--receipt", "24895@49999050000"), "stated with --receipt")
	require.Contains(t, explain(0, "2-2", "--gateway", recorded, "--receipt", "0x613f@0xba42cf510"), "42102750000 × 10^-18 of the token")
	require.Contains(t, explain(0, "2-2", "--gateway", recorded), "not known no node serves it (--node); state it with --receipt")
	require.Contains(t, explain(1, "2-2", "--gateway", recorded, "--receipt", "24896@49999050000"), "finding: evm.receipt: the receipt states 1244776348800000 × 10^-18 of the token, but the fee and deposits are 1244684247000000 × 10^-18")
	for _, wrong := range []string{"24895", "24895@", "@1", "010@0b1", "1_0@1", "-1@1", "24895@49.99 Gwei"} {
		require.Contains(t, explain(2, "2-2", "--gateway", recorded, "--receipt", wrong), "want the gas used, @ and the effective gas price in wei")
	}
	require.Contains(t, explain(2, "4-9", "--gateway", recorded, "--receipt", "0@0"), "--receipt: transaction 4-9 is not an Ethereum transaction of pallet revive; leave the receipt away")
	require.Contains(t, explain(2, "25-7", "--gateway", "demo", "--receipt", "0@0"), "is not an Ethereum transaction of pallet revive")
}
