package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// After the retries, the message starts with the provider's reply, without the key, and names the block at which the
// same command continues.
func TestPatienceEnds(t *testing.T) {
	const key = "KEY0123456789abcdef"
	recorded := http.StripPrefix("/"+key, gatewaytest.Handler("../../testdata/recordings/moonbeam-2100"))
	var failing atomic.Pointer[http.HandlerFunc]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fail := failing.Load(); fail != nil && strings.Contains(r.URL.Path, "/blocks/25") {
			(*fail)(w, r)
			return
		}
		recorded.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("FEES_GATEWAY", server.URL+"/"+key)
	says := func(code int, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"code":%d,"message":%q}`, code, message)
		}
	}
	for name, c := range map[string]struct {
		fail          http.HandlerFunc
		words, advice string
	}{
		"node hangs": {says(500, "No response received from RPC endpoint in 60s"), `the gateway replied "No response received from RPC endpoint in 60s" (`, "Wait, or use another gateway or node"},
		"key":        {says(403, "no access with "+key), `the gateway replied "no access with [hidden]" (`, "Check the URL and the key"},
		"quota":      {says(429, "Monthly quota exceeded"), `the gateway replied "Monthly quota exceeded" (`, "Wait until the quota of the provider's plan renews"},
		"rate limit": {says(500, "-32005: Too many requests"), `the gateway replied "-32005: Too many requests" (`, "Send fewer requests per second with --rps"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, args := range [][]string{
				{"sync", "20..27", "--ledger", filepath.Join(dir, "fees.db")},
				{"archive", "record", "20..27", "-o", filepath.Join(dir, "archive")},
			} {
				args = append(args, "--quiet", "--timeout", "1s")
				failing.Store(&c.fail)
				_, stderr, code := fees(args...)
				require.Equal(t, exitGateway, code, stderr)
				require.True(t, strings.HasPrefix(stderr, "fees: "+c.words), stderr)
				require.Contains(t, stderr, c.advice)
				require.Regexp(t, ", then run the same command again to continue at block 2[45]\\.\n$", stderr)
				require.NotContains(t, stderr, key)
				failing.Store(nil)
				_, stderr, code = fees(args...)
				require.Equal(t, exitOK, code, stderr)
			}
		})
	}
	t.Run("pruned", func(t *testing.T) {
		fail := says(500, "4003: Client error: Api called for an unknown Block: State already discarded for 0x12")
		failing.Store(&fail)
		_, stderr, code := fees("block", "25")
		require.Equal(t, exitGateway, code)
		require.Equal(t, `fees: the gateway replied "4003: Client error: Api called for an unknown Block: State already discarded for 0x12" `+
			"(block 25: the node does not keep this block or its state: GET /blocks/25: status 500 Internal Server Error). "+
			"Use an archive node (--state-pruning archive --blocks-pruning archive).\n", stderr)
	})
}
