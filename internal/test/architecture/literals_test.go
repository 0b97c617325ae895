package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/network"
)

// TestNoNetworkInTheCode requires everything particular to a network to be in the tables of package network:
// no other literal may contain a network's name, token or treasury, or the weight of one gas. Multi-line help
// texts may use a network as an example; so may tests, and the code that generates blocks for tests and
// benchmarks.
func TestNoNetworkInTheCode(t *testing.T) {
	names, symbols := map[string]bool{"25000": true}, map[string]bool{}
	for _, n := range network.BuiltIn().All() {
		for _, name := range []string{n.Name, n.SpecName, n.Chain} {
			names[strings.ToLower(name)] = true
		}
		if n.Treasury != nil {
			names[strings.ToLower(n.Treasury.String())] = true
		}
		symbols[n.Symbol] = true
	}
	delete(names, "")
	particular := func(word string) bool { return names[strings.ToLower(word)] || symbols[word] }
	exempt := []string{"network", filepath.Join("internal", "test"), filepath.Join("internal", "bench")}
	looked := 0
	top := filepath.Join("..", "..", "..")
	err := fs.WalkDir(os.DirFS(top), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for _, folder := range exempt {
			if strings.HasPrefix(path, folder+string(filepath.Separator)) {
				return nil
			}
		}
		looked++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join(top, path), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok {
				return true
			}
			for _, word := range words(t, literal) {
				if particular(word) {
					t.Errorf("%v: %q belongs into a table of package network", files.Position(n.Pos()), word)
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, looked, 300, "files of code")

	// The test detects each of these.
	for _, code := range []string{"25_000", "0x61a8", `"25000"`, `"GLMR"`, `"of moonbeam."`, `"datahaven-testnet"`, `"DataHaven Mainnet"`, `"0x6D6F646C70792F74727372790000000000000000"`} {
		literal, err := parser.ParseExpr(code)
		require.NoError(t, err)
		found := false
		for _, word := range words(t, literal.(*ast.BasicLit)) {
			found = found || particular(word)
		}
		require.True(t, found, code)
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// words returns a literal and its words; for a help text only its numbers.
func words(t *testing.T, literal *ast.BasicLit) []string {
	switch literal.Kind {
	case token.INT:
		if n, err := strconv.ParseUint(literal.Value, 0, 64); err == nil {
			return []string{strconv.FormatUint(n, 10)}
		}
	case token.STRING:
		text, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		list := strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune(letters, r) })
		if strings.Contains(text, "\n") {
			var numbers []string
			for _, word := range list {
				if _, err := strconv.ParseUint(word, 10, 64); err == nil {
					numbers = append(numbers, word)
				}
			}
			return numbers
		}
		return append(list, text)
	}
	return nil
}
