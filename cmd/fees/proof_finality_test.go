package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/finalitytest"
	"github.com/feeledger/fees/internal/test/repository"
)

// provedFinal is the JSON of fees proof finality.
type provedFinal struct {
	Final  *bool
	Chain  []struct{ Kind, Text string }
	Sets   []string
	Target string
	Number uint64
	Head   *struct {
		Para   uint32
		Number uint64
		Hash   string
	}
	State *struct {
		Number     uint64
		Key, Value string
	}
	Reason *string
}

func proofFinality(t *testing.T, code int, args ...string) (r provedFinal, stderr string) {
	t.Helper()
	stdout, stderr, have := fees(append([]string{"proof", "finality", "--json"}, args...)...)
	require.Equal(t, code, have, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.NotNil(t, r.Final)
	return r, stderr
}

// Each real chain of evidence is proved by one command.
func TestProofFinalityOfRealChains(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct {
		sets   []string
		number uint64
		head   uint64
		links  int
	}{
		"rococo-1843864-para-2090.json":   {[]string{"3165"}, 1_843_864, 785_028, 6},
		"rococo-1855295-para-2090.json":   {[]string{"3184"}, 1_855_295, 789_582, 5},
		"rococo-hop-1238286-1238699.json": {[]string{"2149", "2150"}, 1_238_699, 0, 4},
	} {
		path := repository.Shared(t, "finality", file)
		r, stderr := proofFinality(t, exitOK, path)
		require.Empty(t, stderr)
		require.True(t, *r.Final, file)
		require.Equal(t, want.sets, r.Sets)
		require.Equal(t, want.number, r.Number)
		require.Len(t, r.Chain, want.links)
		require.Nil(t, r.Reason)
		if want.head > 0 {
			require.Equal(t, want.head, r.Head.Number)
		}

		// Another set ID is refused, and named.
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		changed := filepath.Join(t.TempDir(), "changed.json")
		require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), `"`+want.sets[0]+`"`, `"7"`, 1)), 0o600))
		r, stderr = proofFinality(t, exitFinding, changed)
		require.False(t, *r.Final)
		require.Contains(t, *r.Reason, "not proved final by set 7: the signature by 0x")
		require.Contains(t, stderr, *r.Reason)
	}
}

// Evidence is proved from its root, from a set in another file, and from a trusted block.
func TestProofFinality(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, content any) string {
		text, err := json.Marshal(content)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		return filepath.Join(dir, name)
	}
	e := finalitytest.Make()
	set, file := write("set.json", e.Root), write("evidence.json", e)
	r, _ := proofFinality(t, exitOK, file)
	require.True(t, *r.Final)
	require.Equal(t, []string{"5", "6", "7"}, r.Sets)
	require.EqualValues(t, 2004, r.Head.Para)
	require.Equal(t, finalitytest.Hex(finalitytest.Events), r.State.Value)
	stdout, _, code := fees("proof", "finality", file)
	require.Equal(t, exitOK, code)
	require.True(t, strings.HasPrefix(stdout, "final        proved\nblock        303\n"), stdout)
	require.Contains(t, stdout, "value        "+finalitytest.Hex(finalitytest.Events)+"\n")
	for i, link := range r.Chain {
		require.Contains(t, stdout, fmt.Sprintf("\n%d  %s\n", i+1, link.Text))
	}

	e.Root = nil
	file = write("without-root.json", e)
	failed, _ := proofFinality(t, exitFinding, file)
	require.Contains(t, *failed.Reason, "root is missing")
	r, _ = proofFinality(t, exitOK, file, "--trust-set", set)
	require.True(t, *r.Final)
	trusted, _ := proofFinality(t, exitOK, file, "--trust", "303:"+r.Target)
	require.False(t, *trusted.Final, "no signature was checked")
	require.Empty(t, trusted.Sets)
	require.Equal(t, r.State, trusted.State)
	require.Equal(t, "trusted", trusted.Chain[0].Kind)
	stdout, _, code = fees("proof", "finality", file, "--trust", "303:"+r.Target)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "final        not proved: the block is trusted (--trust)\n")

	stdout, _, code = fees("proof", "finality", set)
	require.Equal(t, exitFinding, code)
	require.Equal(t, "final  not proved: root is missing: the evidence names no trusted set of validators\n", stdout)
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	proofFinality(t, exitFinding, file)
	for want, args := range map[string][]string{
		"does not exist":                                  {filepath.Join(dir, "none.json")},
		"--trust: block \"7\": want HEIGHT:HASH":          {set, "--trust", "7"},
		"--trust-set " + file:                             {set, "--trust-set", file},
		"if any flags in the group [trust-set trust] are": {set, "--trust-set", file, "--trust", "7"},
	} {
		_, stderr, code := fees(append([]string{"proof", "finality"}, args...)...)
		require.Equal(t, exitUsage, code, stderr)
		require.Contains(t, stderr, want)
	}
}
