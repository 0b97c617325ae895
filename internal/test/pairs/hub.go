package pairs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// HubTables returns the built-in tables with that of stack-template-3.
func HubTables(t testing.TB) network.Tables {
	t.Helper()
	path := repository.Path("testdata", "networks", "stack-template-3.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	tables, err := network.BuiltIn().With(path, text)
	require.NoError(t, err)
	return tables
}

// HubRules returns the rules of a chain with pallet revive: passet-1019002 or stack-template-3.
func HubRules(t testing.TB, name string) network.Rules {
	t.Helper()
	of, runtime := "stack-template", uint32(3)
	if name == "passet-1019002" {
		of, runtime = "passet-hub", 1019002
	}
	n, known := HubTables(t).Named(of)
	require.True(t, known)
	rules, err := n.Rules(runtime)
	require.NoError(t, err)
	return rules
}

// HubMonth returns a recorded chain with pallet revive whose January is complete: its last block is repeated as the first of
// February.
func HubMonth(t testing.TB) string {
	const last, next, first = "37", "38", "1769904000000" // 2026-02-01
	recorded, dir := Path(t, "stack-template-3", "gateway"), t.TempDir()
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
