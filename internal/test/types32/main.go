// Command types32 type-checks all packages and their tests for a 32-bit machine, on which a constant may exceed an
// int. It compiles nothing, and reads dependencies without their function bodies: a tenth of the time of go vet.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if err := check(); err != nil {
		fmt.Fprintln(os.Stderr, "types32:", err)
		os.Exit(1)
	}
}

func check() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	config := &packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Env:   append(os.Environ(), "GOARCH=386", "CGO_ENABLED=0"),
		Tests: true,
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, root) {
				dropBodies(file)
			}
			return file, err
		},
	}
	all, err := packages.Load(config, "./...")
	if err != nil {
		return err
	}
	wrong := 0
	for _, p := range all {
		for _, e := range p.Errors {
			if strings.HasPrefix(e.Pos, root) { // go test's own files need their bodies
				fmt.Fprintln(os.Stderr, e)
				wrong++
			}
		}
	}
	if wrong > 0 || len(all) < 100 {
		return fmt.Errorf("%d errors in %d packages", wrong, len(all))
	}
	return nil
}

// dropBodies leaves the declarations of a file.
func dropBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
