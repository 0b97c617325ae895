package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

// hubMonth returns a recorded chain with pallet revive whose January is complete: its last block is repeated as the first of
// February.
func hubMonth(t testing.TB) string {
	const last, next, first = "37", "38", "1769904000000" // 2026-02-01
	recorded, dir := pairs.Path(t, "stack-template-3", "gateway"), t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(recorded)))
	hash := "0x" + strings.Repeat(next, 32)
	read := func(path ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{recorded}, path...)...))
		require.NoError(t, err)
		return string(text)
	}
	write := func(text string, path ...string) {
		place := filepath.Join(append([]string{dir}, path...)...)
		require.NoError(t, os.RemoveAll(place))
		require.NoError(t, os.WriteFile(place, []byte(text), 0o600))
	}
	block := read("blocks", last+".json")
	value := func(key string) string {
		_, rest, found := strings.Cut(block, `"`+key+`":"`)
		require.True(t, found, key)
		text, _, _ := strings.Cut(rest, `"`)
		return text
	}
	old := value("hash")
	of := strings.NewReplacer(`"number":"`+last+`"`, `"number":"`+next+`"`, `"height":"`+last+`"`, `"height":"`+next+`"`, old, hash, value("parentHash"), old, value("now"), first)
	for _, path := range []string{"blocks", "headers", "multiplier", "block-weight", "runtime-spec"} {
		write(of.Replace(read(path, last+".json")), path, next+".json")
	}
	write(of.Replace(block), "head.json")
	write(of.Replace(read("head-header.json")), "head-header.json")
	accounts, err := os.ReadDir(filepath.Join(recorded, "balance-info"))
	require.NoError(t, err)
	for _, a := range accounts {
		write(of.Replace(read("balance-info", a.Name(), last+".json")), "balance-info", a.Name(), next+".json")
	}
	return dir
}

// A runtime without an EVM has no columns of gas.
func TestBlockWithoutAnEVM(t *testing.T) {
	text, err := os.ReadFile(repository.Path("testdata", "networks", "stack-template-3.json"))
	require.NoError(t, err)
	row := regexp.MustCompile(`(?s)"evm": "revive".*?"gas_scale": 50000,`)
	require.Len(t, row.FindAllString(string(text), -1), 1)
	table := filepath.Join(t.TempDir(), "none.json")
	require.NoError(t, os.WriteFile(table, row.ReplaceAll(text, []byte(`"evm": "none",`)), 0o600))
	out, stderr, code := fees("block", "19", "--gateway", pairs.Path(t, "stack-template-3", "gateway"), "--network-file", table)
	require.Zero(t, code, stderr)
	require.Contains(t, out, "base fee    none: the runtime has no EVM\n")
	require.Regexp(t, `(?m)^# +layer +type +hash +payer +fee UNIT +outcome +proof$`, out)
	require.Contains(t, out, "4 of 4 fees match what the chain charged\n")
	require.NotContains(t, out, "Gwei")
}
