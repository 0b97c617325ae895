package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/tier"
)

// omission is a change of a block's extrinsics with the check that finds it.
type omission struct {
	height    int
	change    func([]any) []any
	extrinsic string // that the finding names, "" for the block
	check     string
}

// The extrinsics of block 5 are three inherents and EVM transactions, those of block 7 four
// inherents and four native transactions.
var omissions = map[string]omission{
	"an EVM transaction left out":   {5, func(all []any) []any { return slices.Delete(all, 5, 6) }, ", extrinsic 5", "block.digest"},
	"an EVM transaction doubled":    {5, func(all []any) []any { return slices.Insert(all, 5, all[5]) }, ", extrinsic 6", "extrinsic.once"},
	"EVM transactions swapped":      {5, func(all []any) []any { all[5], all[6] = all[6], all[5]; return all }, ", extrinsic 5", "block.digest"},
	"the last native left out":      {7, func(all []any) []any { return all[:len(all)-1] }, "", "block.multiplier"},
	"all natives left out":          {7, func(all []any) []any { return all[:len(all)-4] }, "", "block.multiplier"},
	"all extrinsics left out":       {7, func([]any) []any { return []any{} }, "", "block.inherents"},
	"all inherents left out":        {7, func(all []any) []any { return all[len(all)-4:] }, "", "block.inherents"},
	"the block's time left out":     {7, func(all []any) []any { return slices.DeleteFunc(all, setsTime) }, "", "block.inherents"},
	"the block's time set twice":    {7, func(all []any) []any { i := slices.IndexFunc(all, setsTime); return slices.Insert(all, i, all[i]) }, "", "block.inherents"},
	"only the inherents left of it": {5, func(all []any) []any { return all[:4] }, "", "block.digest"},
}

func setsTime(x any) bool { return strings.Contains(fmt.Sprint(x), "now:") }

// omitted returns a changed response of the recorded gateway for a block.
func omitted(t *testing.T, directory string, o omission) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(directory, "blocks", fmt.Sprintf("%d.json", o.height)))
	require.NoError(t, err)
	var block map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &block))
	var all []any
	require.NoError(t, json.Unmarshal(block["extrinsics"], &all))
	block["extrinsics"], err = json.Marshal(o.change(all))
	require.NoError(t, err)
	text, err = json.Marshal(block)
	require.NoError(t, err)
	return text
}

// A block with missing, duplicate or swapped extrinsics fails: in a range, on its own, and when watched.
func TestOmissionsAreFound(t *testing.T) {
	t.Parallel()
	for what, o := range omissions {
		if !tier.Takes(what) {
			continue
		}
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			require.NoError(t, os.CopyFS(directory, os.DirFS(recorded(t))))
			height := fmt.Sprint(o.height)
			require.NoError(t, os.WriteFile(filepath.Join(directory, "blocks", height+".json"), omitted(t, directory, o), 0o600))

			stdout, stderr, code := fees("verify", height+".."+height, "--gateway", directory)
			require.Equal(t, exitFinding, code, stderr)
			require.Contains(t, stdout, fmt.Sprintf("block %d%s: %s", o.height, o.extrinsic, o.check))
			stdout, stderr, code = fees("block", height, "--gateway", directory)
			require.Equal(t, exitFinding, code, stderr)
			require.Contains(t, stdout, o.check+": ")
			_, stderr, code = fees("watch", "--from", height, "--gateway", directory)
			require.Equal(t, exitFinding, code, stderr)
			require.Contains(t, stderr, o.check)
		})
	}
}

// Comparing one block with its parent needs two requests, sent concurrently. If one fails for any reason, the
// output notes what was not compared.
func TestBlockBesideItsParent(t *testing.T) {
	t.Parallel()
	const multiplier = "/pallets/transaction-payment/storage/nextFeeMultiplier?at="
	answers := map[string]http.HandlerFunc{
		"not found": http.NotFound,
		"a failure": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"code":500,"message":"Unable to retrieve","level":"error"}`, http.StatusInternalServerError)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`<html>`)) },
		"another block's": func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"at":{"height":"25","hash":"0x` + strings.Repeat("12", 32) + `"},"value":"1"}`))
		},
	}
	well := gatewaytest.Handler(recorded(t))
	ask := func(t *testing.T, bad string, answer http.HandlerFunc) (stdout string, requests []string) {
		var mu sync.Mutex
		gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			requests = append(requests, r.URL.RequestURI())
			mu.Unlock()
			if bad != "" && strings.HasPrefix(r.URL.RequestURI(), bad) {
				answer(w, r)
				return
			}
			well.ServeHTTP(w, r)
		}))
		defer gateway.Close()
		stdout, stderr, code := fees("block", "25", "--gateway", gateway.URL, "--timeout", "2s", "--quiet")
		require.Equal(t, exitOK, code, stderr)
		return strings.Join(strings.Fields(stdout), " "), requests
	}
	stdout, requests := ask(t, "", nil)
	require.NotContains(t, stdout, "note:")
	extra := 0
	for _, r := range requests {
		if strings.HasPrefix(r, "/blocks/24") || r == multiplier+"25" {
			extra++
		}
	}
	require.Equal(t, 2, extra, "%v", requests)
	for name, answer := range answers {
		for bad, check := range map[string]string{multiplier + "25": "block.multiplier", "/blocks/24": "block.parent, block.time"} {
			t.Run(name+" for "+check, func(t *testing.T) {
				t.Parallel()
				stdout, _ := ask(t, bad, answer)
				require.Contains(t, stdout, "note: not compared: "+check+": ")
				require.Contains(t, stdout, "5 of 5 fees match what the chain charged")
			})
		}
	}
}
