package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One account's statement is a JSON object; several are JSON lines of the same objects.
func TestStatementsAsJSON(t *testing.T) {
	t.Parallel()
	const alith, baltathar = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	labels := listFile(t, alith+`,"Hot ""wallet"" \  one"`+"\n")
	statements := func(accounts ...string) string {
		var out, problems strings.Builder
		args := append([]string{"statement"}, accounts...)
		args = append(args, "20..25", "--gateway", filepath.Join(recordings(t), "moonbeam-2100"), "--labels", labels, "--format", "json", "--no-balances", "--quiet")
		require.Equal(t, exitOK, run(t.Context(), args, &out, &problems), problems.String())
		return out.String()
	}
	both := statements(alith, baltathar)
	lines := strings.Split(strings.TrimSuffix(both, "\n"), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"label":"Hot \"wallet\" \\  one",`)
	for i, account := range []string{alith, baltathar} {
		one := statements(account)
		require.Contains(t, one, "\n  \"account\": \""+account+"\",\n")
		require.JSONEq(t, one, lines[i])
		require.NotContains(t, lines[i], `": `)
	}
}
