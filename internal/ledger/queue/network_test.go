//go:build unix

package queue_test

import (
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/test/badnetwork"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/stretchr/testify/require"
)

// A network delays data, stalls for a second or two, and breaks connections: the workers' ledger equals an undisturbed one.
func TestWorkersOverABadNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until jobs that were broken off are taken up")
	}
	t.Parallel()
	for _, latency := range []time.Duration{time.Millisecond, 20 * time.Millisecond} {
		t.Run(latency.String(), func(t *testing.T) {
			t.Parallel()
			s := newShared(t, postgrestest.Start(t))
			between, address := overNetwork(t, s.address, latency)
			require.Equal(t, 100, s.enqueue(2000, 20))
			far := shared{t, s.Book, address}
			processes := []*process{far.process(), far.process(), far.process()}
			s.eventually("nothing is done", func() bool { return s.jobs().Done > 0 })
			for range 12 {
				time.Sleep(rand.N(seconds(0.5)))
				switch rand.N(3) {
				case 0:
					between.Stall(rand.N(seconds(2)))
				case 1:
					between.Reset(1)
				case 2:
					between.Reset(between.Connected())
				}
			}
			for _, p := range processes {
				s.ends(p)
			}
			s.requireDone(2000)
			require.Positive(t, between.Broken(), "the network was too good")
		})
	}
}

// overNetwork returns the address of a database behind such a network.
func overNetwork(t *testing.T, address string, latency time.Duration) (*badnetwork.Network, string) {
	place, err := url.Parse(address)
	require.NoError(t, err)
	n, err := badnetwork.New(place.Host, latency)
	require.NoError(t, err)
	t.Cleanup(func() { n.Close() })
	place.Host = n.Address()
	return n, place.String()
}
