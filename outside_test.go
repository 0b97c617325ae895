package fees_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The public packages are of use outside the module: their examples compile in another one, and the first runs.
func TestExamplesOutsideTheModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the packages once more")
	}
	root, err := os.Getwd()
	require.NoError(t, err)
	dir := t.TempDir()
	examples, err := filepath.Glob("*/example_test.go")
	require.NoError(t, err)
	deeper, err := filepath.Glob("*/*/example_test.go")
	require.NoError(t, err)
	count := 0
	for _, path := range append(append(examples, deeper...), "example_test.go") {
		if strings.HasPrefix(path, "internal"+string(filepath.Separator)) {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), text, 0o666))
		count++
	}
	require.Equal(t, 12, count)
	module := "module example.org/outside\n\ngo 1.26\n\nrequire github.com/feeledger/fees v0.0.0\n\nreplace github.com/feeledger/fees => " + root + "\n"
	text, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	_, requirements, found := strings.Cut(string(text), "\nrequire ")
	require.True(t, found)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module+"\nrequire "+requirements), 0o666))
	sums, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
	for _, arguments := range [][]string{{"vet", "-printf=true", "./..."}, {"test", "."}} {
		c := exec.CommandContext(t.Context(), "go", arguments...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOPROXY=off", "GOWORK=off")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}
