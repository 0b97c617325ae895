package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

// A pot is called by its name, in the listing of the table and in the report on a block.
func TestNamedPot(t *testing.T) {
	t.Parallel()
	out, stderr, code := fees("networks", "vflow-testnet")
	require.Zero(t, code, stderr)
	require.Contains(t, out, "staking pot: 0x6D6F646C506f745374616B650000000000000000")
	require.Contains(t, out, "pot ")
	out, stderr, code = fees("block", "10", "--gateway", pairs.Path(t, "vflow-2000", "gateway"))
	require.Zero(t, code, stderr)
	require.Contains(t, out, "staking pot")
	require.NotContains(t, out, "treasury")
}

// A token with 9 decimals is shown with 9, and the stored base fee names its storage. Native accounts of 32 bytes do not
// matter to an EVM fee.
func TestTokenWithNineDecimals(t *testing.T) {
	t.Parallel()
	out, stderr, code := fees("networks", "bittensor")
	require.Zero(t, code, stderr)
	require.Contains(t, out, "stored in BaseFee.BaseFeePerGas")
	out, stderr, _ = fees("block", "3", "--gateway", repository.Shared(t, "pairs", "bittensor-218", "gateway"))
	require.Contains(t, out, "stored in BaseFee.BaseFeePerGas", stderr)
	require.Contains(t, out, " 0.001260000 ", "21,000 gas at 60 Gwei: 1,260,000 rao")
}

// On two real runtimes with native accounts of 32 bytes, every fee equals what was charged, its parts went where the table
// says, and the base fee moves by its rule: from the gateway's answers and straight from the node, which also proves the
// native formula.
func TestAccountsOf32Bytes(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"creditcoin3-87": "creditcoin.json", "bittensor-218": "bittensor.json"} {
		t.Run(name, func(t *testing.T) {
			table := repository.Path("network", "tables", table)
			recorded := pairs.Path(t, name, "gateway")
			out, stderr, code := fees("networks", "check", table, "1..26", "--gateway", recorded)
			require.Zero(t, code, out+stderr)
			require.Contains(t, out, "5 rows: 4 proved, 0 contradicted, 1 not checked")
			node := httptest.NewServer(nodetest.OpenPair(t, name))
			defer node.Close()
			out, stderr, code = fees("networks", "check", table, "1..26", "--gateway", node.URL)
			require.Zero(t, code, out+stderr)
			require.Contains(t, out, "5 rows: 5 proved, 0 contradicted")
			out, stderr, code = fees("verify", "1..26", "--gateway", recorded, "--network-file", table)
			require.NotContains(t, out, "drift", stderr)
			require.NotContains(t, out, "undetermined")
			require.LessOrEqual(t, code, 1, out+stderr)
			out, stderr, code = fees("verify", "1..26", "--gateway", recorded, "--node", node.URL, "--network-file", table)
			require.LessOrEqual(t, code, 1, out+stderr)
			require.Regexp(t, `native\.signature +27 +0 +0`, out)
			require.Regexp(t, `extrinsic\.hash +\d+ +0 +0`, out)
		})
	}
}

// A table that was not compared with its chain says so in the listing, and in JSON.
func TestUnverifiedTables(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"astar": "astar-2300", "shiden": "shiden-2300", "peaq": "peaq-103", "neuroweb": "neuroweb-121", "tanssi-evm": "tanssi-evm-1700",
		"creditcoin": "creditcoin-131", "bittensor": "bittensor-425", "vflow": "vflow-1000000",
	} {
		table := repository.Path("testdata", "networks", file+".json")
		out, stderr, code := fees("networks", name, "--network-file", table)
		require.Zero(t, code, stderr)
		require.Contains(t, out, "unverified: figures from the runtime's source, read 2026-11-25", name)
		out, stderr, code = fees("networks", name, "--network-file", table, "--format", "json")
		require.Zero(t, code, stderr)
		require.Contains(t, out, `"unverified": "figures from the runtime's source, read 2026-11-25`, name)
	}
	out, stderr, code := fees("networks", "astar", "--network-file", repository.Path("testdata", "networks", "astar-2300.json"))
	require.Zero(t, code, stderr)
	require.Contains(t, out, "Stored base fee")
	require.Contains(t, out, " 30855000  0.0093 %    80000")
}

// Blocks priced by an unverified table exit with 1, unless every fee equals what the chain charged.
func TestExitOfUnverifiedTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repository.Path("network", "tables", "creditcoin.json"))
	require.NoError(t, err)
	unverified := strings.Replace(string(text), `"last_runtime"`, `"unverified": "a test", "last_runtime"`, 1)
	for name, c := range map[string]struct {
		table string
		code  int
	}{
		"right.json": {unverified, 0}, "wrong.json": {strings.Replace(unverified, "20000", "25000", 1), exitFinding},
	} {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, []byte(c.table), 0o600))
		out, stderr, code := fees("block", "8", "--gateway", repository.Shared(t, "pairs", "creditcoin3-87", "gateway"), "--network-file", file)
		require.Equal(t, c.code, code, out+stderr)
		require.Contains(t, out, "creditcoin/87?")
		require.Contains(t, out, "unverified: the table of creditcoin in ")
	}
}

