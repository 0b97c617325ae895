package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/web"
)

// Pages that no cache has yet: each names its account with other spaces.
func BenchmarkPages(b *testing.B) {
	h := web.Handler(web.Options{Ledgers: []web.Served{{Ledger: filled(b, "0..27"), Network: "moonbeam"}}, Program: "a test"})
	made := 0
	for _, path := range []string{"/transactions?period=3..27", "/fees?period=3..27&by=account", "/variance?period=14..27", "/account/" + alith + "?period=3..27"} {
		b.Run(strings.SplitN(path[1:], "/", 2)[0][:5], func(b *testing.B) {
			for b.Loop() {
				made++
				spaces := strings.NewReplacer("0", ", ", "1", " ,").Replace(strconv.FormatInt(int64(made), 2))
				r := httptest.NewRequest(http.MethodGet, path+"&zone=UTC&accounts="+alith+url.QueryEscape(spaces), nil)
				r.Host = "localhost"
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body.String())
				}
			}
		})
	}
}
