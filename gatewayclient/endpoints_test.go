package gatewayclient_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/httpclient"
)

// answering returns a gateway with one path and query.
func answering(t *testing.T, path, body string) *gatewayclient.Client {
	return clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RequestURI() != path {
			status(404, "<html>Cannot GET "+r.URL.RequestURI()+"</html>")(w, r)
			return
		}
		fmt.Fprint(w, body)
	}), gatewayclient.Options{})
}

func recorded(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join(recordings, "moonbeam-2100", name))
	require.NoError(t, err)
	return string(text)
}

func TestHeaders(t *testing.T) {
	ctx := context.Background()
	text := recorded(t, "headers/25.json")
	b, err := sidecar.DecodeBlock(recorded(t, "blocks/25.json"))
	require.NoError(t, err)
	h, err := answering(t, "/blocks/25/header", text).Header(ctx, 25)
	require.NoError(t, err)
	require.Equal(t, b.ParentHash, h.ParentHash)
	require.Equal(t, uint64(25), h.Number)
	require.Equal(t, "0xbedd71d36e7de4cfe709d2d205ca58f95fe04c851309cc9c8723d83428b1aa79", h.StateRoot.String())
	require.Equal(t, "0x0872bca99c3afda349b7383be3c346b24cd4b9aea3e05b40a7850bc864dba2b3", h.ExtrinsicsRoot.String())

	_, err = answering(t, "/blocks/26/header", text).Header(ctx, 26)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answering(t, "/blocks/25/header", `{"number":"25"}`).Header(ctx, 25)
	require.EqualError(t, err, "header of block 25: malformed header: parentHash: missing")

	head, err := answering(t, "/blocks/head/header", text).HeadHeader(ctx, false)
	require.NoError(t, err)
	require.Equal(t, h, head)
	_, err = answering(t, "/blocks/head/header?finalized=false", text).HeadHeader(ctx, true)
	require.NoError(t, err)
	_, err = answering(t, "/other", text).HeadHeader(ctx, true)
	require.ErrorIs(t, err, chain.ErrNotOffered)
}

func TestBalance(t *testing.T) {
	ctx := context.Background()
	// recorded in front of runtime 2100
	const text = `{"at":{"hash":"0x0bd60f707662cd9194b8f962ef421245dfdc957848ff88e8fb4e7f5531223a62","height":"5"},"nonce":"0","tokenSymbol":"GLMR","free":"1009000000001111111101","reserved":"0","miscFrozen":"0","feeFrozen":"0","frozen":"frozen does not exist for this runtime","locks":[]}`
	account, err := chain.ParseAddress("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac")
	require.NoError(t, err)
	const path = "/accounts/0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac/balance-info"
	b, err := answering(t, path+"?at=5", text).Balance(ctx, account, chain.Some[uint64](5))
	require.NoError(t, err)
	require.Equal(t, "1009000000001111111101", b.Value.Free.String())
	require.True(t, b.Value.Reserved.IsZero())
	require.Equal(t, "GLMR", b.Value.Symbol)
	require.Equal(t, "0", b.Value.Nonce.String())
	_, err = answering(t, path, text).Balance(ctx, account, chain.Optional[uint64]{})
	require.NoError(t, err)
	_, err = answering(t, path+"?at=6", text).Balance(ctx, account, chain.Some[uint64](6))
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answering(t, path, `{"at":{"height":1}}`).Balance(ctx, account, chain.Optional[uint64]{})
	require.EqualError(t, err, "balance of 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac: malformed balance: nonce: missing")
}

