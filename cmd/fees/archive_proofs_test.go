package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// rootedNode is a node of a chain with valid roots and a runtime upgrade.
func rootedNode(t testing.TB, seed, upgrade, head uint64) (made *chaingen.Chain, http, ws string) {
	t.Helper()
	made = chaingen.New(chaingen.Options{Seed: seed, Rooted: true, Signed: true, Upgrade: upgrade, Head: head})
	server := httptest.NewServer(made.Node())
	t.Cleanup(server.Close)
	return made, server.URL, strings.Replace(server.URL, "http", "ws", 1)
}

func anchorOf(made *chaingen.Chain, height uint64) string {
	return chain.Anchor{Height: height, Hash: made.Hash(height)}.String()
}

// Blocks are recorded with proofs; the archive gives the same fees as the node and the same responses as its
// gateway.
func TestArchiveWithProofs(t *testing.T) {
	t.Parallel()
	made, http, ws := rootedNode(t, 31, 40, 90)
	account := made.Accounts()[0].String()
	kept := filepath.Join(t.TempDir(), "kept")
	record := func(gateway, directory string, more ...string) []string {
		return append([]string{"archive", "record", "11..80", "-o", directory, "--proofs", "--gateway", gateway, "--accounts", account}, more...)
	}
	recorded := outputOf(t, exitOK, record(ws, kept, "--trust", anchorOf(made, 80))...)
	require.Regexp(t, "(?m)^proved +70$", recorded)
	verified := outputOf(t, exitOK, "archive", "verify", kept, "--trust", anchorOf(made, 80))
	require.Equal(t, recorded, verified)
	var said struct {
		Blocks, Proved uint64
		Trusted        *string
	}
	require.NoError(t, json.Unmarshal([]byte(outputOf(t, exitOK, "archive", "verify", kept, "--format", "json")), &said))
	require.EqualValues(t, 70, said.Blocks)
	require.Zero(t, said.Proved)
	require.Nil(t, said.Trusted)

	// Recording over HTTP, from the archive itself, and after a file was deleted gives the same files.
	same := func(directory string) {
		require.Equal(t, filesOf(t, kept), filesOf(t, directory))
	}
	other := filepath.Join(t.TempDir(), "other")
	outputOf(t, exitOK, record(http, other)...)
	same(other)
	copied := filepath.Join(t.TempDir(), "copied")
	outputOf(t, exitOK, record(kept, copied)...)
	same(copied)
	require.NoError(t, os.Remove(filepath.Join(copied, "blocks", "10-80.zst")))
	outputOf(t, exitOK, record(http, copied)...)
	same(copied)

	// Parts from two machines are joined; a part is extracted again.
	low, high, joined := filepath.Join(t.TempDir(), "low"), filepath.Join(t.TempDir(), "high"), filepath.Join(t.TempDir(), "joined")
	outputOf(t, exitOK, "archive", "record", "11..50", "-o", low, "--proofs", "--gateway", http, "--accounts", account)
	outputOf(t, exitOK, "archive", "record", "51..80", "-o", high, "--proofs", "--gateway", ws, "--accounts", account)
	require.Regexp(t, "(?m)^proved +70$", outputOf(t, exitOK, "archive", "join", low, high, "-o", joined, "--trust", anchorOf(made, 80)))
	same(joined)
	part := filepath.Join(t.TempDir(), "part")
	outputOf(t, exitOK, "archive", "record", "11..50", "-o", part, "--proofs", "--gateway", joined, "--accounts", account)
	outputOf(t, exitOK, "archive", "verify", part, "--trust", anchorOf(made, 50))
	for name, text := range filesOf(t, part) {
		if filepath.Base(name) != "manifest.json" { // which says by which block a code's hash is proved: a block that may not be in a part
			require.Equal(t, filesOf(t, low)[name], text, name)
		}
	}

	asked := outputOf(t, exitOK, "archive", "record", "11..80", "--proofs", "--dry-run", "--gateway", ws, "--accounts", account, "--rps", "50")
	require.Regexp(t, `^blocks +71\nrequests +1\d\d\nmessages +\d+\nhours +0\.00\ngigabytes +0\.000\n$`, asked)

	for height := 11; height <= 80; height += 23 {
		block := fmt.Sprint(height)
		fromNode := outputOf(t, exitOK, "block", block, "--gateway", ws, "--format", "csv")
		require.Equal(t, strings.ReplaceAll(fromNode, ",recorded\n", ",proved\n"),
			outputOf(t, exitOK, "block", block, "--gateway", kept, "--trust", anchorOf(made, 80), "--format", "csv"))
		require.Equal(t, fromNode, outputOf(t, exitOK, "block", made.Hash(uint64(height)).String(), "--gateway", kept, "--format", "csv"))
	}
	require.Contains(t, outputOf(t, exitOK, "archive", "verify", kept), "pass it with --trust "+anchorOf(made, 80))

	proved := outputOf(t, exitOK, "verify", "11..80", "--gateway", kept, "--trust", anchorOf(made, 80), "--accounts", account)
	require.Contains(t, proved, "account.balance")
	require.NotContains(t, proved, "first finding")

	place := filepath.Join(t.TempDir(), "fees.db")
	outputOf(t, exitOK, "sync", "11..80", "--ledger", place, "--gateway", kept)
	outputOf(t, exitOK, "ledger", "verify", "--ledger", place, "--gateway", kept, "--trust", anchorOf(made, 70))
	outputOf(t, exitOK, "statement", account, "--ledger", place, "--from", "20", "--to", "60", "--gateway", kept)
}

