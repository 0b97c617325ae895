package chaingen_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

var _ source.Source = chaingen.Source{}

// It responds as answers.Handler does with the same chain's responses in files: the same statuses, types and
// bodies.
func TestHandlerAnswersAsAnArchive(t *testing.T) {
	const head = 12
	c := chaingen.New(chaingen.Options{Seed: 1, Head: head, Upgrade: 6})
	directory := t.TempDir()
	require.NoError(t, c.WriteDirectory(directory, 0, head))
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	hash, unknown := c.Hash(5).String(), c.Hash(head+1).String()
	for _, question := range []string{
		"/blocks/0", "/blocks/5", "/blocks/head", "/blocks/head?finalized=false", "/blocks/" + hash, "/blocks/5/header", "/blocks/head/header",
		"/pallets/transaction-payment/storage/nextFeeMultiplier", "/pallets/transaction-payment/storage/nextFeeMultiplier?at=5",
		"/pallets/transaction-payment/storage/nextFeeMultiplier?at=" + hash, "/runtime/spec", "/runtime/spec?at=5", "/runtime/spec?at=6", "/node/version",
		"/blocks/13", "/blocks/99999999", "/blocks/4294967296", "/blocks/123456789012345678901234567890", "/blocks/abc", "/blocks/1.5", "/blocks/-1",
		"/blocks/0x1234", "/blocks/0xzz", "/blocks/" + unknown, "/blocks/13/header", "/runtime/spec?at=13", "/runtime/spec?at=x",
		"/pallets/transaction-payment/storage/nextFeeMultiplier?at=13", "/nonesuch", "/blocks/1/nonesuch", "/blocks",
	} {
		want, have := answerTo(answers.Handler(a), http.MethodGet, question), answerTo(c.Handler(), http.MethodGet, question)
		require.Equal(t, want.Code, have.Code, question)
		require.Equal(t, want.Header(), have.Header(), question)
		require.Equal(t, want.Body.String(), have.Body.String(), question)
	}
	want, have := answerTo(answers.Handler(a), http.MethodPost, "/blocks/5"), answerTo(c.Handler(), http.MethodPost, "/blocks/5")
	require.Equal(t, want.Code, have.Code)
	require.Equal(t, want.Body.String(), have.Body.String())
}

func answerTo(h http.Handler, method, question string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, httptest.NewRequest(method, question, nil))
	return answer
}

// A range is the same through the client, from the directory and from the chain itself, across the upgrade.
func TestSourcesAgree(t *testing.T) {
	const first, last = 990, 1010
	c := chaingen.New(chaingen.Options{Seed: 1, Head: last, Upgrade: 1000})
	directory := t.TempDir()
	require.NoError(t, c.WriteDirectory(directory, first, last))
	a, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	client, err := gatewayclient.New(server.URL, gatewayclient.Options{})
	require.NoError(t, err)
	var read [][]source.Item
	for _, s := range []source.Source{c.Source(), client, a} {
		reader := &source.Reader{Source: s, Tables: network.BuiltIn()}
		var items []source.Item
		for item, err := range reader.Range(context.Background(), chain.Heights{First: first, Last: last}, 4) {
			require.NoError(t, err)
			items = append(items, item)
		}
		require.Len(t, items, last-first+1)
		read = append(read, items)
	}
	require.Equal(t, read[0], read[1])
	require.Equal(t, read[0], read[2])
	for _, item := range read[0] {
		version, _ := item.Rules.Runtime.Get()
		want := uint32(chaingen.FirstRuntime)
		if item.Block.Number > 1000 { // the block after the upgrade is the first that it executes
			want = chaingen.SecondRuntime
		}
		require.Equal(t, want, version, "block %d", item.Block.Number)
	}
}
