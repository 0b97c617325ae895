package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every command closes its connection to a node, even if it fails.
func TestConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	node, _, ws := pairNode(t, "moonbeam-2600")
	ledger := filepath.Join(t.TempDir(), "fees.db")
	for _, command := range []string{
		"block 12 --gateway WS",
		"block 99 --gateway WS",
		"block 12 --network moonriver --gateway WS",
		"verify 3..4 --gateway WS",
		"verify 3..4 --gateway WS --against WS --node WS",
		"explain 12-4 --gateway WS",
		"sync 0..9 --quiet --gateway WS --ledger " + ledger,
		"sync 0..20 --dry-run --gateway WS --ledger " + ledger,
		"ledger verify --gateway WS --ledger " + ledger,
		"statement 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --from 1 --to 9 --gateway WS --quiet",
		"suggest --gateway WS --blocks 5",
		"suggest --node WS --gateway WS --blocks 5",
		"estimate --extrinsic 0x1234 --node WS",
		"archive record 1..3 --gateway WS -o " + filepath.Join(t.TempDir(), "archive"),
		"gateway block 12 --gateway WS",
		"gateway balance 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --at 9 --gateway WS",
		"node header --node WS",
	} {
		before := node.Sockets()
		stdout, stderr, code := fees(strings.Fields(strings.ReplaceAll(command, "WS", ws))...)
		now := node.Sockets()
		require.Greater(t, now.Opened, before.Opened, "%s: exit code %d: %s%s", command, code, stdout, stderr)
		require.Eventually(t, func() bool { now = node.Sockets(); return now.Closed == now.Opened }, time.Minute, 10*time.Millisecond,
			"%s: exit code %d: %+v: %s%s", command, code, now, stdout, stderr)
	}
}
