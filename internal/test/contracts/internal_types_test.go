package contracts

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoInternalTypes requires every type in an export of a public package to be public too: in an alias, a field, a
// signature, and embedded. go doc shows the fields of no other.
func TestNoInternalTypes(t *testing.T) {
	for _, folder := range append(public(t), ".") {
		for _, file := range sources(t, folder) {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			require.Empty(t, internalTypes(t, f), file)
		}
	}

	// The test detects each of these, and none of the last ones.
	found := func(code string) []string {
		f, err := parser.ParseFile(token.NewFileSet(), "", `package p; import ("`+module+`internal/hidden"; other "`+module+`internal/a"); `+code, parser.SkipObjectResolution)
		require.NoError(t, err)
		return internalTypes(t, f)
	}
	for _, code := range []string{
		"type T = hidden.T", "type T hidden.T", "type T struct { hidden.T }", "type T struct { *other.T }", "type T struct { A []hidden.T }", "type T struct { A map[string]func(hidden.T) }",
		"type T interface { hidden.T }", "type T interface { M() (int, hidden.T) }", "func F(a *hidden.T) {}", "func F[V hidden.T](V) {}", "func (t *T) M() hidden.T { panic(0) }", "var V chain.Optional[other.T]",
	} {
		require.Len(t, found(code), 1, code)
	}
	for _, code := range []string{"type t = hidden.T", "type T struct { a hidden.T }", "func f(hidden.T) {}", "func (t *t) M(hidden.T) {}", "func F() { hidden.F() }"} {
		require.Empty(t, found(code), code)
	}
}

const module = "github.com/feeledger/fees/"

// internalTypes returns the exports of a file that contain a type of an internal package.
func internalTypes(t *testing.T, f *ast.File) (list []string) {
	for _, spec := range f.Imports {
		from, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		if !strings.HasPrefix(from, module+"internal/") {
			continue
		}
		name := path.Base(from)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		of := regexp.MustCompile(`\b` + name + `\.[A-Z]`)
		for _, d := range f.Decls {
			for _, line := range declared(d) {
				if of.MatchString(line) {
					list = append(list, line)
				}
			}
		}
	}
	return list
}
