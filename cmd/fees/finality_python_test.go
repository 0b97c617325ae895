package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/finalitytest"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/repository"
)

// The auditor's Python script, with OpenSSL's ed25519, agrees with fees on made-up and real evidence.
func TestFinalityByPython(t *testing.T) {
	t.Parallel()
	python := program.Path(t, program.Python, "python3")
	if _, err := exec.LookPath("openssl"); err != nil {
		program.Missing(t, program.Python, "openssl is not installed")
	}
	check := func(path string) (string, error) {
		out, err := exec.CommandContext(t.Context(), python, "../../docs/verify_finality.py", path).CombinedOutput()
		return string(out), err
	}
	dir := t.TempDir()
	write := func(e *finalitytest.Evidence) string {
		text, err := json.Marshal(e)
		require.NoError(t, err)
		path := filepath.Join(dir, "evidence.json")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	e := finalitytest.Make()
	path := write(e)
	said, err := check(path)
	require.NoError(t, err, said)
	r, _ := proofFinality(t, exitOK, path)
	require.Contains(t, said, "block 303 "+r.Target+": final by set 7, weight 3 of 3\n")
	require.Contains(t, r.Chain[0].Text, said[len("set 5: 7 validators, list "):len("set 5: 7 validators, list ")+66])

	e.Root.SetID = "6"
	said, err = check(write(e))
	require.Error(t, err)
	require.Equal(t, "set 6: 7 validators, list 0x", said[:28])
	require.Contains(t, said, "not final: a signature is wrong")
	e.Root.SetID, e.Steps = "5", e.Steps[1:]
	said, err = check(write(e))
	require.Error(t, err)
	require.Contains(t, said, "not final: a voter is not in the set")

	for _, file := range []string{"rococo-1843864-para-2090.json", "rococo-1855295-para-2090.json", "rococo-hop-1238286-1238699.json"} {
		path := repository.Shared(t, "finality", file)
		said, err := check(path)
		require.NoError(t, err, said)
		r, _ := proofFinality(t, exitOK, path)
		require.Contains(t, said, r.Target+": final by set "+r.Sets[len(r.Sets)-1])
	}
}
