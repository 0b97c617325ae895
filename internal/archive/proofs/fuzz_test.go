package proofs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive"
	"github.com/feeledger/fees/internal/test/crashtest"
)

// seeds adds what the files of an archive hold, unpacked.
func seeds(f *testing.F, add func(path string, packed []byte)) {
	directory := recorded(f, FromNode(served(f, rooted(40).Node())), RecordOptions{First: 1, Last: 34})
	for path, text := range crashtest.Tree(f, directory) {
		add(path, []byte(text))
	}
}

func FuzzReadSegment(f *testing.F) {
	seeds(f, func(path string, packed []byte) {
		if filepath.Dir(path) == "blocks" {
			bytes, err := archive.Unpack(packed, maxBlocks)
			require.NoError(f, err)
			f.Add(bytes)
		}
	})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		for _, s := range []chain.Heights{{First: 0, Last: 15}, {First: 32, Last: 34}} {
			read, err := readSegment(bytes, s)
			if err != nil {
				continue
			}
			require.Equal(t, bytes, read.encode(), "there is one form")
			for i := range read.blocks {
				h := headed{}
				_, _ = runtimeOf(&h, read.proof)
				_ = proveExtrinsics(&h, read.blocks[i].extrinsics)
			}
		}
	})
}

func FuzzReadHeaders(f *testing.F) {
	seeds(f, func(path string, packed []byte) {
		if filepath.Dir(path) == "headers" {
			bytes, err := archive.Unpack(packed, maxHeaders)
			require.NoError(f, err)
			f.Add(bytes)
		}
	})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		for _, s := range []chain.Heights{{First: 0, Last: 15}, {First: 32, Last: 34}} {
			headers, err := readHeaders(bytes, s)
			if err != nil {
				continue
			}
			require.Equal(t, bytes, appendList(nil, headers), "there is one form")
			heads, top, _, findings := linked(headers, s)
			_, _, err = proveChain(headers, s, top)
			require.Equal(t, heads != nil && len(findings) == 0, err == nil)
		}
	})
}

func FuzzReadManifest(f *testing.F) {
	seeds(f, func(path string, packed []byte) {
		if path == archive.ManifestPath {
			f.Add(packed, true)
			f.Add(packed, false)
		}
	})
	f.Fuzz(func(t *testing.T, text []byte, sealed bool) {
		if sealed { // with a new checksum, or nothing would pass
			if m, err := unsealed(string(text)); err == nil {
				resealed, err := m.seal()
				if err != nil {
					return
				}
				text = []byte(resealed)
			}
		}
		m, err := readManifest(string(text))
		if err != nil {
			return
		}
		require.LessOrEqual(t, m.First, m.Last)
		require.NotEmpty(t, m.Segments)
		for _, height := range []uint64{m.base(), m.First, m.Last} {
			s := m.Segments[m.segmentOf(height)]
			require.True(t, s.First <= height && height <= s.Last)
		}
		directory := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(directory, archive.ManifestPath), text, 0o600))
		a, err := Open(directory, chain.Optional[chain.Anchor]{})
		require.NoError(t, err)
		_, err = a.Base()
		require.Error(t, err, "there are no files")
	})
}
