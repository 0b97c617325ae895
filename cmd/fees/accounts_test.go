package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// listFile writes a file of accounts and returns its path.
func listFile(t testing.TB, text string) string {
	path := filepath.Join(t.TempDir(), "accounts.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
