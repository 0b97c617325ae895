//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/tier"
)

// A recording from a node, killed at random times and restarted, gives the same archive as an undisturbed one, to
// the byte.
func TestProcessRecordKilled(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	last := uint64(1999) // two segments
	if tier.Nightly() {
		last = 3999
	}
	blocks := fmt.Sprintf("1..%d", last)
	kills := max(killsWanted(t)/10, 5) // each takes seconds
	made := chaingen.New(chaingen.Options{Seed: 51, Rooted: true, Upgrade: 1500, Head: last})
	server := newRestartable(t, made.Node())
	gateway := "http://" + server.address
	record := func(directory string) *process {
		return start(t, "archive", "record", blocks, "-o", directory, "--proofs", "--gateway", gateway, "--trust", anchorOf(made, last))
	}
	quiet := filepath.Join(t.TempDir(), "quiet")
	record(quiet).ends(t, exitOK) // which makes the chain
	begun := time.Now()
	record(filepath.Join(t.TempDir(), "again")).ends(t, exitOK)
	takes := time.Since(begun)

	random := rand.New(rand.NewPCG(5, 1))
	killed, whole := 0, 0
	for killed < kills {
		directory := filepath.Join(t.TempDir(), "archive")
		for fruitless := 0; ; fruitless++ {
			require.Less(t, fruitless, 10*kills, "it gets no further")
			p := record(directory)
			if p.endsWithin(time.Duration(random.Int64N(int64(takes + takes*time.Duration(fruitless)/8)))) {
				p.ends(t, exitOK)
				break
			}
			p.kill()
			killed++
		}
		require.Equal(t, filesOf(t, quiet), filesOf(t, directory))
		whole++
	}
	t.Logf("%d kills in %d archives; it takes %v", killed, whole, takes)
}

// A served archive with proofs gives the same fees as the node.
func TestProcessServesProofs(t *testing.T) {
	t.Parallel()
	made := chaingen.New(chaingen.Options{Seed: 52, Rooted: true, Signed: true, Head: 30})
	server := newRestartable(t, made.Node())
	gateway := "http://" + server.address
	directory := filepath.Join(t.TempDir(), "archive")
	outputOf(t, exitOK, "archive", "record", "3..20", "-o", directory, "--proofs", "--gateway", gateway)
	p := start(t, "archive", "serve", directory, "--listen", "127.0.0.1:0")
	var served string
	eventually(t, "nothing is served", func() bool {
		_, served, _ = strings.Cut(strings.TrimSpace(p.stderr.String()), "fees: serving blocks 3 to 20 of "+directory+" at ")
		return served != ""
	})
	require.Equal(t, outputOf(t, exitOK, "block", "9", "--gateway", gateway, "--format", "csv"), outputOf(t, exitOK, "block", "9", "--gateway", served, "--format", "csv"))
	_, stderr, code := fees("block", "21", "--gateway", served)
	require.Equal(t, exitGateway, code)
	require.Contains(t, stderr, "block 21: not stored; blocks 2 to 20 are")
	p.signal(t, syscall.SIGINT)
	p.ends(t, exitOK)
}
