package main

import (
	"testing"

	"github.com/stretchr/testify/require"

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
