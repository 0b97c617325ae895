package simulation

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/tier"
)

// A planted bug is a patch in testdata/planted: a description, and for each file of the module the removed (-) and added
// (+) lines with context lines. It is built with go build -overlay; the source files are not changed.

const module = "../../.."

// planted is a planted bug.
type planted struct {
	name, what string
	files      map[string]string // altered contents by path in the module
}

// plantedBugs reads all patches. Each must still apply to the program.
func plantedBugs(t *testing.T) (list []planted) {
	paths, err := filepath.Glob("testdata/planted/*.patch")
	require.NoError(t, err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		b := planted{name: strings.TrimSuffix(filepath.Base(path), ".patch"), files: map[string]string{}}
		parts := strings.Split(string(text), "\n--- ")
		b.what = strings.ReplaceAll(parts[0], "\n", " ")
		require.Greater(t, len(parts), 1, path)
		for _, part := range parts[1:] {
			name, hunks, _ := strings.Cut(part, "\n")
			source, err := os.ReadFile(filepath.Join(module, name))
			require.NoError(t, err, path)
			b.files[name] = string(source)
			for _, hunk := range strings.Split(strings.TrimPrefix(hunks, "@@\n"), "\n@@\n") {
				before, after := sides(t, path, hunk)
				require.Equal(t, 1, strings.Count(b.files[name], before), "%s: %s must contain the replaced text exactly once:\n%s", path, name, before)
				b.files[name] = strings.Replace(b.files[name], before, after, 1)
			}
		}
		list = append(list, b)
	}
	return list
}

// sides returns the text that a hunk replaces, and its replacement.
func sides(t *testing.T, path, hunk string) (before, after string) {
	for line := range strings.Lines(strings.TrimSuffix(hunk, "\n") + "\n") {
		switch line[0] {
		case ' ':
			before, after = before+line[1:], after+line[1:]
		case '-':
			before += line[1:]
		case '+':
			after += line[1:]
		default:
			require.Fail(t, "the line does not start with +, - or a blank", "%s: %s", path, line)
		}
	}
	return before, after
}

// TestPlantedBugsFit checks that each patch applies to the current program.
func TestPlantedBugsFit(t *testing.T) {
	require.GreaterOrEqual(t, len(plantedBugs(t)), 10)
}

var seedThatFailed = regexp.MustCompile(`\n\s*seed ([0-9]+): (.*)`)

// TestPlantedBugs checks that the simulation finds each bug within a number of seeds.
func TestPlantedBugs(t *testing.T) {
	seeds := tier.Count[uint64](t, "FEES_PLANTED", 0, 0)
	if seeds == 0 {
		t.Skip("set FEES_PLANTED=1000 to search for each planted bug with at most 1000 seeds (builds the program a dozen times)")
	}
	only := os.Getenv("FEES_PLANTED_BUG")
	for _, b := range plantedBugs(t) {
		if only != "" && only != b.name {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			began := time.Now()
			if b.name == fence {
				b.findsBySchedules(t, seeds)
				return
			}
			c := exec.Command(b.build(t, "internal/test/simulation"), "-test.run", "^TestHistories$", "-test.timeout", "60m")
			c.Env = append(os.Environ(), fmt.Sprint("FEES_SEEDS=", seeds), "FEES_SEED=", "GOMAXPROCS=1") // one seed at a time
			output, err := c.CombinedOutput()
			require.Error(t, err, "not found by %d seeds: %s", seeds, b.what)
			found := seedThatFailed.FindStringSubmatch(string(output))
			require.NotNil(t, found, "unexpected output:\n%.4000s", output)
			t.Logf("found by seed %s, in %v: %s", found[1], time.Since(began).Round(time.Second), found[2])
		})
	}
}

// fence is the bug that needs PostgreSQL.
const fence = "fence-removed"

// findsBySchedules searches for a bug with the schedules of package queue.
func (b *planted) findsBySchedules(t *testing.T, seeds uint64) {
	binary := b.build(t, "internal/ledger/queue")
	for seed := range seeds {
		c := exec.Command(binary, "-test.run", "^TestSchedules$", "-test.v")
		c.Env = append(os.Environ(), fmt.Sprint("FEES_SCHEDULE=", 1+seed), "FEES_SCHEDULES=1")
		output, err := c.CombinedOutput()
		if strings.Contains(string(output), "--- SKIP") {
			t.Skip("needs PostgreSQL")
		}
		if err != nil {
			require.Contains(t, string(output), "--- FAIL: TestSchedules/", "unexpected output:\n%.4000s", output)
			t.Logf("found by schedule %d", 1+seed)
			return
		}
	}
	require.Fail(t, "not found by any schedule", b.what)
}

// build builds a package's test with the bug.
func (b *planted) build(t *testing.T, of string) (binary string) {
	directory := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range b.files {
		at, err := filepath.Abs(filepath.Join(module, name))
		require.NoError(t, err)
		altered := filepath.Join(directory, strings.ReplaceAll(name, "/", "-"))
		require.NoError(t, os.WriteFile(altered, []byte(text), 0o600))
		overlay.Replace[at] = altered
	}
	text, err := json.Marshal(overlay)
	require.NoError(t, err)
	file := filepath.Join(directory, "overlay.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	binary = filepath.Join(directory, "simulation.test")
	said, err := exec.Command("go", "test", "-c", "-overlay", file, "-o", binary, "./"+filepath.Join(module, of)).CombinedOutput()
	require.NoError(t, err, "%s", said)
	return binary
}