func TestStorage(t *testing.T) {
	ctx := context.Background()
	const account = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"
	text := recorded(t, "responses/storage-system-account.json")
	s, err := answering(t, "/pallets/system/storage/account?keys%5B%5D="+account+"&at=51", text).
		Storage(ctx, "system", "account", []string{account}, chain.Some[uint64](51))
	require.NoError(t, err)
	require.Contains(t, string(s.Value), `"free":"997736248493936024563"`)
	require.Equal(t, uint64(51), s.At)

	s, err = answering(t, "/pallets/system/storage/events?", `{"at":{"height":"1"},"value":null}`).
		Storage(ctx, "system", "events", nil, chain.Optional[uint64]{})
	require.NoError(t, err)
	require.Equal(t, "null", string(s.Value))

	_, err = answering(t, "/pallets/system/storage/account?keys%5B%5D="+account+"&at=50", text).Storage(ctx, "system", "account", []string{account}, chain.Some[uint64](50))
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answering(t, "/pallets/a/storage/b?", `{"at":{"height":"1"}}`).Storage(ctx, "a", "b", nil, chain.Optional[uint64]{})
	require.EqualError(t, err, "storage a.b: malformed storage: value: missing")
	for _, name := range []string{"", "../x", "a b", "a?b", "é"} {
		_, err = answering(t, "/", "").Storage(ctx, name, "account", nil, chain.Optional[uint64]{})
		require.ErrorContains(t, err, "want names of letters, digits and hyphens", name)
	}
}

func TestBlockWeight(t *testing.T) {
	ctx := context.Background()
	answer := func(value string) *gatewayclient.Client {
		return answering(t, "/pallets/system/storage/blockWeight?at=7", `{"at":{"height":"7"},"value":`+value+`}`)
	}
	class := func(refTime string) string { return `{"refTime":"` + refTime + `","proofSize":"3"}` }
	w, err := answer(`{"normal":`+class("11")+`,"operational":`+class("12")+`,"mandatory":`+class("13")+`}`).BlockWeight(ctx, 7)
	require.NoError(t, err)
	require.Equal(t, uint64(7), w.At)
	require.Equal(t, "11", w.Value.Normal.RefTime.String())
	var malformed *sidecar.DecodeError
	_, err = answer(`{}`).BlockWeight(ctx, 7)
	require.ErrorAs(t, err, &malformed)
	require.EqualError(t, err, "block weight at block 7: malformed block weight: value: normal: missing")
	all := `{"normal":` + class("1") + `,"operational":` + class("2") + `,"mandatory":` + class("3") + `}`
	_, err = answering(t, "/pallets/system/storage/blockWeight?at=8", `{"at":{"height":"7"},"value":`+all+`}`).BlockWeight(ctx, 8)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answering(t, "/other", "").BlockWeight(ctx, 7)
	require.ErrorIs(t, err, chain.ErrNotOffered)
}

func TestMetadata(t *testing.T) {
	ctx := context.Background()
	text := `{"magicNumber":"1635018093","metadata":{}}`
	var out bytes.Buffer
	n, err := answering(t, "/runtime/metadata", text).Metadata(ctx, &out)
	require.NoError(t, err)
	require.Equal(t, int64(len(text)), n)
	require.Equal(t, text, out.String())
	out.Reset()
	_, err = answering(t, "/v1/runtime/metadata", text).Metadata(ctx, &out)
	require.NoError(t, err)
	require.Equal(t, text, out.String())
	_, err = answering(t, "/", "").Metadata(ctx, &out)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	_, err = clientOf(t, said(500, "no metadata today"), gatewayclient.Options{}).Metadata(ctx, &out)
	require.ErrorContains(t, err, "status 500 Internal Server Error: no metadata today")
	large := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 20_000))
	}), gatewayclient.Options{MaxAnswer: 10_000})
	_, err = large.Metadata(ctx, &out)
	require.ErrorContains(t, err, "larger than any block should be")
	broken := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "{")
	}), gatewayclient.Options{})
	_, err = broken.Metadata(ctx, &out)
	var unreachable *httpclient.UnreachableError
	require.ErrorAs(t, err, &unreachable)
}

// A response is copied exactly, including white space.
func TestAnswer(t *testing.T) {
	ctx := context.Background()
	text := "\n {\"at\": 1}\r\n\t "
	have, err := answering(t, "/any/path?at=1", text).Get(ctx, "/any/path?at=1")
	require.NoError(t, err)
	require.Equal(t, text, have)
	_, err = answering(t, "/other", text).Get(ctx, "/any")
	require.ErrorIs(t, err, chain.ErrNotOffered)
	_, err = answering(t, "/page", "\n <html></html>").Get(ctx, "/page")
	require.ErrorIs(t, err, httpclient.ErrNotJSON)
}
