package contracts

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamples requires of each public package an external example with checked output, and a package
// comment.
func TestExamples(t *testing.T) {
	unchecked := map[string]string{"queue": "it needs a PostgreSQL server"}
	for _, path := range public(t) {
		shown, checked := examples(t, path)
		require.Positive(t, shown, "package %s has no example in package %s_test", path, filepath.Base(path))
		_, needs := unchecked[path]
		require.Equal(t, needs, checked == 0, "package %s needs an example with checked output, unless listed here", path)
		require.Equal(t, 1, described(t, path), "package %s needs one file with a comment that starts with Package %s", path, filepath.Base(path))
	}
}

// examples counts the examples of a package, and those with checked output.
func examples(t *testing.T, path string) (shown, checked int) {
	files, err := filepath.Glob(filepath.Join("../../..", path, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !bytes.Contains(text, []byte("\nfunc Example")) {
			continue // the others need not be parsed
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
		require.NoError(t, err)
		if f.Name.Name != filepath.Base(path)+"_test" {
			continue
		}
		for _, e := range doc.Examples(f) {
			require.NotNil(t, e.Play, "%s: Example%s is shown by itself, and needs what another file has", file, e.Name)
			shown++
			if e.Output != "" {
				checked++
			}
		}
	}
	return shown, checked
}

// described counts the files with a package comment.
func described(t *testing.T, path string) (count int) {
	for _, file := range sources(t, path) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		require.NoError(t, err)
		if says := f.Doc.Text(); strings.HasPrefix(says, "Package "+f.Name.Name+" ") {
			count++
		}
	}
	return count
}
