package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
)

// The files in the program equal the output of go generate, to the byte.
func TestMadeAgain(t *testing.T) {
	directory := t.TempDir()
	require.NoError(t, write(t.Context(), directory))
	made := map[string]string{"README.txt": "", "prices.csv": "", "chart.csv": "", "koinly.csv": ""} // written by hand
	require.NoError(t, fs.WalkDir(os.DirFS(directory), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(directory, path))
		require.NoError(t, err)
		made[path] = string(text)
		return nil
	}))
	bytes := 0
	require.NoError(t, fs.WalkDir(monthend.Files(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(monthend.Files(), path)
		require.NoError(t, err)
		bytes += len(text)
		want, known := made[path]
		require.True(t, known, "%s: nobody makes it", path)
		if want != "" && want != string(text) {
			t.Errorf("%s is not what is made now: run go generate ./archive/demo/monthend", path)
		}
		delete(made, path)
		return nil
	}))
	require.Empty(t, made, "they are not in the program: run go generate ./archive/demo/monthend")
	require.Less(t, bytes, 600_000, "all of it is in the program")
}

// A missing response is an error, and so is an unwritable directory.
func TestNotMade(t *testing.T) {
	_, err := gatewayAnswers{made()}.Get(t.Context(), "/blocks/49")
	require.ErrorContains(t, err, "/blocks/49: 500: ")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, write(context.Background(), file))
}

// Two different digits are swapped, after the first two decimals.
func TestTransposed(t *testing.T) {
	require.Equal(t, "0.017564397713674274", transposed("0.015764397713674274"))
	require.Equal(t, "0.001011", transposed("0.001101"))
	require.Equal(t, "0.11", transposed("0.11"))
	require.Equal(t, "0.1111", transposed("0.1111"))
}
