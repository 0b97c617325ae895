package main

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

// A pot is called by its name, in the listing of the table and in the report on a block.
func TestNamedPot(t *testing.T) {
	table := repository.Path("testdata", "networks", "vflow-testnet.json")
	out, stderr, code := fees(t, "networks", "vflow-testnet", "--network-file", table)
	require.Zero(t, code, stderr)
	require.Contains(t, out, "staking pot: 0x6D6F646C506f745374616B650000000000000000")
	require.Contains(t, out, "pot ")
	out, stderr, code = fees(t, "block", "10", "--gateway", pairs.Path(t, "vflow-2000", "gateway"), "--network-file", table)
	require.Zero(t, code, stderr)
	require.Contains(t, out, "staking pot")
	require.NotContains(t, out, "treasury")
}

// A token with 9 decimals is shown with 9, and the stored base fee names its storage. Native accounts of 32 bytes do not
// matter to an EVM fee.
func TestTokenWithNineDecimals(t *testing.T) {
	table := repository.Path("testdata", "networks", "bittensor-218.json")
	out, stderr, code := fees(t, "networks", "bittensor", "--network-file", table)
	require.Zero(t, code, stderr)
	require.Contains(t, out, "stored in BaseFee.BaseFeePerGas")
	out, stderr, _ = fees(t, "block", "3", "--gateway", repository.Shared(t, "pairs", "bittensor-218", "gateway"), "--network-file", table)
	require.Contains(t, out, "stored in BaseFee.BaseFeePerGas", stderr)
	require.Contains(t, out, " 0.001260000 ", "21,000 gas at 60 Gwei: 1,260,000 rao")
}

// On two real runtimes with native accounts of 32 bytes, every fee equals what was charged, its parts went where the table
// says, and the base fee moves by its rule: from the gateway's answers and straight from the node, which also proves the
// native formula.
func TestAccountsOf32Bytes(t *testing.T) {
	for name, table := range map[string]string{"creditcoin3-87": "creditcoin-87.json", "bittensor-218": "bittensor-218.json"} {
		t.Run(name, func(t *testing.T) {
			table := repository.Path("testdata", "networks", table)
			recorded := pairs.Path(t, name, "gateway")
			out, stderr, code := fees(t, "networks", "check", table, "1..26", "--gateway", recorded)
			require.Zero(t, code, out+stderr)
			require.Contains(t, out, "5 rows: 4 proved, 0 contradicted, 1 not checked")
			node := httptest.NewServer(nodetest.OpenPair(t, name))
			defer node.Close()
			out, stderr, code = fees(t, "networks", "check", table, "1..26", "--gateway", node.URL)
			require.Zero(t, code, out+stderr)
			require.Contains(t, out, "5 rows: 5 proved, 0 contradicted")
			out, stderr, code = fees(t, "verify", "1..26", "--gateway", recorded, "--network-file", table)
			require.NotContains(t, out, "drift", stderr)
			require.NotContains(t, out, "undetermined")
			require.LessOrEqual(t, code, 1, out+stderr)
		})
	}
}
