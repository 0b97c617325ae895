package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// said is what a node says in place of an answer.
type said struct {
	code int64
	text string
}

func (s said) Error() string                   { return s.text }
func (s said) Refused() (code int64, t string) { return s.code, s.text }

// What hosted gateways and nodes say, as their documentation and their users quote it.
func TestFailureOf(t *testing.T) {
	gateway, node := httpclient.Place{What: httpclient.Gateway}, httpclient.Place{What: httpclient.Node}
	of := func(place httpclient.Place, code int, text string) error {
		return fmt.Errorf("block 7: %w", &httpclient.StatusError{Place: place, Code: code, Message: text})
	}
	for _, c := range []struct {
		err  error
		want httpclient.Failure
	}{
		{of(gateway, 408, ""), httpclient.Unavailable}, {of(gateway, 425, ""), httpclient.Unavailable}, {of(gateway, 429, ""), httpclient.Busy},
		{of(gateway, 500, ""), httpclient.Internal}, {of(gateway, 501, ""), httpclient.Final}, {of(gateway, 502, ""), httpclient.Unavailable}, {of(gateway, 599, ""), httpclient.Internal},
		{of(gateway, 400, ""), httpclient.Final}, {of(gateway, 401, ""), httpclient.Denied}, {of(gateway, 402, ""), httpclient.QuotaSpent}, {of(gateway, 403, ""), httpclient.Denied},
		{of(gateway, 404, ""), httpclient.Final}, {of(node, 404, ""), httpclient.Unusable}, {of(node, 413, ""), httpclient.Final},
		{of(gateway, 500, "No response received from RPC endpoint in 60s"), httpclient.Unavailable},
		{of(gateway, 500, "Failed while trying to get the latest header."), httpclient.NodeLost},
		{of(gateway, 500, "-32005: Too many requests, please apply for an API key"), httpclient.Busy},
		{of(gateway, 500, "-32005: limit"), httpclient.Busy},
		{of(gateway, 500, "-32603: Internal error"), httpclient.Internal},
		{of(gateway, 500, "-32601: Method not found"), httpclient.Final},
		{of(gateway, 500, "4003: Client error: Api called for an unknown Block: State already discarded for 0x12"), httpclient.Pruned},
		{of(gateway, 429, "Daily request limit exceeded. Please upgrade your plan"), httpclient.QuotaSpent},
		{of(gateway, 401, "project id quota"), httpclient.QuotaSpent},
		{said{-32005, "You've exceeded the RPS limit available on the current plan."}, httpclient.Busy},
		{said{-32005, "daily request count exceeded, request rate limited"}, httpclient.QuotaSpent},
		{said{-32029, "x"}, httpclient.Busy}, {said{-32009, "Server is busy, try again later"}, httpclient.Busy}, {said{429, ""}, httpclient.Busy}, {said{503, ""}, httpclient.Unavailable}, {said{500, ""}, httpclient.Internal},
		{said{-32603, "Internal server error"}, httpclient.Internal}, {said{-32603, "Client(UnknownBlock(\"State already discarded for BlockId::Hash(0x34)\"))"}, httpclient.Pruned},
		{said{-32603, "VM Exception while processing transaction: revert"}, httpclient.Final}, {said{-32603, "request timed out"}, httpclient.Unavailable},
		{said{-32000, "nonce too low"}, httpclient.Final}, {said{-32000, "header not found"}, httpclient.Internal}, {said{-32601, "Method not found"}, httpclient.Final},
		{said{-32602, "Invalid params"}, httpclient.Final}, {said{1010, "Invalid Transaction"}, httpclient.Final}, {said{4003, "Client error: UnknownBlock"}, httpclient.Final},
		{said{-32001, "Invalid API key"}, httpclient.Denied}, {said{0, "who are you"}, httpclient.Final},
		{&httpclient.UnreachableError{Place: node, Err: errors.New("connection reset by peer")}, httpclient.Unavailable},
		{&httpclient.UnreachableError{Place: node, Err: said{0, "monthly quota exceeded"}}, httpclient.QuotaSpent},
		{&httpclient.UnreachableError{Place: node, Err: said{0, "going away"}}, httpclient.Unavailable},
		{&httpclient.UnreachableError{Place: node, Err: httpclient.ErrTooLarge}, httpclient.Final},
		{&httpclient.UnreachableError{Place: node, Err: http.ErrSchemeMismatch}, httpclient.Final},
		{&httpclient.UnusableError{Err: errors.New("another block")}, httpclient.Unusable}, {httpclient.ErrNotJSON, httpclient.Unusable},
		{errors.New("anything else"), httpclient.Final}, {nil, httpclient.Final},
	} {
		require.Equal(t, c.want, httpclient.FailureOf(c.err), "%v", c.err)
	}
}

// Where a failure that may be the question's own is met in vain, the next question meets it less
// often, and at least once more; what is answered in the end restores patience.
func TestDoubtsInVain(t *testing.T) {
	bad := true
	asked := 0
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; bad && asked > 1 || r.URL.Path == "/once" && asked == 1 {
			status(500, "cannot read")(w, r)
			return
		}
		fmt.Fprint(w, "well")
	}), httpclient.Options{})
	count := func(path string) int {
		asked = 0
		_, err := get(context.Background(), c, path)
		require.Equal(t, path == "/bad", err != nil, path)
		return asked
	}
	require.Equal(t, 1, count("/"))
	var attempts []int
	for range 6 {
		asked = 1
		_, err := get(context.Background(), c, "/bad")
		require.Error(t, err)
		attempts = append(attempts, asked-1)
	}
	require.Equal(t, []int{10, 5, 3, 2, 2, 2}, attempts)
	bad = false
	require.Equal(t, 2, count("/once"))
	bad, asked = true, 1
	_, err := get(context.Background(), c, "/bad")
	require.Error(t, err)
	require.Equal(t, 10, asked-1)
}

// A provider's words are quoted in one line, bounded, and without the client's secrets.
func TestQuotes(t *testing.T) {
	answer := func(body string) http.HandlerFunc { return status(403, body) }
	for body, want := range map[string]string{
		`{"error":{"code":-32005,"message":"limit"}}`:        "limit",
		`{"message":"unknown key KEY-0123456789 of sesame"}`: "unknown key [hidden] of [hidden]",
		`{"error":"a\u001b[31mred\nline"}`:                   "a [31mred line",
		`"text"`:                                             "text",
		`<html><head><TITLE lang="en">Attention &amp; Required!` + "\n" + ` </TITLE>`: "Attention & Required!",
		`plain words`:            "plain words",
		`{"n":1}`:                "",
		``:                       "",
		strings.Repeat("x", 900): strings.Repeat("x", 240) + "…",
	} {
		c := clientOf(t, answer(body), httpclient.Options{})
		keyed, err := httpclient.New(httpclient.Gateway, c.Place().Address+"/v3/KEY-0123456789?apikey=0123456789abcdef", httpclient.Options{APIKey: "sesame"}, "http", "https")
		require.NoError(t, err)
		t.Cleanup(keyed.Close)
		got, err := keyed.Get(context.Background(), "/")
		require.NoError(t, err)
		require.Equal(t, want, keyed.Refused("/", got).Message, body)
	}
}
