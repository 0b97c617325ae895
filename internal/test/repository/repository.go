// Package repository finds files of the repository for tests, from any working directory.
package repository

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a file, given its elements from the root of the repository.
func Path(elements ...string) string {
	return filepath.Join(append([]string{root()}, elements...)...)
}

// Shared returns the path of a file in the folder shared beside the repository: public data of real networks,
// which may not be committed. If it is missing, the test is skipped, or fails if FEES_REQUIRE_SHARED is set.
// internal/test/skipped lists the skipped tests.
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

// root returns the folder with go.mod at or above the working directory.
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
