package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A block from which a transaction is left out, in which one is twice, or in which two are
// swapped, does not pass.
func TestVerifyFindsOmissions(t *testing.T) {
	recorded := filepath.Join("..", "..", "testdata", "recordings", "moonbeam-2100")
	for what, c := range map[string]struct {
		change func([]any) []any
		found  string
	}{
		"left out": {func(all []any) []any { return slices.Delete(all, 5, 6) }, "block.digest"},
		"doubled":  {func(all []any) []any { return slices.Insert(all, 5, all[5]) }, "extrinsic.once"},
		"swapped":  {func(all []any) []any { all[5], all[6] = all[6], all[5]; return all }, "block.digest"},
	} {
		directory := t.TempDir()
		require.NoError(t, os.CopyFS(directory, os.DirFS(recorded)))
		path := filepath.Join(directory, "blocks", "5.json")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var block map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &block))
		var all []any
		require.NoError(t, json.Unmarshal(block["extrinsics"], &all))
		block["extrinsics"], err = json.Marshal(c.change(all))
		require.NoError(t, err)
		text, err = json.Marshal(block)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text, 0o600))

		stdout, stderr, code := ran("verify", "5..5", "--gateway", directory)
		require.Equal(t, exitFinding, code, "%s: %s", what, stderr)
		require.Contains(t, stdout, fmt.Sprintf("block 5, extrinsic %d: %s", map[string]int{"left out": 5, "doubled": 6, "swapped": 5}[what], c.found), what)
	}
}
