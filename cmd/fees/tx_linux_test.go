package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/rpcserver"
)

// The ecosystem's public development phrase and the key of its first account.
const (
	devPhrase = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
	devKey    = "5fb92d6e98884f76de468fa3f6278f8807c48bebc13595d45af5bdc4da702133"
	devSigner = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
)

// toldBy runs the program and returns its complete output.
func toldBy(t *testing.T, want int, args ...string) string {
	stdout, stderr, code := fees(args...)
	require.Equal(t, want, code, "%v: %s", args, stderr)
	return stdout + stderr
}

// A draft is built, and signed offline with each kind of key. No key appears in the output, in files, or in the
// system's data on the process.
func TestSignWithoutLeaks(t *testing.T) {
	made := chaingen.New(chaingen.Options{Seed: 19, Head: 30})
	node := made.Node()
	node.Methods["system_accountNextIndex"] = rpcserver.Method(func([]json.RawMessage) ([]byte, error) { return []byte("7"), nil })
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	directory := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(directory, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	draft := filepath.Join(directory, "draft.json")
	build := []string{"tx", "build", "balances.transferKeepAlive", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0", "1.5GLMR", "--signer", devSigner, "-o", draft, "--node", server.URL}
	told := toldBy(t, exitUsage, build...) // no table has the chain
	require.Contains(t, told, "--symbol and --decimals")
	told += toldBy(t, exitOK, append(build, "--symbol", "GLMR", "--decimals", "18")...)
	t.Setenv("FEES_NODE", "http://127.0.0.1:1") // from here on nothing is asked

	key, phrase := file("key", devKey+"\n"), file("phrase", devPhrase+"\n")
	signedByKey, signedByPhrase := filepath.Join(directory, "a.json"), filepath.Join(directory, "b.json")
	sign := func(want int, more ...string) string {
		text := toldBy(t, want, append([]string{"tx", "sign", draft, "--yes", "--trust-draft-metadata", "--symbol", "GLMR", "--decimals", "18", "--genesis", made.Hash(0).String()}, more...)...)
		told += text
		return text
	}
	require.Contains(t, toldBy(t, exitUsage, "tx", "sign", draft, "--yes", "--key", key), "--genesis "+made.Hash(0).String())
	require.Contains(t, toldBy(t, exitUsage, "tx", "sign", draft, "--yes", "--key", key, "--genesis", made.Hash(0).String()), "--metadata FILE")
	shown := sign(exitOK, "--key", key, "--output", signedByKey)
	for _, line := range []string{
		"chain +not in any table; as stated by you .genesis " + made.Hash(0).String(), "call +balances.transferKeepAlive", "value +1.5 GLMR = 1500000000000000000 wei", "valid +from block 30 to 93 ",
		"metadata +UNVERIFIED", "nonce +7",
	} {
		require.Regexp(t, "(?m)^ *"+line, shown)
	}
	sign(exitOK, "--mnemonic", phrase, "--out", signedByPhrase)
	a, err := os.ReadFile(signedByKey)
	require.NoError(t, err)
	b, err := os.ReadFile(signedByPhrase)
	require.NoError(t, err)
	require.Equal(t, a, b)

	// Mistakes.
	sign(exitUsage, "--mnemonic", phrase, "--index", "1") // another account's
	sign(exitUsage, "--key", phrase)
	sign(exitUsage, "--mnemonic", key)
	sign(exitUsage, "--key", devKey) // not a file, and must not be shown
	sign(exitUsage, "--keystore", key, "--password", phrase)
	sign(exitUsage)
	sign(exitUsage, "--key", key, "--mnemonic", phrase)
	require.NoError(t, os.Chmod(key, 0o644))
	sign(exitUsage, "--key", key)
	require.Contains(t, told, "chmod 600")
	d, err := os.ReadFile(draft)
	require.NoError(t, err)
	for _, secret := range []string{devKey, strings.ToUpper(devKey), devKey[:16], "curtain smoke", "lonely fit walk"} {
		require.NotContains(t, told, secret)
		require.NotContains(t, string(a), secret)
		require.NotContains(t, string(d), secret)
	}
}

// The system's data on a waiting process does not contain the phrase that it read.
func TestSecretIsNotInTheProcessList(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	draft, phrase := filepath.Join(directory, "draft.json"), filepath.Join(directory, "phrase")
	require.NoError(t, os.WriteFile(phrase, []byte(devPhrase), 0o600))
	text, err := json.Marshal(map[string]any{"signer": devSigner, "evm": map[string]any{
		"type": "legacy", "chain_id": 1284, "nonce": "0", "gas_price": "1", "max_fee_per_gas": nil, "max_priority_fee_per_gas": nil,
		"gas_limit": 21000, "to": devSigner, "value": "1", "input": "0x", "access_list": []any{},
	}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(draft, text, 0o600))
	pipe := filepath.Join(directory, "signed")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	c := start(t, "tx", "sign", draft, "--yes", "--mnemonic", phrase, "--out", pipe)
	time.Sleep(300 * time.Millisecond) // it signs in a few, and then waits for a reader
	for _, name := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.Process.Pid, name))
		require.NoError(t, err)
		require.NotEmpty(t, text)
		require.NotContains(t, string(text), "bottom drive")
		require.NotContains(t, string(text), devKey)
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", c.Process.Pid))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^Max core file size +0 +0 `, string(limits), "no core file has it")
	signed, err := os.ReadFile(pipe)
	require.NoError(t, err)
	c.ends(t, exitOK)
	told := c.stderr.String() + c.stdout.String()
	require.Contains(t, string(signed), `"layer": "evm"`)
	require.NotContains(t, told+string(signed), "bottom drive")
}
