package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// rpcRequest is what tells one question to a node from another.
type rpcRequest struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// fromDocumentation are answers that no development node gave: they have the form
// that the documentation of the methods describes.
var fromDocumentation = map[string]string{
	`payment_queryInfo["0x1234"]`:            `"result":{"weight":{"ref_time":152345000,"proof_size":3593},"class":"normal","partialFee":"1296463115960925"}`,
	`eth_feeHistory["0x2","latest",[25]]`:    `"result":{"oldestBlock":"0x64","baseFeePerGas":["0x746a52880","0x746a52881","0x746a52882"],"gasUsedRatio":[0.25,0.5],"reward":[["0x1"],["0x3b9aca00"]]}`,
	`eth_feeHistory["0xa","latest",[]]`:      `"error":{"code":-32601,"message":"Method not found"}`,
	`state_call["0x12",{"a":1},"text",null]`: `"result":"0xabcd"`,
}

// recordedNode answers with what a development node with the real runtime
// answered, and with fromDocumentation.
func recordedNode(t *testing.T) http.Handler {
	answers := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(recordings(t), "moonbeam-2100/rpc/*.json"))
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var recorded struct{ Request, Body string }
		var request rpcRequest
		if json.Unmarshal(text, &recorded) != nil || json.Unmarshal([]byte(recorded.Request), &request) != nil {
			continue // a conversation, or a question that was no JSON-RPC
		}
		answers[request.Method+string(request.Params)] = bytes.Replace([]byte(recorded.Body), []byte(`"id":`+string(request.ID)), []byte(`"id":%s`), 1)
	}
	for question, answer := range fromDocumentation {
		answers[question] = []byte(`{"jsonrpc":"2.0","id":%s,` + answer + `}`)
	}
	require.Greater(t, len(answers), 10)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request rpcRequest
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		answer, known := answers[request.Method+string(request.Params)]
		if !known {
			answer = []byte(`{"jsonrpc":"2.0","id":%s,"error":{"message":"Method not found: ` + request.Method + string(bytes.ReplaceAll(request.Params, []byte(`"`), []byte(`\"`))) + `"}}`)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(bytes.Replace(answer, []byte("%s"), request.ID, 1))
	})
}
