package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadme requires the README's transcript to match the program's output, and the Go code in
// docs/embedding.md to match examples that are run.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	transcripts := 0
	for i, lines := 0, strings.Split(string(text), "\n"); i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ fees ")
		if !ok {
			continue
		}
		var want strings.Builder
		for i++; i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "    ")); i++ {
			want.WriteString(strings.TrimPrefix(lines[i], "    ") + "\n")
		}
		t.Setenv("COLUMNS", "80")
		var out strings.Builder
		code := run(t.Context(), strings.Fields(command), &out, &out)
		require.Equal(t, exitOK, code)
		require.Equal(t, strings.TrimRight(want.String(), "\n"), strings.TrimRight(out.String(), "\n"), "fees %s", command)
		transcripts++
	}
	require.Equal(t, 1, transcripts)
	require.LessOrEqual(t, len(strings.Fields(string(text))), 850, "words of the README")

	var examples strings.Builder
	example, err := os.ReadFile("../../example_test.go")
	require.NoError(t, err)
	examples.Write(example)
	embedding, err := os.ReadFile("../../docs/embedding.md")
	require.NoError(t, err)
	blocks := strings.Split(string(embedding), "```go\n")[1:]
	require.Len(t, blocks, 3)
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		code = strings.TrimSpace(code)
		if !strings.HasPrefix(code, "func ") { // it is the body of one
			code = "\t" + strings.ReplaceAll(code, "\n", "\n\t")
		}
		require.Contains(t, examples.String(), code, "the examples have it otherwise")
	}
}
