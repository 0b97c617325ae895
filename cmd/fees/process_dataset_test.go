//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An export killed at random times and restarted gives the same files as an undisturbed one, to the byte. Parquet
// files are complete at any time.
func TestProcessPartitionedKilled(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	place := newLedgerFile(t)
	_, gateway := generated(t, 71, 400)
	_, stderr, code := fees("sync", "--signatures=false", "0..400", "--ledger", place, "--gateway", gateway)
	require.Equal(t, exitOK, code, stderr)
	export := func(directory string) *process {
		return start(t, "export", "--partitioned", directory, "--ledger", place, "--partial")
	}
	quiet := filepath.Join(t.TempDir(), "quiet")
	begun := time.Now()
	export(quiet).ends(t, exitOK)
	takes := time.Since(begun)
	want := filesOf(t, quiet)
	require.Len(t, want, 6)

	random := rand.New(rand.NewPCG(7, 1))
	for killed := 0; killed < killsWanted(t); {
		directory := filepath.Join(t.TempDir(), "lake")
		for {
			p := export(directory)
			if p.endsWithin(time.Duration(random.Int64N(int64(takes * 5 / 4)))) {
				p.ends(t, exitOK)
				break
			}
			p.kill()
			killed++
			require.NoError(t, os.MkdirAll(directory, 0o777))
			for name, text := range filesOf(t, directory) {
				if strings.HasSuffix(name, ".parquet") {
					require.Equal(t, want[name], text, name)
				}
			}
		}
		require.Equal(t, want, filesOf(t, directory))
	}
}
