// Package architecture holds the code to the tables of ARCHITECTURE.md: which package may
// import which, and where a library may be used.
package architecture

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/feeledger/fees/"

// TestPackages wants the table of packages to be what the code is: each package with what
// it imports of ours, no more and no less.
func TestPackages(t *testing.T) {
	listed := packages(t)
	found := imports(t)
	for name, paths := range found {
		allowed, known := listed[name]
		require.True(t, known, "package %s is not in the table of ARCHITECTURE.md", name)
		for _, path := range ours(paths) {
			require.Contains(t, allowed, path, "%s must not import %s: its row in ARCHITECTURE.md does not list it", name, path)
		}
	}
	for name, allowed := range listed {
		paths, there := found[name]
		require.True(t, there, "ARCHITECTURE.md lists the package %s, which is not there", name)
		for _, path := range allowed {
			require.Contains(t, ours(paths), path, "ARCHITECTURE.md says that %s imports %s, and it does not", name, path)
		}
	}
}

// TestLibraries wants the table of libraries to be what the code is: each library where it
// is imported, and nowhere else.
func TestLibraries(t *testing.T) {
	found := imports(t)
	for _, row := range libraries(t) {
		for _, library := range row.libraries {
			used := false
			for name, paths := range found {
				if imported(library, paths) {
					require.Contains(t, row.onlyIn, name, "%s must not import %s: ARCHITECTURE.md does not list it there", name, library)
					used = true
				}
			}
			require.Equal(t, len(row.onlyIn) > 0, used, "ARCHITECTURE.md lists the library %s, which nobody imports", library)
		}
		for _, name := range row.onlyIn {
			require.True(t, slices.ContainsFunc(row.libraries, func(library string) bool { return imported(library, found[name]) }),
				"ARCHITECTURE.md says that %s imports %v, and it does not", name, row.libraries)
		}
	}
}

// imported tells whether a library is among paths. One that ends in a slash stands for all
// below it.
func imported(library string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return path == library || strings.HasSuffix(library, "/") && strings.HasPrefix(path, library)
	})
}

// Made-up blocks must not come near figures that somebody believes.
func TestNothingThatIsShippedMakesUpBlocks(t *testing.T) {
	const generator = "internal/chaingen"
	for name, paths := range imports(t) {
		if name != "internal/chaingen/cmd/chaingen" && name != "archive/demo/internal/makemonthend" && name != "bench" && !strings.HasPrefix(name, "bench/") {
			require.NotContains(t, ours(paths), generator, "%s: chaingen is for tests, benchmarks, its own command and what makes the demo's files", name)
		}
	}
}

// imports lists the imports of every package, tests apart.
func imports(t *testing.T) map[string][]string {
	list := exec.Command("go", "list", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", module+"...")
	list.Dir = "../../.."
	out, err := list.Output()
	require.NoError(t, err)
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		found[strings.TrimPrefix(fields[0], module)] = fields[1:]
	}
	require.Contains(t, ours(found["fee"]), "chain", "the listing is not what it should be")
	return found
}

// ours are those of paths that are of this module, as the tables name them.
func ours(paths []string) (list []string) {
	for _, path := range paths {
		if name, ok := strings.CutPrefix(path, module); ok {
			list = append(list, name)
		}
	}
	return list
}

// packages is the table of packages: what each imports of ours. A row may be of several
// packages, which import the same.
func packages(t *testing.T) map[string][]string {
	listed := map[string][]string{}
	for _, row := range table(t, "package", "what it is", "of ours it imports") {
		for _, name := range names(t, row[0]) {
			require.NotContains(t, listed, name, "ARCHITECTURE.md lists %s twice", name)
			listed[name] = names(t, row[2])
		}
	}
	return listed
}

// onlyIn is an entry in the table of libraries. Each of the packages imports one of the
// libraries at least, and nobody else imports any.
type onlyIn struct{ libraries, onlyIn []string }

// libraries is the table of libraries, which has two entries in a row.
func libraries(t *testing.T) (list []onlyIn) {
	for _, row := range table(t, "library", "only in", "library", "only in") {
		list = append(list, onlyIn{names(t, row[0]), names(t, row[1])})
		if row[2] != "" {
			list = append(list, onlyIn{names(t, row[2]), names(t, row[3])})
		}
	}
	return list
}

// table is the rows of the table in ARCHITECTURE.md that has this head.
func table(t *testing.T, head ...string) (rows [][]string) {
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "\n| "+strings.Join(head, " | ")+" |\n")
	require.True(t, found, "ARCHITECTURE.md has no table of %v", head)
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

// list is a cell that lists names.
var list = regexp.MustCompile("^`[^`, ]+`(, `[^`, ]+`)*$")

// names reads a cell: names between backquotes, or one of the words for none.
func names(t *testing.T, cell string) []string {
	if cell == "nothing" || cell == "nowhere" {
		return nil
	}
	require.Regexp(t, list, cell, "want names such as `chain`, `wire`, or nothing, or nowhere")
	return strings.Split(strings.Trim(cell, "`"), "`, `")
}
