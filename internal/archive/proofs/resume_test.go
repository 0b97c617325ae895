package proofs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/test/crashtest"
	"github.com/feeledger/fees/internal/test/tier"
)

var errKilled = errors.New("killed")

// killed is a disk whose recorder ends before its n-th step. It reports the step.
func killed(directory string, n int, step *string) disk.Disk {
	return crashtest.Steps(directory, func(what string) error {
		if n--; n == 0 {
			*step = what
			return errKilled
		}
		return nil
	})
}

// A recording that is killed before each of its steps continues and becomes what it would have
// been. What was whole is not asked for again.
func TestKilledBeforeEachStep(t *testing.T) {
	made := rooted(60)
	node := &telling{Origin: FromNode(served(t, made.Node()))}
	o := RecordOptions{First: 1, Last: 50, Concurrency: 2, segmentSize: 16}
	want := crashtest.Tree(t, recorded(t, node, o))
	kinds := map[string]bool{}
	steps, stride := 0, 1
	if testing.Short() {
		stride = 5
	}
	for n := 1; ; n += stride {
		var step string
		directory := filepath.Join(t.TempDir(), "archive")
		_, err := record(t.Context(), node, killed(directory, n, &step), o)
		if step == "" {
			require.NoError(t, err)
			break
		}
		require.ErrorIs(t, err, errKilled)
		steps++
		kind, path, _ := strings.Cut(step, " ")
		kinds[kind+" "+strings.Split(path, "/")[0]] = true
		whole := uint64(0)
		for _, s := range archive.Split(chain.Heights{First: 0, Last: 50}, 16) {
			if _, err := os.Stat(filepath.Join(directory, blocksPath(s))); err == nil {
				whole += s.Blocks()
			}
		}
		node.blocks.Store(0)
		_, err = record(t.Context(), node, disk.New(directory), o)
		require.NoError(t, err, step)
		requireSame(t, want, crashtest.Tree(t, directory))
		require.EqualValues(t, 51-whole, node.blocks.Load(), step)
	}
	require.GreaterOrEqual(t, steps, 50/stride)
	if testing.Short() {
		return
	}
	for _, of := range []string{"headers", "blocks", "runtimes", "manifest.json"} {
		for _, step := range []string{"create", "write", "rename"} {
			require.Contains(t, kinds, step+" "+of)
		}
		require.Contains(t, kinds, "mkdir "+strings.Replace(of, "manifest.json", ".", 1))
	}
}

// One recording that is killed again and again.
func TestKilledFiftyTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("another test kills it before some of its steps")
	}
	made := rooted(60)
	node := FromNode(served(t, made.Node()))
	o := RecordOptions{First: 1, Last: 50, Accounts: made.Accounts()[:1], segmentSize: 2}
	want := crashtest.Tree(t, func() string {
		directory := filepath.Join(t.TempDir(), "at once")
		_, err := Record(t.Context(), node, directory, o)
		require.NoError(t, err)
		return directory
	}())
	of := rand.New(rand.NewPCG(3, 4))
	directory := filepath.Join(t.TempDir(), "killed")
	kills := 0
	for {
		var step string
		_, err := record(t.Context(), node, killed(directory, 1+of.IntN(8), &step), o)
		if step == "" {
			require.NoError(t, err)
			break
		}
		require.ErrorIs(t, err, errKilled)
		kills++
	}
	require.GreaterOrEqual(t, kills, 50)
	requireSame(t, want, crashtest.Tree(t, directory))
}

// Files that are not what would be recorded are recorded again, and no others.
func TestDamagedLeftovers(t *testing.T) {
	made := rooted(60)
	node := &telling{Origin: FromNode(served(t, made.Node()))}
	o := RecordOptions{First: 1, Last: 50}
	want := crashtest.Tree(t, recorded(t, node, o))
	others := crashtest.Tree(t, recorded(t, node, RecordOptions{First: 1, Last: 50, Accounts: made.Accounts()[:1]}))
	paths := []string{"blocks/16-31.zst", "headers/32-47.zst", "runtimes/moonbeam-2302.metadata.zst", "runtimes/moonbeam-2302.code.zst", "manifest.json"}
	for kind, damage := range map[string]func(path, text string) string{
		"cut":   func(_, text string) string { return text[:len(text)/2] },
		"empty": func(string, string) string { return "" },
		"flipped": func(_, text string) string {
			return text[:len(text)/2] + string(text[len(text)/2]^4) + text[len(text)/2+1:]
		},
		"other": func(path, _ string) string { return map[bool]string{true: others[path], false: "x"}[path[0] == 'b'] },
		"other block": func(path, _ string) string {
			return map[bool]string{true: want["blocks/0-15.zst"], false: want["headers/0-15.zst"]}[path[0] == 'b']
		},
	} {
		for _, path := range paths {
			if !tier.Takes(kind + path) {
				continue
			}
			t.Run(fmt.Sprintf("%s %s", kind, path), func(t *testing.T) {
				directory := filepath.Join(t.TempDir(), "archive")
				for p, text := range want {
					if p == path {
						text = damage(path, text)
					}
					require.NoError(t, disk.New(directory).Write(p, text))
				}
				node.blocks.Store(0)
				_, err := recordTo(t, node, directory, o)
				require.NoError(t, err)
				requireSame(t, want, crashtest.Tree(t, directory))
				asked := map[bool]int64{true: 16, false: 0}[path[0] == 'b' || path[0] == 'h']
				require.Equal(t, asked, node.blocks.Load())
			})
		}
	}
	t.Run("a runtime that is none of the chain's", func(t *testing.T) {
		directory := recorded(t, node, o)
		require.NoError(t, os.WriteFile(filepath.Join(directory, "runtimes/moonbeam-9.metadata.zst"), nil, 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(directory, "blocks/0-15.zst.12.tmp"), nil, 0o644))
		_, err := recordTo(t, node, directory, o)
		require.NoError(t, err)
		requireSame(t, want, crashtest.Tree(t, directory))
	})
	t.Run("a file that is none of an archive's", func(t *testing.T) {
		directory := recorded(t, node, o)
		require.NoError(t, os.WriteFile(filepath.Join(directory, "runtimes/notes.txt"), nil, 0o644))
		_, err := recordTo(t, node, directory, o)
		require.ErrorContains(t, err, "runtimes/notes.txt does not belong to an archive of these blocks and accounts")
	})
	t.Run("the code is not asked for again", func(t *testing.T) {
		directory := recorded(t, node, o)
		node.questions.Store(0)
		_, err := recordTo(t, node, directory, o)
		require.NoError(t, err)
		require.EqualValues(t, 1+2*2+4, node.questions.Load(), "hashes, two runtimes' versions and metadata, four words")
	})
	require.True(t, slices.Contains(paths, "manifest.json"))
}
