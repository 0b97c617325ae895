package main

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// pairNode serves recorded responses of a real node, at an http and a ws URL.
func pairNode(t *testing.T, name string) (node *nodetest.Node, http, ws string) {
	t.Helper()
	node = nodetest.OpenPair(t, name)
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	return node, server.URL, strings.Replace(server.URL, "http", "ws", 1)
}

// outputOf returns the output of a command, which must end with a code.
func outputOf(t *testing.T, want int, args ...string) string {
	t.Helper()
	stdout, stderr, code := fees(args...)
	require.Equal(t, want, code, "fees %v: %s%s", args, stdout, stderr)
	return stdout
}

// Every command that reads a gateway also reads a node, with the same output.
func TestANodeIsASource(t *testing.T) {
	const name = "moonbeam-2600"
	node, http, ws := pairNode(t, name)
	recorded := pairs.Path(t, name, "gateway")
	block := outputOf(t, exitOK, "block", "12", "--gateway", recorded)
	require.Equal(t, block, outputOf(t, exitOK, "block", "12", "--gateway", ws))
	require.Equal(t, block, outputOf(t, exitOK, "block", "12", "--gateway", http))
	t.Setenv("GATEWAY_NODE_URL", ws)
	require.Equal(t, block, outputOf(t, exitOK, "block", "12"))

	// A node supplies more than a gateway: all checks are possible without --node.
	summary := outputOf(t, exitFinding, "verify", "1..27")
	require.Regexp(t, `(?m)^extrinsic\.hash +191 +0 +0$`, summary)
	require.Regexp(t, `(?m)^native\.formula +27 +0 +2$`, summary) // two fees were waived
	require.Regexp(t, `(?m)^block\.multiplier +27 +0 +0$`, summary)
	require.Equal(t, 1, strings.Count(summary, "first finding"), "the time of block 2")

	// An archive recorded from a node has a gateway's responses, marked as the node's.
	archive := filepath.Join(t.TempDir(), "archive")
	require.Contains(t, outputOf(t, exitOK, "archive", "record", "1..9", "-o", archive), "fees, of a node's answers")
	require.Equal(t, block9(t, recorded), block9(t, archive))

	// The ledger has the same seal.
	seals := map[string]bool{}
	for _, gateway := range []string{recorded, ws, http} {
		ledger := filepath.Join(t.TempDir(), "fees.db")
		text := outputOf(t, exitFinding, "sync", "0..27", "--gateway", gateway, "--ledger", ledger, "--quiet")
		_, seal, found := strings.Cut(text, "seal ")
		require.True(t, found, text)
		seals[strings.Fields(seal)[0]] = true
	}
	require.Len(t, seals, 1)
	require.Less(t, node.Asked()["chain_getHeader"], 40)

	// A key in a URL stays out of the process list.
	_, stderr, code := fees("block", "1", "--gateway", "wss://host/0123456789abcdef0123")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "put the URL in the environment variable FEES_GATEWAY")
	require.NotContains(t, stderr, "0123456789abcdef0123")
}

func block9(t *testing.T, gateway string) string {
	return outputOf(t, exitOK, "block", "9", "--gateway", gateway, "--format", "json")
}