// A native call that spends another account's gas names that account, beside the signer, who pays the fee of 0.
func TestGasOfAnotherAccount(t *testing.T) {
	t.Parallel()
	gateway, table := repository.Shared(t, "pairs", "creditcoin3-87", "gateway"), repository.Path("network", "tables", "creditcoin.json")
	const spent = "0.0000105 CTC from 5HbG9ag4EdpqXLTK45MpTocQ4byqwaDtjQfeEiaygg8w573u, the account of 0x8eaf04151687736326c9fEa17E25Fc5287613693"
	for _, args := range [][]string{{"block", "8"}, {"explain", "8-1"}} {
		out, stderr, code := fees(append(args, "--gateway", gateway, "--network-file", table)...)
		require.Zero(t, code, stderr)
		require.Contains(t, strings.Join(strings.Fields(out), " "), spent)
	}
}

// From the node of a chain with accounts of 32 bytes, a table is drafted. Signing for such accounts is refused.
func TestNodeWithAccountsOf32Bytes(t *testing.T) {
	t.Parallel()
	node := httptest.NewServer(nodetest.OpenPair(t, "creditcoin3-87"))
	defer node.Close()
	out, stderr, code := fees("networks", "draft", "--gateway", node.URL)
	require.Zero(t, code, stderr)
	require.Contains(t, out, `"account_mapping": "hashed"`)
	require.Contains(t, out, `"elasticity": 125000`)
	const signer = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	for want, args := range map[string][]string{
		"signing for accounts of 32 bytes is not supported":                          {"tx", "build", "system.remark", "0x01", "--signer", signer, "-o", t.TempDir() + "/draft.json"},
		"has 20 bytes, and accounts of this chain have 32. Name the account in SS58": {"estimate", "system.remark", "0x01", "--from", signer},
	} {
		_, stderr, code = fees(append(args, "--node", node.URL, "--network-file", repository.Path("network", "tables", "creditcoin.json"))...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, want)
	}
}

// The estimate of a transfer is what the real node answered for that transfer, and what was charged for it in block 5. The
// node is asked about an extrinsic of its signer with the same call.
func TestEstimateForAccountsOf32Bytes(t *testing.T) {
	t.Parallel()
	const alice, to, charged = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "5GQTayHJwhXeYVFpsV79i6kbSGRifRrhnuC2E6mKX5MtsmzT", "22938224957077234"
	recorded := nodetest.OpenPair(t, "creditcoin3-87")
	text, err := os.ReadFile(pairs.Path(t, "creditcoin3-87", "node", "state_call.json"))
	require.NoError(t, err)
	var answers map[string]struct{ Result string }
	require.NoError(t, json.Unmarshal(text, &answers))
	account, err := chain.ParseAccount(alice)
	require.NoError(t, err)
	asked := 0
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var q struct {
			ID     json.RawMessage
			Method string
			Params []string
		}
		if json.Unmarshal(body, &q) == nil && q.Method == "state_call" && q.Params[0] == "TransactionPaymentApi_query_info" {
			signed := fmt.Sprintf("8400%x01", account.Bytes()) // version, variant Id, account, sr25519
			_, call, found := strings.Cut(q.Params[1], signed+strings.Repeat("01", 64))
			require.True(t, found, q.Params[1])
			call = call[len("95000400") : len(call)-8] // after era, nonce and tip, before the length
			for params, a := range answers {
				if strings.HasPrefix(params, `["TransactionPaymentApi_query_info"`) && strings.Contains(params, signed) && strings.Contains(params, call) {
					asked++
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%q}`, q.ID, a.Result)
					return
				}
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		recorded.ServeHTTP(w, r)
	}))
	defer node.Close()
	for _, prefix := range []uint16{42, 5} { // of any chain
		receiver, err := chain.ParseAccount(to)
		require.NoError(t, err)
		out, stderr, code := fees("estimate", "balances.transferKeepAlive", receiver.SS58(prefix), "5CTC", "--from", account.SS58(prefix),
			"--node", node.URL, "--symbol", "CTC", "--decimals", "18", "--network-file", repository.Path("network", "tables", "creditcoin.json"), "--format", "json")
		require.Zero(t, code, stderr)
		require.Contains(t, out, `"fee": "`+charged+`"`)
		require.Contains(t, out, `"fee_token": "0.022938224957077234"`)
		require.Contains(t, out, `"evm_fee": null`)
	}
	require.Equal(t, 2, asked)
}
