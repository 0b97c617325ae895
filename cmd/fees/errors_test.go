package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// Each recorded error response of the real gateway gives the documented exit code and a one-line message.
// Requests that can only be rejected are not sent.
func TestRecordedErrors(t *testing.T) {
	t.Parallel()
	const address = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	const unknown = "0x1212121212121212121212121212121212121212121212121212121212121212"
	const down, hung = "Failed while trying to get the latest header.", "No response received from RPC endpoint in 60s"
	for name, c := range map[string]struct {
		args string
		code int
		says string
	}{
		"future-block":             {"block 99999999", exitGateway, "block 99999999: no such block"},
		"future-by-one":            {"gateway block 52", exitGateway, "block 52: no such block"},
		"unknown-hash":             {"block " + unknown, exitGateway, "no such block"},
		"future-block-multiplier":  {"gateway multiplier 99999999", exitGateway, "multiplier at block 99999999: no such block"},
		"spec-future":              {"gateway spec 99999999", exitGateway, "runtime at block 99999999: no such block"},
		"account-future-at":        {"gateway balance " + address + " --at 99999999", exitGateway, "no such block"},
		"unknown-route":            {"block 25", exitGateway, "the gateway does not have this endpoint"},
		"unknown-route-2":          {"gateway header 1", exitGateway, "the gateway does not have this endpoint"},
		"unknown-v1":               {"gateway version", exitGateway, "the gateway does not have this endpoint"},
		"node-down-block-cached":   {"block 10", exitGateway, down},
		"node-down-block-uncached": {"gateway block 33", exitGateway, down},
		"node-down-head":           {"block head", exitGateway, "WebSocket is not connected"},
		"node-down-balance":        {"gateway balance " + address + " --at 10", exitGateway, down},
		"node-down-multiplier":     {"gateway multiplier 10", exitGateway, down},
		"node-down-spec":           {"gateway spec 10", exitGateway, "WebSocket is not connected"},
		"node-down-version":        {"gateway version", exitGateway, "WebSocket is not connected"},
		"node-hung-block":          {"block 34", exitGateway, down},
		"node-hung-version":        {"gateway version", exitGateway, hung},
		"missing-keys":             {"gateway storage system account", exitGateway, "is a map, requiring 1 arguments, 0 found"},
		"base-fee-storage":         {"gateway storage base-fee baseFeePerGas", exitGateway, `"baseFee" was not recognized as a queryable pallet.`},
		"unknown-pallet":           {"gateway storage nonesuch x", exitGateway, `"nonesuch" was not recognized as a queryable pallet.`},
		"unknown-storage":          {"gateway storage transaction-payment nonesuch", exitGateway, `Could not find storage item ("nonesuch")`},
		"account-32":               {"gateway balance " + unknown, exitGateway, "Invalid address format"},
		"ss58-account":             {"gateway balance 5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", exitUsage, "has 32 bytes, and accounts of moonbeam have 20. Name an EVM address: 0x and 40 hex digits"}, // the answer is 0
		"account-unknown-OK":       {"gateway balance 0x7777777777777777777777777777777777777777", exitOK, ""},

		"over-u32":                 {"block 4294967296", exitUsage, "want a height from 0 to 4294967295"},
		"huge-number":              {"block 123456789012345678901234567890", exitUsage, "want a height from 0 to 4294967295"},
		"malformed-block":          {"block abc", exitUsage, "want a height"},
		"malformed-block-float":    {"gateway block 1.5", exitUsage, "must be a number from 0 to 4294967295"},
		"malformed-block-negative": {"gateway block -- -1", exitUsage, "must be a number from 0 to 4294967295"},
		"malformed-hash":           {"block 0x1234", exitUsage, "a hash of 0x and 64 hex digits"},
		"malformed-hash-nothex":    {"block 0xzz", exitUsage, "a hash of 0x and 64 hex digits"},
		"malformed-at":             {"gateway multiplier abc", exitUsage, "must be a number from 0 to 4294967295"},
		"bad-account":              {"gateway balance nonsense", exitUsage, "is not an address"},
		"bad-account-short":        {"gateway balance 0x1234", exitUsage, "is not an address"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // retries wait until the timeout
			answer, ok := gatewaytest.RecordedErrors(filepath.Join(recordings(t), "moonbeam-2100"))[name]
			require.True(t, ok)
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				answer.ServeHTTP(w, r)
			}))
			defer server.Close()
			var out, errors bytes.Buffer
			args := append(strings.Fields(c.args), "--gateway", server.URL, "--timeout", "1s")
			if command, argument, ok := strings.Cut(c.args, " -- "); ok {
				args = append(strings.Fields(command), "--gateway", server.URL, "--", argument)
			}
			require.Equal(t, c.code, run(context.Background(), args, &out, &errors), "%s", &errors)
			require.Equal(t, c.code == exitUsage && name != "ss58-account", asked.Load() == 0, "%d requests", asked.Load())
			if c.code == exitOK {
				require.Empty(t, errors.String())
				return
			}
			require.Empty(t, out.String())
			require.Regexp(t, "^fees: [^\n]+\n$", errors.String())
			require.Contains(t, errors.String(), c.says)
		})
	}
}

