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

	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// On runtime 2600 the multiplier depends on the recorded block weight. An archive keeps the weight and proves
// as much as the gateway: everything except block 0, which has no parent.
func TestArchivesProveTheMultiplier(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		recorded string
		last     int
	}{
		"five blocks": {fiveBlocks(t), 4},
		"the chain":   {pairs.Path(t, "moonbeam-2600", "gateway"), 27},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := httptest.NewServer(gatewaytest.Handler(c.recorded))
			t.Cleanup(gateway.Close)
			blocks := fmt.Sprintf("0..%d", c.last)
			want := checksOf(t, blocks, gateway.URL)
			require.Equal(t, tallied{Held: c.last, NotMade: 1}, want["block.multiplier"])
			require.Equal(t, tallied{Held: c.last + 1}, want["block.weight"])
			require.Equal(t, tallied{Held: c.last + 1}, want["block.weighed"])
			for _, flag := range []string{"--quiet", "--segments"} {
				directory := filepath.Join(t.TempDir(), "kept")
				_, stderr, code := fees("archive", "record", blocks, "-o", directory, "--gateway", gateway.URL, flag)
				require.Equal(t, exitOK, code, stderr)
				_, stderr, code = fees("archive", "verify", directory)
				require.Equal(t, exitOK, code, stderr)
				require.Equal(t, want, checksOf(t, blocks, directory))
			}
		})
	}
}

// A changed weight is reported as damage, not as missing.
func TestVerifyNamesADamagedWeight(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(gatewaytest.Handler(fiveBlocks(t)))
	t.Cleanup(gateway.Close)
	directory := filepath.Join(t.TempDir(), "kept")
	_, stderr, code := fees("archive", "record", "0..4", "-o", directory, "--gateway", gateway.URL)
	require.Equal(t, exitOK, code, stderr)
	file := filepath.Join(directory, "block-weight", "3.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "2100000000", "2100000001", 1)), 0o644))
	stdout, stderr, code := fees("verify", "0..4", "--gateway", directory)
	require.NotEqual(t, exitOK, code)
	require.Contains(t, stdout+stderr, "block-weight/3.json: the archive is damaged")
}

// tallied counts the results of a check.
type tallied struct {
	Held    int `json:"held"`
	Broken  int `json:"broken"`
	NotMade int `json:"not_applicable"`
}

// checksOf returns the checks in the last line of fees verify.
func checksOf(t *testing.T, blocks, gateway string) map[string]tallied {
	stdout, stderr, _ := fees("verify", blocks, "--gateway", gateway, "--format", "json", "--quiet")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var last struct {
		Summary struct {
			Checks []struct {
				ID string `json:"id"`
				tallied
			} `json:"checks"`
		} `json:"summary"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last), "%s%s", stdout, stderr)
	checks := map[string]tallied{}
	for _, c := range last.Summary.Checks {
		checks[c.ID] = c.tallied
	}
	return checks
}

// fiveBlocks returns the first blocks of a recorded chain of runtime 2600, with headers generated from them.
func fiveBlocks(t *testing.T) string {
	directory := t.TempDir()
	require.NoError(t, os.CopyFS(directory, os.DirFS(filepath.Join("..", "..", "fee", "evidence", "testdata", "moonbeam-2600"))))
	put := func(path string, value any) {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		path = filepath.Join(directory, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, text, 0o644))
	}
	for height := range 5 {
		text, err := os.ReadFile(filepath.Join(directory, "blocks", fmt.Sprint(height)+".json"))
		require.NoError(t, err)
		var block map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &block))
		header := map[string]json.RawMessage{}
		for _, name := range []string{"number", "parentHash", "stateRoot", "extrinsicsRoot"} {
			header[name] = block[name]
		}
		put(fmt.Sprintf("headers/%d.json", height), header)
	}
	put("runtime-spec.json", map[string]any{"at": map[string]string{"height": "4"}, "specName": "moonbeam", "specVersion": "2600"})
	return directory
}
