package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The file in the program has what go generate would put there. (Its bytes may
// differ where another version of Go compresses otherwise.)
func TestPacked(t *testing.T) {
	want, err := pack("../../../../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	have, err := os.ReadFile("../../recordings.zip")
	require.NoError(t, err)
	require.Equal(t, unpack(t, want), unpack(t, have), "run go generate ./archive/demo")
}

func unpack(t *testing.T, packed []byte) map[string]string {
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range r.File {
		content, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		files[f.Name] = string(text)
	}
	require.Greater(t, len(files), 80)
	return files
}