// A block with an invalid time is a malformed response of the gateway.
func TestMalformedTime(t *testing.T) {
	t.Parallel()
	answer := gatewaytest.RecordedError{Status: http.StatusOK, Body: `{"number":"25","hash":"0x` + strings.Repeat("1", 64) +
		`","parentHash":"0x` + strings.Repeat("1", 64) + `","extrinsics":[{"method":{"pallet":"timestamp","method":"set"},"signature":null,` +
		`"args":{"now":"soon"},"hash":"0x` + strings.Repeat("1", 64) + `","events":[]}]}`}
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	_, stderr, code := fees("gateway", "block", "25", "--gateway", server.URL)
	require.Equal(t, exitGateway, code)
	require.Contains(t, stderr, "malformed block 25: ")
}

func TestShownPlace(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]string{
		"demo":                              "demo",
		"./kept":                            "./kept",
		"http://127.0.0.1:8080":             "http://127.0.0.1:8080",
		"https://me:secret@host/secret?k=s": "https://host",
		"https://host:port/secret":          "the gateway",
	} {
		require.Equal(t, want, cli.ShownPlace(place))
	}
}

// Amounts beyond 128 bits are a gateway error, not a wrong argument.
func TestExitCodeOfImpossibleAmounts(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("block 25: extrinsic 3, added to those before it: the sum of fee: %w", chain.ErrOverflow)
	require.Equal(t, exitGateway, exitCode(t.Context(), err))
	require.Contains(t, explainError(t.Context(), nil, err), ". Use another gateway; no chain has such amounts.")
}

// Advice depends on the type of the error, and its command line uses the same ledger and gateway.
func TestAdvice(t *testing.T) {
	t.Parallel()
	c := &cobra.Command{}
	for _, name := range []string{"ledger", "gateway", "labels", "network-file"} {
		c.Flags().String(name, "", "")
	}
	c.Flags().StringSlice("accounts", nil, "")
	require.NoError(t, c.ParseFlags([]string{"--ledger", "my ledger.db", "--gateway", "http://me:secret@host:1", "--accounts", "0x1"}))
	blocks := chain.Heights{First: 3, Last: 7}
	for want, err := range map[string]error{
		". List all damage with \"fees ledger verify --ledger 'my ledger.db'\".":                               &ledger.DamageError{What: "block 5"},
		". Upgrade it with \"fees ledger upgrade --ledger 'my ledger.db'\".":                                   ledger.ErrOlder,
		". Compare them with \"fees ledger verify --ledger 'my ledger.db' --gateway http://me:xxxxx@host:1\".": &ledger.DiffersError{Height: 5},
		". Fill it with \"fees sync --ledger 'my ledger.db' --gateway http://me:xxxxx@host:1\".":               &app.NotThereError{Message: "nothing", Lacks: chain.Some(app.Lacks{})},
		". Leave out --gateway, and fill a ledger with \"fees sync 3..7 --ledger 'my ledger.db' --gateway h":   &app.WithoutLedgerError{Err: errors.New("no ledger"), Blocks: chain.Some(blocks)},
	} {
		require.Contains(t, explainError(t.Context(), c, fmt.Errorf("x: %w", err)), want)
	}
	require.Equal(t, "nothing", explainError(t.Context(), c, &app.NotThereError{Message: "nothing"}))
}
