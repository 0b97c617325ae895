package source_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// inBatches is a source with batches of four blocks.
type inBatches struct {
	*synthetic
	err      error // of each batch
	guard    sync.Mutex
	prepared []chain.Heights
}

func (p *inBatches) BatchSize() (blocks, requests uint64) { return 4, 9 }

func (p *inBatches) Prepare(_ context.Context, blocks chain.Heights) error {
	p.guard.Lock()
	defer p.guard.Unlock()
	p.prepared = append(p.prepared, blocks)
	return p.err
}

// A range is prepared batch by batch, each before its blocks are read, and every block that is read was
// prepared. Errors of a batch are reported by its blocks.
func TestBatches(t *testing.T) {
	for _, err := range []error{nil, errors.New("the node takes no batch")} {
		s := &inBatches{synthetic: &synthetic{}, err: err}
		s.block = func(b *chain.Block) error {
			s.guard.Lock()
			defer s.guard.Unlock()
			require.True(t, slices.ContainsFunc(s.prepared, func(h chain.Heights) bool { return h.First <= b.Number && b.Number <= h.Last }), "block %d", b.Number)
			return nil
		}
		reader := s.reader()
		reader.Source = s
		next := uint64(10)
		for item, err := range reader.Range(t.Context(), chain.Heights{First: 10, Last: 24}, 3) {
			require.NoError(t, err)
			require.Equal(t, next, item.Block.Number)
			next++
		}
		require.Equal(t, uint64(25), next)
		slices.SortFunc(s.prepared, func(a, b chain.Heights) int { return int(a.First) - int(b.First) })
		require.Equal(t, []chain.Heights{{First: 10, Last: 13}, {First: 14, Last: 17}, {First: 18, Last: 21}, {First: 22, Last: 24}}, s.prepared)
	}
}

// After a timeout the same blocks are not requested again.
func TestBatchThatNobodyAnswers(t *testing.T) {
	away, err := httpclient.New(httpclient.Node, "http://127.0.0.1:1", httpclient.Options{Total: 1}, "http")
	require.NoError(t, err)
	timedOut := away.Ask(t.Context(), func(ctx context.Context) error {
		_, err := away.Get(ctx, "/")
		return err
	})
	require.True(t, httpclient.TimedOut(timedOut))
	s := &inBatches{synthetic: &synthetic{}, err: timedOut}
	s.block = func(*chain.Block) error { panic("asked once more") }
	reader := s.reader()
	reader.Source = s
	times := 0
	for _, err := range reader.Range(t.Context(), chain.Heights{First: 10, Last: 10}, 3) {
		require.ErrorIs(t, err, timedOut)
		times++
	}
	require.Equal(t, 1, times)
}

// A node gets batches at any kind of address, from the first range on.
func TestBatchesOfANode(t *testing.T) {
	for _, scheme := range []string{"http", "ws"} {
		n, url := startNode(t, noGET)
		reader := source.Reader{Source: open(t, strings.Replace(url, "http", scheme, 1), quick), Tables: network.BuiltIn()}
		blocks := 0
		for _, err := range reader.Range(t.Context(), chain.Heights{First: 1, Last: 27}, 8) {
			require.NoError(t, err)
			blocks++
		}
		require.Equal(t, 27, blocks)
		require.Equal(t, 27, n.Asked()["chain_getBlock"], scheme)
		require.LessOrEqual(t, n.Asked()["state_queryStorageAt"], 27+2, scheme)
		all := 0
		for _, times := range n.Asked() {
			all += times
		}
		require.Equal(t, all-n.Asked()["chain_getBlock"]-n.Asked()["state_queryStorageAt"]+2, n.Messages(), "two messages have all blocks and states")
	}
}
