package render_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
)

// The texts are Sidecar 18.0.0's for the sample's blocks, recorded with ?eventDocs=true&extrinsicDocs=true.
func TestDocsOfSampleBlocks(t *testing.T) {
	runtime, blocks := sample(t)
	want := strings.Split(strings.TrimSpace(string(unzip(t, "testdata/moonbeam-2600.docs.zst"))), "\n")
	require.Len(t, want, len(blocks))
	for i, b := range blocks {
		raw := *b.raw
		raw.EventDocs, raw.ExtrinsicDocs = true, true
		text, err := runtime.AppendBlock(nil, &raw)
		require.NoError(t, err)
		require.Equal(t, want[i], string(text))
	}
}

// TestDocsOfPairs compares the blocks of all pairs with Sidecar's. For each pair and query, docs.sha256
// contains the SHA-256 of the responses for blocks 0 to 27, each followed by a line feed.
func TestDocsOfPairs(t *testing.T) {
	sums, err := os.ReadFile("testdata/docs.sha256")
	require.NoError(t, err)
	queries := 0
	for line := range strings.Lines(string(sums)) {
		want, question, _ := strings.Cut(strings.TrimSpace(line), "  ")
		name, query, _ := strings.Cut(question, "?")
		if queries++; !tier.Takes(question) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := openPair(t, name)
			sum := sha256.New()
			for _, at := range p.heights[:28] {
				b := p.block(at)
				b.EventDocs, b.ExtrinsicDocs = strings.Contains(query, "eventDocs=true"), strings.Contains(query, "extrinsicDocs=true")
				text, err := p.runtime.AppendBlock(nil, b)
				require.NoError(t, err)
				sum.Write(append(text, '\n'))
			}
			require.Equal(t, want, fmt.Sprintf("%x", sum.Sum(nil)), question)
		})
	}
	require.Equal(t, 3*len(pairs.RealRuntimes), queries)
}
