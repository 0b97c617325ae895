package proofs

import (
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/rpcserver"
)

// upgrade is the block that leaves the second runtime behind, whose states have another layout:
// the next one is the first that it executes.
const upgrade = 29

// rooted is a chain with true roots.
func rooted(head uint64) *chaingen.Chain {
	return chaingen.New(chaingen.Options{Seed: 5, Rooted: true, Upgrade: upgrade, Head: head})
}

// served is a client of a node.
func served(t testing.TB, node *rpcserver.Server) *rpc.Client {
	t.Helper()
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, httpclient.Options{RetryWait: time.Millisecond, Total: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// recordTo records in segments of 16.
func recordTo(t testing.TB, from Origin, directory string, o RecordOptions) (*Manifest, error) {
	t.Helper()
	o.segmentSize = 16
	return Record(t.Context(), from, directory, o)
}

// recorded is the archive of a range of a chain.
func recorded(t testing.TB, from Origin, o RecordOptions) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "archive")
	_, err := recordTo(t, from, directory, o)
	require.NoError(t, err)
	return directory
}

// requireSame wants two directories to have the same files, and says which differ.
func requireSame(t testing.TB, want, have map[string]string) {
	t.Helper()
	for path, text := range want {
		other, there := have[path]
		require.True(t, there, "%s is missing", path)
		require.True(t, text == other, "%s differs", path)
	}
	require.Len(t, have, len(want))
}

func anchorAt(made *chaingen.Chain, height uint64) chain.Optional[chain.Anchor] {
	return chain.Some(chain.Anchor{Height: height, Hash: made.Hash(height)})
}

// telling is an origin whose answers a test can change. It counts what it is asked.
type telling struct {
	Origin
	hash     func(height uint64, h chain.Hash) chain.Hash
	given    func(height uint64, g *Given)
	many     func([]Given) []Given
	version  func(at uint64, v jsonscan.Value) jsonscan.Value
	metadata func(at uint64, bytes []byte) []byte
	word     func(method string, v jsonscan.Value) jsonscan.Value
	hashes   func([]chain.Optional[chain.Hash]) []chain.Optional[chain.Hash]
	code     func(parts [][]byte) ([][]byte, error)
	fails    string // the method that gives no answer

	blocks, questions atomic.Int64
}

func (o *telling) Hashes(ctx context.Context, heights []uint64) ([]chain.Optional[chain.Hash], error) {
	o.questions.Add(1)
	list, err := o.Origin.Hashes(ctx, heights)
	for i := range list {
		if h, known := list[i].Get(); known && o.hash != nil {
			list[i] = chain.Some(o.hash(heights[i], h))
		}
	}
	if o.hashes != nil {
		list = o.hashes(list)
	}
	return list, o.fail("Hashes", err)
}

func (o *telling) Given(ctx context.Context, blocks []chain.Anchor, keys [][]byte) ([]Given, error) {
	o.questions.Add(1)
	o.blocks.Add(int64(len(blocks)))
	list, err := o.Origin.Given(ctx, blocks, keys)
	for i := range list {
		if o.given != nil {
			o.given(blocks[i].Height, &list[i])
		}
	}
	if o.many != nil && err == nil {
		list = o.many(list)
	}
	return list, o.fail("Given", err)
}

func (o *telling) Final(ctx context.Context) (uint64, error) {
	height, err := o.Origin.Final(ctx)
	return height, o.fail("Final", err)
}

var errNoAnswer = errors.New("no answer")

func (o *telling) fail(method string, err error) error {
	if o.fails == method {
		return errNoAnswer
	}
	return err
}

func (o *telling) Proof(ctx context.Context, block chain.Anchor, keys ...[]byte) ([][]byte, error) {
	o.questions.Add(1)
	parts, err := o.Origin.Proof(ctx, block, keys...)
	if o.code != nil && err == nil && len(keys) == 1 {
		return o.code(parts)
	}
	if o.given != nil && err == nil && len(keys) > 1 {
		g := Given{Proof: parts, Extrinsics: make([][]byte, 3), Header: make([]byte, 200)}
		o.given(block.Height, &g)
		parts = g.Proof
	}
	return parts, o.fail("Proof", err)
}

func (o *telling) Version(ctx context.Context, block chain.Anchor) (jsonscan.Value, error) {
	o.questions.Add(1)
	v, err := o.Origin.Version(ctx, block)
	if o.version != nil && err == nil {
		v = o.version(block.Height, v)
	}
	return v, o.fail("Version", err)
}

func (o *telling) Metadata(ctx context.Context, block chain.Anchor) ([]byte, error) {
	o.questions.Add(1)
	bytes, err := o.Origin.Metadata(ctx, block)
	if o.metadata != nil && err == nil {
		bytes = o.metadata(block.Height, bytes)
	}
	return bytes, o.fail("Metadata", err)
}

func (o *telling) Word(ctx context.Context, method string) (jsonscan.Value, error) {
	o.questions.Add(1)
	v, err := o.Origin.Word(ctx, method)
	if o.word != nil && err == nil {
		v = o.word(method, v)
	}
	return v, o.fail("Word", err)
}
