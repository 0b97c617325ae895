// Package architecture checks the code against the tables of docs/ARCHITECTURE.md: the dependencies between
// groups of packages, and where a library may be used.
package architecture

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "github.com/feeledger/fees/"
	page   = "../../../docs/ARCHITECTURE.md"
)

// machinery are the groups that may import anything, and that no other group imports.
var machinery = []string{"internal/test", "internal/bench"}

// TestRooms requires each package to be in a group, and to import only what its group may depend on.
func TestRooms(t *testing.T) {
	below := rooms(t)
	used := map[string]bool{}
	for name, paths := range imports(t) {
		room := roomOf(below, name)
		require.NotEmpty(t, room, "package %s is in no room of %s", name, page)
		used[room] = true
		if slices.Contains(machinery, room) {
			continue
		}
		for _, path := range ours(paths) {
			if other := roomOf(below, path); other != room {
				require.Contains(t, below[room], other, "%s must not import %s: %s does not stand on %s", name, path, room, other)
			}
		}
	}
	for room := range below {
		require.True(t, used[room], "%s lists the room %s, which has no package", page, room)
	}
}

// TestOperations requires commands and pages to leave some packages to the operations that they call.
func TestOperations(t *testing.T) {
	found := imports(t)
	for _, row := range table(t, "folder", "does not import") {
		for _, folder := range names(t, row[0]) {
			for name, paths := range found {
				for _, path := range ours(paths) {
					denied := func(other string) bool { return within(other, path) }
					require.False(t, within(folder, name) && slices.ContainsFunc(names(t, row[1]), denied), "%s must not import %s: see %s", name, path, page)
				}
			}
		}
	}
}

// TestLibraries requires each library to be used only where its row permits.
func TestLibraries(t *testing.T) {
	found := imports(t)
	for _, row := range table(t, "library", "folders") {
		allowed := names(t, row[1])
		for _, library := range names(t, row[0]) {
			used := false
			for name, paths := range found {
				if !imported(library, paths) || slices.ContainsFunc(machinery, func(room string) bool { return within(room, name) }) {
					continue
				}
				used = true
				require.True(t, slices.ContainsFunc(allowed, func(room string) bool { return within(room, name) }), "%s must not import %s: %s does not list it there", name, library, page)
			}
			require.Equal(t, len(allowed) > 0, used, "%s lists the library %s, which no room imports", page, library)
		}
		for _, room := range allowed {
			require.True(t, slices.ContainsFunc(names(t, row[0]), func(library string) bool {
				for name, paths := range found {
					if within(room, name) && imported(library, paths) {
						return true
					}
				}
				return false
			}), "%s says that %s imports %s, and it does not", page, room, row[0])
		}
	}
}

// The program's third-party libraries all have a row, so that a new one is a decision.
func TestEveryLibraryHasARow(t *testing.T) {
	var rows []string
	for _, row := range table(t, "library", "folders") {
		rows = append(rows, names(t, row[0])...)
	}
	for name, paths := range imports(t) {
		if slices.ContainsFunc(machinery, func(room string) bool { return within(room, name) }) {
			continue
		}
		for _, path := range paths {
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !strings.HasPrefix(path, module) {
				require.True(t, slices.ContainsFunc(rows, func(library string) bool { return imported(library, []string{path}) }), "%s imports %s, which has no row in %s", name, path, page)
			}
		}
	}
}

// imported reports whether a library, or a package below it, is among paths.
func imported(library string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return within(strings.TrimSuffix(library, "/"), path) })
}

// within reports whether a path is a folder or below it.
func within(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// rooms returns the groups of the page, each with all its direct and indirect dependencies.
func rooms(t *testing.T) map[string][]string {
	below := map[string][]string{}
	for _, row := range table(t, "folder", "purpose", "may import") {
		for _, name := range names(t, row[0]) {
			require.NotContains(t, below, name, "%s lists %s twice", page, name)
			var all []string
			for _, on := range names(t, row[2]) {
				require.Contains(t, below, on, "%s stands on %s, which is not above it in the table", name, on)
				all = append(append(all, on), below[on]...)
			}
			below[name] = all
		}
	}
	return below
}

// roomOf returns the group of a package, or "".
func roomOf(below map[string][]string, name string) (room string) {
	for folder := range below {
		if within(folder, name) && len(folder) > len(room) {
			room = folder
		}
	}
	return room
}

// listed are the imports of every package, except in tests: a line for each.
var listed = sync.OnceValues(func() (string, error) {
	list := exec.Command("go", "list", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", module+"...")
	list.Dir = "../../.."
	out, err := list.Output()
	return string(out), err
})

// imports returns the imports by package.
func imports(t *testing.T) map[string][]string {
	lines, err := listed()
	require.NoError(t, err)
	found := map[string][]string{}
	for line := range strings.Lines(lines) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], module)
		if name+"/" == module {
			name = "." // the root
		}
		found[name] = fields[1:]
	}
	require.Contains(t, ours(found["fee"]), "chain", "the listing is not what it should be")
	return found
}

// ours returns those of paths that are of this module, as the tables name them.
func ours(paths []string) (list []string) {
	for _, path := range paths {
		if name, ok := strings.CutPrefix(path, module); ok {
			list = append(list, name)
		}
	}
	return list
}

// table returns the rows of the table in the page with this head.
func table(t *testing.T, head ...string) (rows [][]string) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n| "+strings.Join(head, " | ")+" |\n")
	require.True(t, found, "%s has no table of %v", page, head)
	for line := range strings.Lines(after) {
		row := strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(row, "|") {
			break
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
		require.Len(t, cells, len(head), row)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	require.Greater(t, len(rows), 2, "the table of %v is not what it should be", head)
	return rows[1:] // without the line below the head
}

// list returns a table cell that lists names.
var list = regexp.MustCompile("^`[^`, ]+`(, `[^`, ]+`)*$")

// names parses a cell: names between backquotes, or a word for none.
func names(t *testing.T, cell string) []string {
	if cell == "" || cell == "nothing" || cell == "nowhere" {
		return nil
	}
	require.Regexp(t, list, cell, "want names such as `chain`, `wire`, or nothing, or nowhere")
	return strings.Split(strings.Trim(cell, "`"), "`, `")
}
