// Package repository finds files of the repository for tests, from whichever folder they run in.
package repository

import (
	"os"
	"path/filepath"
)

// Path is where a file of the repository is, by its way from the root.
func Path(elements ...string) string {
	return filepath.Join(append([]string{root()}, elements...)...)
}

// Shared is where a file of the folder shared beside the repository is, which a clone may lack.
func Shared(elements ...string) string {
	return filepath.Join(append([]string{root(), "..", "shared"}, elements...)...)
}

// root is the folder above the working directory that has go.mod.
func root() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	panic("the tests do not run in a folder of the repository")
}
