package answers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/archive/demo"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/test/crashtest"
)

func get(a *answers.Archive, method, path string) *http.Response {
	w := httptest.NewRecorder()
	answers.Handler(a).ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Result()
}

func body(t testing.TB, answer *http.Response) string {
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// The errors are those of the real gateway, except its head, which the texts
// name, and its stack.
func TestHandlerErrors(t *testing.T) {
	a := moonbeam(t)
	for _, name := range []string{
		"account-32", "account-badchecksum", "account-future-at", "bad-account", "bad-account-short", "base-fee-storage",
		"future-block", "future-block-multiplier", "future-by-one", "huge-number", "over-u32", "spec-future",
		"malformed-at", "malformed-block", "malformed-block-float", "malformed-block-negative", "malformed-hash", "malformed-hash-nothex",
		"unknown-hash", "unknown-pallet", "unknown-storage", "unknown-route", "unknown-route-2", "unknown-v1", "wrong-method",
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(recordings, "moonbeam-2100/errors", name+".json"))
			require.NoError(t, err)
			var want struct {
				Request string            `json:"request"`
				Status  int               `json:"status"`
				Headers map[string]string `json:"headers"`
				Body    string            `json:"body"`
			}
			require.NoError(t, json.Unmarshal(text, &want))
			method, path, _ := strings.Cut(want.Request, " ")
			answer := get(a, method, path)
			require.Equal(t, want.Status, answer.StatusCode)
			for _, header := range []string{"Content-Type", "Content-Security-Policy", "X-Content-Type-Options"} {
				require.Equal(t, want.Headers[strings.ToLower(header)], answer.Header.Get(header))
			}
			have := body(t, answer)
			require.Equal(t, fmt.Sprint(len(have)), answer.Header.Get("Content-Length"))
			if want.Status == http.StatusNotFound {
				require.Equal(t, want.Body, have)
				return
			}
			var wantBody, haveBody map[string]any
			require.NoError(t, json.Unmarshal([]byte(want.Body), &wantBody))
			require.NoError(t, json.Unmarshal([]byte(have), &haveBody))
			delete(wantBody, "stack")
			wantBody["message"] = strings.Replace(wantBody["message"].(string), "block number is 51", "block number is 27", 1)
			require.Equal(t, wantBody, haveBody)
		})
	}
}

// What was kept is answered to the byte.
func TestHandlerAnswers(t *testing.T) {
	a := moonbeam(t)
	kept := crashtest.Tree(t, filepath.Join(recordings, "moonbeam-2100"))
	lower := strings.ToLower(payer)
	const multiplier = "/pallets/transaction-payment/storage/nextFeeMultiplier"
	const hash25 = "0x8a6106317772a661efcdabc6803822782030b7d040428e9caf4f7dd8beceb75f"
	for path, file := range map[string]string{
		"/blocks/25":                                "blocks/25.json",
		"/blocks/" + hash25:                         "blocks/25.json",
		"/blocks/0":                                 "blocks/0.json",
		"/blocks/head":                              "blocks/27.json",
		"/blocks/head?finalized=false":              "blocks/27.json",
		"/blocks/head/header":                       "headers/27.json",
		"/blocks/25/header":                         "headers/25.json",
		"/blocks/" + hash25 + "/header":             "headers/25.json",
		multiplier + "?at=24":                       "multiplier/24.json",
		multiplier + "?at=" + hash25:                "multiplier/25.json",
		multiplier:                                  "multiplier/27.json",
		"/node/version":                             "node-version.json",
		"/accounts/" + lower + "/balance-info":      "balance-info/" + lower + "/27.json",
		"/accounts/" + payer + "/balance-info":      "balance-info/" + lower + "/27.json",
		"/accounts/" + payer + "/balance-info?at=5": "balance-info/" + lower + "/5.json",
	} {
		answer := get(a, http.MethodGet, path)
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		require.Equal(t, "application/json; charset=utf-8", answer.Header.Get("Content-Type"))
		require.Equal(t, kept[file], body(t, answer), path)
	}
	// The one runtime that was kept is asked for at another height.
	spec := body(t, get(a, http.MethodGet, "/runtime/spec?at=24"))
	require.Equal(t, strings.Replace(kept["runtime-spec.json"],
		`{"height":"51","hash":"0x1dcb18a31352d7ac096d1ab1dc02063e1814c6787bc04c8c38aa6e20732782d7"}`,
		`{"height":"24","hash":"0xfd9c6a20178fc0cccc27741324d470d2c62031fbc358f99cf92cfc24476015d7"}`, 1), spec)
	require.Contains(t, body(t, get(a, http.MethodGet, "/runtime/spec")), `"height":"27"`)
}

