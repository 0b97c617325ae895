package proofs_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// benchmarked is how many blocks there are.
const benchmarked = 3000

func made() *chaingen.Chain {
	made := chaingen.New(chaingen.Options{Seed: 5, Rooted: true, Signed: true, Upgrade: benchmarked / 2, Head: benchmarked})
	made.HeightOf(made.Hash(benchmarked)) // so that none is made while it is asked for
	return made
}

func served(b *testing.B, handler http.Handler) string {
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	return server.URL
}

func recorded(b *testing.B, made *chaingen.Chain) string {
	client, err := rpc.New(served(b, made.Node()), httpclient.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { client.Close() })
	directory := filepath.Join(b.TempDir(), "archive")
	_, err = proofs.Record(b.Context(), proofs.FromNode(client), directory,
		proofs.RecordOptions{First: 1, Last: benchmarked, Accounts: made.Accounts()[:1]})
	require.NoError(b, err)
	return directory
}

func perSecond(b *testing.B) {
	b.ReportMetric(float64(b.N)*benchmarked/b.Elapsed().Seconds(), "blocks/s")
}

func reportSize(b *testing.B, directory string) {
	size := int64(0)
	require.NoError(b, fs.WalkDir(os.DirFS(directory), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		size += info.Size()
		return err
	}))
	b.ReportMetric(float64(size)/benchmarked, "bytes/block")
}

// BenchmarkRecord records from a node that makes its blocks in the same process.
func BenchmarkRecord(b *testing.B) {
	made := made()
	var directory string
	for b.Loop() {
		directory = recorded(b, made)
	}
	perSecond(b)
	reportSize(b, directory)
}

func BenchmarkVerify(b *testing.B) {
	directory := recorded(b, made())
	for b.Loop() {
		_, err := proofs.Verify(b.Context(), directory, chain.Optional[chain.Anchor]{}, nil)
		require.NoError(b, err)
	}
	perSecond(b)
}

func BenchmarkJoin(b *testing.B) {
	directory := recorded(b, made())
	for b.Loop() {
		_, err := proofs.Join(b.Context(), []string{directory}, filepath.Join(b.TempDir(), "joined"), proofs.JoinOptions{})
		require.NoError(b, err)
	}
	perSecond(b)
}

// BenchmarkArchiveOfAGateway records the same blocks as a gateway gives them, for how large
// that is beside it.
func BenchmarkArchiveOfAGateway(b *testing.B) {
	made := made()
	client, err := gatewayclient.New(served(b, made.Handler()), gatewayclient.Options{})
	require.NoError(b, err)
	var directory string
	for b.Loop() {
		directory = filepath.Join(b.TempDir(), "archive")
		_, err := answers.Record(b.Context(), client, directory, answers.RecordOptions{First: 1, Last: benchmarked, Segments: true, Accounts: made.Accounts()[:1]})
		require.NoError(b, err)
	}
	perSecond(b)
	reportSize(b, directory)
}
