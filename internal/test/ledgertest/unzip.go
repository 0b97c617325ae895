package ledgertest

import (
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Unzip makes a file of a ledger that is kept compressed.
func Unzip(t testing.TB, packed, to string) {
	t.Helper()
	file, err := os.Open(packed)
	require.NoError(t, err)
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(unzip)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, text, 0o600))
}