// What the archive lacks, or has damaged, is said without its place.
func TestHandlerLacks(t *testing.T) {
	block8 := strings.Replace(block, `"7"`, `"8"`, 1)
	a := with(map[string]string{"blocks/7.json": "x", "blocks/9.json": block8, "multiplier/8.json/x": "", "runtime-spec.json": `{"at":{"height":"51"},"specName":"m"}`})
	for path, want := range map[string]string{
		"/blocks/8":        `{"code":500,"message":"Unable to retrieve header and parent from supplied hash","level":"error"}`,
		"/blocks/9/header": `{"code":500,"message":"headers/9.json: the archive lacks it","level":"error"}`,
		"/pallets/transaction-payment/storage/nextFeeMultiplier?at=8":                `{"code":500,"message":"multiplier/8.json: the archive is damaged: not a regular file","level":"error"}`,
		"/accounts/0x7777777777777777777777777777777777777777/balance-info?at=7":     `{"code":500,"message":"balance-info/0x7777777777777777777777777777777777777777/7.json: the archive lacks it","level":"error"}`,
		"/blocks/0x1212121212121212121212121212121212121212121212121212121212121212": `{"code":500,"message":"blocks/7.json: the archive is damaged: malformed block: byte 0: want a value","level":"error"}`,
		"/runtime/spec?at=5": `{"at":{"height":"5"},"specName":"m"}`,
		"/runtime/spec?at=8": `{"at":{"height":"8"},"specName":"m"}`,
	} {
		have := body(t, get(a, http.MethodGet, path))
		if strings.Contains(want, "malformed") {
			require.Contains(t, have, "the archive is damaged", path)
			continue
		}
		require.Equal(t, want, have, path)
	}
	for _, path := range []string{"/", "/node/version", "/runtime/spec?at=7"} {
		none := with(map[string]string{"blocks/7.json": block})
		require.Equal(t, http.StatusNotFound, get(none, http.MethodGet, path).StatusCode, path)
	}
	require.Equal(t, http.StatusInternalServerError, get(with(nil), http.MethodGet, "/blocks/7").StatusCode)
	malformed := with(map[string]string{"blocks/7.json": block, "runtime-spec.json": "x"})
	require.Contains(t, body(t, get(malformed, http.MethodGet, "/runtime/spec?at=7")), "runtime-spec.json: the archive is damaged")
	require.Contains(t, body(t, get(a, http.MethodGet, "/nonesuch/%3Cscript%3E")), "Cannot GET /nonesuch/%3Cscript%3E")
	require.Contains(t, body(t, get(a, http.MethodGet, "/pallets/a--b/storage/c")), `\"aB\" was not recognized`)
}

// A served archive ends when its context does.
func TestServe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- reply.Serve(ctx, listener, answers.Handler(demo.Open())) }()
	client, err := gatewayclient.New("http://"+listener.Addr().String(), gatewayclient.Options{})
	require.NoError(t, err)
	b, err := client.Head(ctx, false)
	require.NoError(t, err)
	want, err := demo.Open().Head(ctx, false)
	require.NoError(t, err)
	require.Equal(t, want, b)
	balance, err := client.Balance(ctx, account(t), chain.Some(uint64(5)))
	require.NoError(t, err)
	require.Equal(t, uint64(5), balance.At)
	_, err = client.Balance(ctx, chain.Address20([20]byte{1}), chain.Some(uint64(5)))
	require.ErrorContains(t, err, "status 500 Internal Server Error: balance-info")
	stop()
	require.NoError(t, <-ended)
	require.Error(t, reply.Serve(context.Background(), listener, answers.Handler(demo.Open())))
}

// A runtime that is kept for all heights is that of the height that is asked for, with the
// hash that its own block or the next one tells.
func TestTheHashOfARuntime(t *testing.T) {
	blocks := chainTo(9, map[uint64]int{0: 1})
	a := with(map[string]string{"runtime-spec.json": blocks["/runtime/spec?at=3"], "blocks/5.json": blocks["/blocks/5"], "blocks/7.json": blocks["/blocks/7"]})
	for height, hash := range map[uint64]string{3: hashOf(3), 5: hashOf(5), 6: hashOf(6)} {
		answer := get(a, http.MethodGet, fmt.Sprintf("/runtime/spec?at=%d", height))
		require.Equal(t, http.StatusOK, answer.StatusCode, height)
		runtime, err := sidecar.DecodeRuntime(body(t, answer))
		require.NoError(t, err)
		require.Equal(t, height, runtime.At)
		have, known := runtime.AtHash.Get()
		require.True(t, known, height)
		require.Equal(t, hash, have.String())
	}
	runtime, err := sidecar.DecodeRuntime(body(t, get(a, http.MethodGet, "/runtime/spec?at=2")))
	require.NoError(t, err)
	require.False(t, runtime.AtHash.Known(), "neither it nor the next one is there")
}
