package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
)

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
