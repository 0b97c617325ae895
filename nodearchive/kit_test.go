package nodearchive

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/chaingen"
	"github.com/feeledger/fees/nodeclient"
)

// rooted is a chain with true roots, whose blocks from 30 on are executed by another runtime of
// another layout, and a client of its node.
func rooted(t testing.TB, head uint64) (*chaingen.Chain, *nodeclient.Client) {
	t.Helper()
	made := chaingen.New(chaingen.Options{Seed: 5, Rooted: true, Upgrade: 29, Head: head})
	server := httptest.NewServer(made.Node())
	t.Cleanup(server.Close)
	client, err := nodeclient.New(server.URL, ask.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return made, client
}

// recorded is the archive of blocks 1 to last of such a chain, in segments of 16.
func recorded(t testing.TB, last uint64, o RecordOptions) (*chaingen.Chain, string) {
	t.Helper()
	made, client := rooted(t, last+3)
	o.First, o.Last, o.segmentSize = 1, last, 16
	directory := filepath.Join(t.TempDir(), "archive")
	_, err := Record(t.Context(), FromNode(client), directory, o)
	require.NoError(t, err)
	return made, directory
}

// tree is what the files of a directory hold.
func tree(t testing.TB, directory string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(directory, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		bytes, err := os.ReadFile(path)
		name, _ := filepath.Rel(directory, path)
		files[filepath.ToSlash(name)] = string(bytes)
		return err
	}))
	return files
}

func anchorAt(made *chaingen.Chain, height uint64) chain.Optional[chain.Anchor] {
	return chain.Some(chain.Anchor{Height: height, Hash: made.Hash(height)})
}
