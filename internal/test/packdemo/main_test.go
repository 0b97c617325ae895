package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The file in the program has the content that go generate would write. (The bytes may differ with another
// version of Go's compressor.)
func TestPacked(t *testing.T) {
	want, err := pack("../../../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	have, err := os.ReadFile("../../archive/demo/recordings.zip.gz")
	require.NoError(t, err)
	require.Equal(t, unpack(t, want), unpack(t, have), "run go generate ./archive/demo")
}

func unpack(t *testing.T, packed []byte) map[string]string {
	compressed, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	whole, err := io.ReadAll(compressed)
	require.NoError(t, err)
	r, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range r.File {
		content, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		files[f.Name] = string(text)
	}
	require.Greater(t, len(files), 500)
	return files
}
