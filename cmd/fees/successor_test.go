package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// Commands work with Sidecar's successor as with Sidecar.
func TestSuccessor(t *testing.T) {
	t.Parallel()
	recorded := gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100"))
	sidecar, successor := httptest.NewServer(recorded), httptest.NewServer(gatewaytest.Successor(recorded))
	t.Cleanup(sidecar.Close)
	t.Cleanup(successor.Close)
	for _, line := range [][]string{
		{"block", "25"}, {"block", "head", "--format", "json"}, {"explain", "25-7"}, {"verify", "2..27", "--signatures", "--format", "json"},
		{"gateway", "storage", "transaction-payment", "nextFeeMultiplier", "--at", "7"}, {"gateway", "spec", "7"},
	} {
		want, _, code := fees(append(line, "--gateway", sidecar.URL, "--quiet")...)
		have, stderr, same := fees(append(line, "--gateway", successor.URL, "--quiet")...)
		require.Equal(t, code, same, stderr)
		require.Equal(t, want, have, line)
	}

	_, stderr, code := fees("block", "99", "--gateway", successor.URL)
	require.Equal(t, exitGateway, code)
	require.Contains(t, stderr, "block 99: no such block")
	_, stderr, code = fees("gateway", "storage", "nonesuch", "item", "--gateway", successor.URL)
	require.Equal(t, exitGateway, code)
	require.Contains(t, stderr, "Pallet not found: nonesuch")

	// Its recording is read without it.
	directory := filepath.Join(t.TempDir(), "recorded")
	_, stderr, code = fees("archive", "record", "20..27", "-o", directory, "--gateway", successor.URL, "--quiet")
	require.Equal(t, exitOK, code, stderr)
	want, _, _ := fees("block", "25", "--gateway", sidecar.URL)
	have, stderr, code := fees("block", "25", "--gateway", directory)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, want, have)
	_, stderr, code = fees("sync", "20..27", "--ledger", directory+".db", "--gateway", successor.URL, "--quiet")
	require.Equal(t, exitOK, code, stderr)
}

// A block without extrinsics, and one with invalid numbers, are refused. The remedy is the node.
func TestSuccessorCannotBeRead(t *testing.T) {
	t.Parallel()
	recorded := gatewaytest.Successor(gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100")))
	extrinsics := regexp.MustCompile(`"extrinsics":\[.*\],"extrinsicsRoot"`)
	for want, change := range map[string]func(string) string{
		"the block has no extrinsics, not even an inherent": func(text string) string {
			return extrinsics.ReplaceAllString(text, `"extrinsics":[],"extrinsicsRoot"`)
		},
		".gasLimit: have 3 limbs": func(text string) string {
			return strings.Replace(text, `"0","0","0"]`, `"0","0"]`, 1)
		},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			recorded.ServeHTTP(answer, r)
			w.WriteHeader(answer.Code)
			w.Write([]byte(change(answer.Body.String())))
		}))
		t.Cleanup(server.Close)
		_, stderr, code := fees("block", "25", "--gateway", server.URL)
		require.Equal(t, exitGateway, code)
		require.Contains(t, stderr, want)
		require.Contains(t, stderr, "--gateway ws://HOST")
	}
}