// filesOf returns the files of a directory by path.
func filesOf(t testing.TB, directory string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(directory, path)
		files[name] = string(text)
		return err
	}))
	return files
}

// Errors of recording and proving state cause and remedy.
func TestArchiveWithProofsRefused(t *testing.T) {
	t.Parallel()
	made, http, _ := rootedNode(t, 32, 0, 30)
	plain := httptest.NewServer(chaingen.New(chaingen.Options{Seed: 32, Head: 30}).Node())
	defer plain.Close()
	kept := filepath.Join(t.TempDir(), "kept")
	outputOf(t, exitOK, "archive", "record", "5..20", "-o", kept, "--proofs", "--gateway", http)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"archive record 5..31 -o ELSEWHERE --proofs --gateway HTTP", exitGateway, "block 31: not final yet; the newest final block is 30"},
		{"archive record 5..20 -o ELSEWHERE --proofs --gateway demo", exitUsage, "name a node's URL (wss://…, https://…) or an archive recorded with --proofs"},
		{"archive record 5..20 -o ELSEWHERE --proofs --gateway PLAIN", exitGateway, "state_getReadProof"},
		{"archive record 5..20 -o ELSEWHERE --gateway HTTP --trust " + anchorOf(made, 20), exitUsage, "--trust needs --proofs"},
		{"archive record 5..20 -o ELSEWHERE --proofs --gateway HTTP --trust 20:0x12", exitUsage, "--trust: block \"20:0x12\": want HEIGHT:HASH"},
		{"archive record 5..20 -o ELSEWHERE --proofs --gateway HTTP --trust " + anchorOf(made, 25), exitUsage, "checkpoint block 25 is above the range"},
		{"archive record 5..20 -o KEPT --proofs --gateway HTTP --accounts 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", exitUsage, "already contains blocks 5 to 20"},
		{"archive record 5..21 -o KEPT --proofs --gateway HTTP", exitUsage, "already contains blocks 5 to 20"},
		{"archive record 5..20 --gateway HTTP --dry-run", exitUsage, "--dry-run needs --proofs; add --proofs"},
		{"archive join KEPT -o ELSEWHERE", exitUsage, "join needs two or more archives"},
		{"archive join KEPT KEPT", exitUsage, "-o is missing; name the directory to write to with -o DIR"},
		{"archive join KEPT DEMO -o ELSEWHERE", exitLedger, "is not an archive of a node"},
		{"archive verify KEPT --trust " + strings.Replace(anchorOf(made, 19), "19:", "20:", 1), exitLedger, "block 20: header: its hash is " + made.Hash(20).String()},
		{"archive verify KEPT --trust " + anchorOf(made, 22), exitUsage, "checkpoint block 22 is not in the archive. Take one of blocks 5 to 20"},
		{"block 7 --gateway demo --trust " + anchorOf(made, 20), exitUsage, "fees archive record --proofs"},
		{"block 7 --gateway KEPT --trust " + strings.Replace(anchorOf(made, 19), "19:", "20:", 1), exitLedger, "block 20: header"},
		{"block 4 --gateway KEPT", exitLedger, "not stored: the archive contains blocks 5 to 20"},
		{"block 21 --gateway KEPT", exitLedger, "not stored: the archive contains blocks 5 to 20"},
	} {
		args := strings.Fields(strings.NewReplacer("ELSEWHERE", elsewhere, "KEPT", kept, "HTTP", http, "PLAIN", plain.URL, "DEMO", t.TempDir()).Replace(c.args))
		stdout, stderr, code := fees(args...)
		require.Equal(t, c.code, code, "%v: %s", args, stderr)
		require.Empty(t, stdout, args)
		require.Contains(t, stderr, c.says, args)
	}
}
