package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
)

// A call misread by a gateway is a failed check, and a block that it cannot decode is an error with its reply. Both
// have a remedy.
func TestMisreadCall(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.CopyFS(directory, os.DirFS(filepath.Join(recordings(t), "moonbeam-2100"))))
	file := filepath.Join(directory, "blocks/25.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	native := regexp.MustCompile(`"pallet":"balances","method":"transfer[A-Za-z]*"`)
	require.Regexp(t, native, string(text))
	require.NoError(t, os.WriteFile(file, native.ReplaceAll(text, []byte(`"pallet":"system","method":"setStorage"`)), 0o600))
	refused := `{"code":500,"message":"createType(SignedBlock):: Struct: failed on block","stack":"Error","level":"error"}`
	require.NoError(t, os.WriteFile(filepath.Join(directory, "blocks/26.json"), []byte(refused), 0o600))
	kept, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	served := httptest.NewServer(answers.Handler(kept))
	t.Cleanup(served.Close)
	for _, gateway := range []string{directory, served.URL} {
		out, _, code := fees("block", "25", "--gateway", gateway)
		require.Equal(t, exitFinding, code)
		require.Contains(t, out, "native.call: a signer cannot call system.setStorage, but the extrinsic did not fail with BadOrigin")
		require.Contains(t, out, "types bundle")
		_, stderr, code := fees("block", "26", "--gateway", gateway)
		require.Equal(t, exitGateway, code, stderr)
		require.Contains(t, stderr, "createType(SignedBlock)")
		require.Contains(t, stderr, "SAS_SUBSTRATE_TYPES_BUNDLE")
		require.Contains(t, stderr, "--gateway ws://HOST")
		require.NotContains(t, stderr, "damaged")
	}
}
