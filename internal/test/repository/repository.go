// Package repository finds files of the repository for tests, from whichever folder they run in.
package repository

import (
	"os"
	"path/filepath"
	"testing"
)

// Path is where a file of the repository is, by its way from the root.
func Path(elements ...string) string {
	return filepath.Join(append([]string{root()}, elements...)...)
}

// Shared is where a file of the folder shared beside the repository is: public data of real networks, which may not be
// committed. Where it is not there the test is skipped, and fails if FEES_REQUIRE_SHARED is set.
// internal/test/skipped lists those that were skipped.
func Shared(t testing.TB, elements ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(), "..", "shared"}, elements...)...)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	missing := filepath.Join(append([]string{"shared"}, elements...)...) + " is not beside the repository"
	if os.Getenv("FEES_REQUIRE_SHARED") != "" {
		t.Fatal(missing + ", and FEES_REQUIRE_SHARED is set")
	}
	t.Skip("NOT TESTED: " + missing)
	return ""
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
