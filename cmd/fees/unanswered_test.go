package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// The last block of a range is treated like any other: a response for another block, garbage or an empty response is
// an error, and a late one is reported. None of them gives exit code 0.
func TestVerifyOfTheLastMultiplier(t *testing.T) {
	t.Parallel()
	recorded := gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100"))
	const last = "/pallets/transaction-payment/storage/nextFeeMultiplier?at=25"
	for name, c := range map[string]struct {
		answer     http.HandlerFunc
		out, error string
	}{
		"nothing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "", "status 204"},
		"garbage": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"at":{"height":"25"},"value":"x"}`)) }, "", "malformed multiplier"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`<html>`)) }, "", "not JSON"},
		"another's": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"at":{"height":"25","hash":"0x` + strings.Repeat("12", 32) + `"},"value":"1"}`))
		}, "", "the response is for a different block"},
		"too late": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"1 request was not answered; first: multiplier at block 25 could not be fetched; a later run can retry", "1 request was not answered. Run it again"},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RequestURI() == last {
					c.answer(w, r)
					return
				}
				recorded.ServeHTTP(w, r)
			}))
			t.Cleanup(gateway.Close)
			out, stderr, code := fees("verify", "23..25", "--quiet", "--gateway", gateway.URL, "--timeout", "1s")
			require.Equal(t, exitGateway, code, stderr)
			require.Contains(t, stderr, c.error)
			require.Contains(t, strings.Join(strings.Fields(out), " "), c.out)
		})
	}
}
