package ask_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
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
	gateway, node := ask.Place{What: ask.Gateway}, ask.Place{What: ask.Node}
	of := func(place ask.Place, code int, text string) error {
		return fmt.Errorf("block 7: %w", &ask.StatusError{Place: place, Code: code, Message: text})
	}
	for _, c := range []struct {
		err  error
		want ask.Failure
	}{
		{of(gateway, 408, ""), ask.Unavailable}, {of(gateway, 425, ""), ask.Unavailable}, {of(gateway, 429, ""), ask.Busy},
		{of(gateway, 500, ""), ask.Internal}, {of(gateway, 501, ""), ask.Final}, {of(gateway, 502, ""), ask.Unavailable}, {of(gateway, 599, ""), ask.Internal},
		{of(gateway, 400, ""), ask.Final}, {of(gateway, 401, ""), ask.Denied}, {of(gateway, 402, ""), ask.QuotaSpent}, {of(gateway, 403, ""), ask.Denied},
		{of(gateway, 404, ""), ask.Final}, {of(node, 404, ""), ask.Unusable}, {of(node, 413, ""), ask.Final},
		{of(gateway, 500, "No response received from RPC endpoint in 60s"), ask.Unavailable},
		{of(gateway, 500, "Failed while trying to get the latest header."), ask.NodeLost},
		{of(gateway, 500, "-32005: Too many requests, please apply for an API key"), ask.Busy},
		{of(gateway, 500, "-32005: limit"), ask.Busy},
		{of(gateway, 500, "-32603: Internal error"), ask.Internal},
		{of(gateway, 500, "-32601: Method not found"), ask.Final},
		{of(gateway, 500, "4003: Client error: Api called for an unknown Block: State already discarded for 0x12"), ask.Pruned},
		{of(gateway, 429, "Daily request limit exceeded. Please upgrade your plan"), ask.QuotaSpent},
		{of(gateway, 401, "project id quota"), ask.QuotaSpent},
		{said{-32005, "You've exceeded the RPS limit available on the current plan."}, ask.Busy},
		{said{-32005, "daily request count exceeded, request rate limited"}, ask.QuotaSpent},
		{said{-32029, "x"}, ask.Busy}, {said{-32009, "Server is busy, try again later"}, ask.Busy}, {said{429, ""}, ask.Busy}, {said{503, ""}, ask.Unavailable}, {said{500, ""}, ask.Internal},
		{said{-32603, "Internal server error"}, ask.Internal}, {said{-32603, "Client(UnknownBlock(\"State already discarded for BlockId::Hash(0x34)\"))"}, ask.Pruned},
		{said{-32603, "VM Exception while processing transaction: revert"}, ask.Final}, {said{-32603, "request timed out"}, ask.Unavailable},
		{said{-32000, "nonce too low"}, ask.Final}, {said{-32000, "header not found"}, ask.Internal}, {said{-32601, "Method not found"}, ask.Final},
		{said{-32602, "Invalid params"}, ask.Final}, {said{1010, "Invalid Transaction"}, ask.Final}, {said{4003, "Client error: UnknownBlock"}, ask.Final},
		{said{-32001, "Invalid API key"}, ask.Denied}, {said{0, "who are you"}, ask.Final},
		{&ask.UnreachableError{Place: node, Err: errors.New("connection reset by peer")}, ask.Unavailable},
		{&ask.UnreachableError{Place: node, Err: said{0, "monthly quota exceeded"}}, ask.QuotaSpent},
		{&ask.UnreachableError{Place: node, Err: said{0, "going away"}}, ask.Unavailable},
		{&ask.UnreachableError{Place: node, Err: ask.ErrTooLarge}, ask.Final},
		{&ask.UnreachableError{Place: node, Err: http.ErrSchemeMismatch}, ask.Final},
		{&ask.UnusableError{Err: errors.New("another block")}, ask.Unusable}, {ask.ErrNotJSON, ask.Unusable},
		{errors.New("anything else"), ask.Final}, {nil, ask.Final},
	} {
		require.Equal(t, c.want, ask.FailureOf(c.err), "%v", c.err)
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
	}), ask.Options{})
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
		c := clientOf(t, answer(body), ask.Options{})
		keyed, err := ask.New(ask.Gateway, c.Place().Address+"/v3/KEY-0123456789?apikey=0123456789abcdef", ask.Options{APIKey: "sesame"}, "http", "https")
		require.NoError(t, err)
		t.Cleanup(keyed.Close)
		got, err := keyed.Get(context.Background(), "/")
		require.NoError(t, err)
		require.Equal(t, want, keyed.Refused("/", got).Message, body)
	}
}
