package proofs

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// A forecast comes close to what recording then comes to: questions and messages to the last
// one but those of runtimes that it did not see, bytes to a tenth.
func TestForecast(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	made := rooted(1300)
	for name, o := range map[string]RecordOptions{
		"a short range":  {First: 1, Last: 300, Concurrency: 4},
		"a longer range": {First: 1, Last: 1200, Concurrency: 2},
		"with accounts":  {First: 100, Last: 1200, Concurrency: 2, Accounts: made.Accounts()[:3], Trusted: anchorAt(made, 1200)},
	} {
		if testing.Short() && o.Last > 300 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			node := made.Node()
			origin := FromNode(served(t, node))
			f, err := NewForecast(t.Context(), origin, o, 0)
			require.NoError(t, err)
			require.Equal(t, o.Last-base(o.First)+1, f.Blocks)

			node = made.Node()
			begin := time.Now()
			directory := filepath.Join(t.TempDir(), "archive")
			m, err := Record(t.Context(), FromNode(served(t, node)), directory, o)
			require.NoError(t, err)
			took := time.Since(begin)
			asked := 0
			for _, times := range node.Asked() {
				asked += times
			}
			runtimes := 3 * len(m.Runtimes)
			require.InDelta(t, asked, f.Requests, float64(runtimes)+20, "at the upgrade, some are asked for twice")
			require.InDelta(t, node.Messages(), f.Messages, float64(runtimes)+40)
			written := int64(0)
			for _, text := range crashtest.Tree(t, directory) {
				written += int64(len(text))
			}
			require.InEpsilon(t, written, f.Bytes, 0.1)
			t.Logf("forecast %+v; recording: %d questions, %d messages, %v, %d bytes", f, asked, node.Messages(), took, written)
			require.Positive(t, f.Duration)
		})
	}
	t.Run("a node that is asked little at a time", func(t *testing.T) {
		node := made.Node()
		f, err := NewForecast(t.Context(), FromNode(served(t, node)), RecordOptions{First: 1, Last: 1200}, 10)
		require.NoError(t, err)
		require.Equal(t, time.Duration(float64(f.Requests)/10*1e9), f.Duration)
		asked := 0
		for _, times := range node.Asked() {
			asked += times
		}
		require.Less(t, asked, 160, "sixteen seconds")
	})
	t.Run("one block", func(t *testing.T) {
		f, err := NewForecast(t.Context(), FromNode(served(t, made.Node())), RecordOptions{First: 0, Last: 0}, 0)
		require.NoError(t, err)
		require.EqualValues(t, 1, f.Blocks)
	})
	t.Run("refused", func(t *testing.T) {
		_, err := NewForecast(t.Context(), FromNode(served(t, made.Node())), RecordOptions{First: 2, Last: 1}, 0)
		require.ErrorContains(t, err, "ends before it begins")
		_, err = NewForecast(t.Context(), FromNode(served(t, made.Node())), RecordOptions{First: 2, Last: 1301}, 0)
		require.ErrorIs(t, err, archive.ErrNotFinal)
		_, err = NewForecast(t.Context(), &telling{Origin: FromNode(served(t, made.Node())), hash: func(uint64, chain.Hash) chain.Hash { return chain.Hash{} }}, RecordOptions{First: 2, Last: 13}, 0)
		require.Error(t, err)
	})
	left, err := filepath.Glob(filepath.Join(temporary, "*fees-forecast-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
