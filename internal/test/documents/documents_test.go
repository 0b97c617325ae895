// Package documents tests that the tests, files and sections named in documents exist.
package documents

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pages returns all documents of the repository.
func pages(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "internal/bench/*/*.md"} {
		files, err := filepath.Glob(filepath.Join("../../..", pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			found[file] = string(text)
		}
	}
	require.Greater(t, len(found), 12)
	return found
}

// Each test named in a document exists.
func TestNamedTestsAreThere(t *testing.T) {
	declared := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(`)
	require.NoError(t, filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, name := range declaration.FindAllStringSubmatch(string(text), -1) {
				declared[name[1]] = true
			}
		}
		return err
	}))
	named := 0
	for file, text := range pages(t) {
		for _, name := range regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`").FindAllStringSubmatch(text, -1) {
			require.True(t, declared[name[1]], "%s names the test %s, which is not there", file, name[1])
			named++
		}
	}
	require.Greater(t, named, 20)
}

// Each linked file and section exists.
func TestLinks(t *testing.T) {
	all := pages(t)
	for file, text := range all {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			target, place, _ := strings.Cut(link[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := file
			if target != "" {
				path = filepath.Join(filepath.Dir(file), filepath.FromSlash(target))
				_, err := os.Stat(path)
				require.NoError(t, err, "%s points at %s", file, link[1])
			}
			if place != "" {
				require.Contains(t, headings(all[path]), place, "%s points at %s", file, link[1])
			}
		}
	}
}

// headings returns the anchors of a page, as GitHub and GitLab name them.
func headings(text string) (list []string) {
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		list = append(list, strings.ReplaceAll(name, " ", "-"))
	}
	return list
}

// Each page of docs is in the index.
func TestIndex(t *testing.T) {
	index, err := os.ReadFile("../../../docs/README.md")
	require.NoError(t, err)
	files, err := filepath.Glob("../../../docs/*.md")
	require.NoError(t, err)
	for _, file := range files {
		if name := filepath.Base(file); name != "README.md" {
			require.Contains(t, string(index), "]("+name+")", "docs/README.md does not list it")
		}
	}
}
