//go:build unix

package main

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
)

// The chain grows while fees follow and its gateway are killed and restarted.
func TestProcessFollow(t *testing.T) {
	t.Parallel()
	const first, last = 100, 400
	// Signed blocks, since follow checks signatures.
	made := chaingen.New(chaingen.Options{Seed: 31, Head: first, Signed: true})
	server := newRestartable(t, made.Handler())
	gateway := "http://" + server.address
	place := newLedgerFile(t)
	random := rand.New(rand.NewPCG(3, 1))
	follow := func() *process {
		return start(t, "follow", "--ledger", place, "--gateway", gateway, "--poll", "20ms")
	}
	sealed := func(height uint64) func() bool {
		return func() bool {
			if !hasBlocks(place) {
				return false
			}
			s := statusOf(t, place)
			return s.Sealed != nil && *s.Sealed >= height
		}
	}
	p := follow()
	eventually(t, "the first block is not there", sealed(first))
	for head := uint64(first); head < last; {
		head = min(last, head+1+random.Uint64N(30))
		made.SetHead(head)
		time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
		switch random.IntN(3) {
		case 0:
			p.kill()
			p = follow()
		case 1:
			server.stop()
			time.Sleep(time.Duration(random.Int64N(int64(300 * time.Millisecond))))
			server.start(t)
		}
	}
	eventually(t, "the last block is not there", sealed(last))
	p.signal(t, syscall.SIGINT)
	p.ends(t, exitInterrupted)
	requireSound(t, place, last, quietSync(t, "100..400", gateway))

	second := start(t, "follow", "--ledger", place, "--gateway", gateway, "--from", "5")
	second.ends(t, exitUsage)
	require.Contains(t, second.stderr.String(), "this one continues at block 401")
}
