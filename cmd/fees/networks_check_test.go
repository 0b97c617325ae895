package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// A node with the encoded extrinsics proves or contradicts the row of native fees.
func TestNetworksCheckWithANode(t *testing.T) {
	pair := pairs.Path(t, "moonbeam-2100")
	answers := map[string]map[string]json.RawMessage{}
	for _, method := range []string{"chain_getBlock", "chain_getBlockHash"} {
		text, err := os.ReadFile(filepath.Join(pair, "node", method+".json"))
		require.NoError(t, err)
		var recorded map[string]struct{ Result json.RawMessage }
		require.NoError(t, json.Unmarshal(text, &recorded))
		answers[method] = map[string]json.RawMessage{}
		for params, answer := range recorded {
			answers[method][params] = answer.Result
		}
	}
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request rpcRequest
		var params bytes.Buffer
		if json.NewDecoder(r.Body).Decode(&request) != nil || json.Compact(&params, request.Params) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		result, known := answers[request.Method][params.String()]
		if !known {
			result = []byte("null")
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, request.ID, result)
	}))
	defer node.Close()
	gateway := httptest.NewServer(gatewaytest.Handler(filepath.Join(pair, "gateway")))
	defer gateway.Close()
	t.Setenv("FEES_GATEWAY", gateway.URL)
	t.Setenv("FEES_NODE", node.URL)

	text, stderr, code := fees("networks", "moonbeam", "--format", "json")
	require.Equal(t, exitOK, code, stderr)
	right := filepath.Join(t.TempDir(), "mine.json")
	require.NoError(t, os.WriteFile(right, []byte(text), 0o600))
	stdout, stderr, code := fees("networks", "check", right, "3..27")
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Regexp(t, `(?m)^native_fees +\d+  proved +25 +[1-9]\d* +0$`, stdout)

	// The table's fee per byte is 1 wei too high.
	dearer := strings.ReplaceAll(text, `"linear": "100000000000"`, `"linear": "100000000001"`)
	require.NotEqual(t, text, dearer)
	wrong := filepath.Join(t.TempDir(), "wrong.json")
	require.NoError(t, os.WriteFile(wrong, []byte(dearer), 0o600))
	stdout, stderr, code = fees("networks", "check", wrong, "3..27")
	require.Equal(t, exitFinding, code, stdout+stderr)
	require.Regexp(t, `(?m)^native_fees +\d+  contradicted +25 +0 +[1-9]\d*$`, stdout)
	require.Regexp(t, `(?m)^native_fees from \d+: block \d+, extrinsic \d+: native.formula: `, stdout)
	require.Regexp(t, `(?m)^rows +\d+  proved `, stdout)
}
