package contracts

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the list of exported names")

// TestPackages checks that the exports of public packages do not change: constants, variables, functions,
// types, fields with tags, and methods, with their types. Names of parameters may change.
func TestPackages(t *testing.T) {
	var exported []string
	for _, path := range public(t) {
		exported = append(exported, exports(t, path)...)
	}
	Kept(t, "testdata/packages.txt", exported, *update)
}

// public returns the directories of public packages.
func public(t *testing.T) (list []string) {
	require.NoError(t, fs.WalkDir(os.DirFS("../../.."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		switch name := entry.Name(); {
		case path == ".":
			return nil
		case name == "internal", name == "testdata", path == "cmd", strings.HasPrefix(name, "."), name == "node_modules":
			return fs.SkipDir
		}
		if len(sources(t, path)) > 0 {
			list = append(list, path)
		}
		return nil
	}))
	require.Greater(t, len(list), 8)
	return list
}

// sources returns the Go files of a package, without tests.
func sources(t *testing.T, path string) []string {
	files, err := filepath.Glob(filepath.Join("../../..", path, "*.go"))
	require.NoError(t, err)
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// exports lists the exports of the package in a directory, without tests.
func exports(t *testing.T, path string) (list []string) {
	for _, file := range sources(t, path) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			for _, line := range declared(d) {
				list = append(list, path+": "+line)
			}
		}
	}
	return list
}

// declared lists the exports of a declaration.
func declared(d ast.Decl) (list []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		receiver := ""
		if d.Recv != nil {
			of := types.ExprString(d.Recv.List[0].Type)
			if !ast.IsExported(strings.TrimLeft(of, "*")) {
				return nil
			}
			receiver = "(" + of + ") "
		}
		if d.Name.IsExported() {
			list = append(list, "func "+receiver+d.Name.Name+parameters(d.Type.TypeParams, "[", "]")+signature(d.Type))
		}
	case *ast.GenDecl:
		var last ast.Expr // constants of a list have the type of the one above
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				if s.Type != nil || len(s.Values) > 0 {
					last = s.Type
				}
				for _, name := range s.Names {
					if name.IsExported() {
						list = append(list, strings.TrimSpace(d.Tok.String()+" "+name.Name+" "+text(last)))
					}
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					list = append(list, typeLines(s)...)
				}
			}
		}
	}
	return list
}

// typeLines returns a type and its exports.
func typeLines(s *ast.TypeSpec) []string {
	name := s.Name.Name
	head := "type " + name + parameters(s.TypeParams, "[", "]") + " "
	if s.Assign.IsValid() {
		head += "= "
	}
	var fields *ast.FieldList
	switch of := s.Type.(type) {
	case *ast.StructType:
		head += "struct"
		fields = of.Fields
	case *ast.InterfaceType:
		head += "interface"
		fields = of.Methods
	default:
		return []string{head + text(s.Type)}
	}
	list := []string{head}
	for _, f := range fields.List {
		tag := ""
		if f.Tag != nil {
			tag = " " + f.Tag.Value
		}
		if len(f.Names) == 0 {
			list = append(list, name+"."+text(f.Type)+tag)
		}
		for _, n := range f.Names {
			if n.IsExported() {
				list = append(list, name+"."+n.Name+" "+text(f.Type)+tag)
			}
		}
	}
	return list
}

// signature returns a function's parameters and results, without names.
func signature(f *ast.FuncType) string {
	results := ""
	if f.Results != nil {
		results = " " + parameters(f.Results, "(", ")")
	}
	return parameters(f.Params, "(", ")") + results
}

// parameters returns the types of a list.
func parameters(list *ast.FieldList, open, end string) string {
	if list == nil {
		return ""
	}
	var of []string
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			of = append(of, text(f.Type))
		}
	}
	return open + strings.Join(of, ", ") + end
}

func text(e ast.Expr) string {
	if f, ok := e.(*ast.FuncType); ok {
		return "func" + signature(f)
	}
	if e == nil {
		return ""
	}
	return types.ExprString(e)
}
