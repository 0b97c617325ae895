package gatewaytest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/feeledger/fees/internal/archive/answers"
)

const (
	nodeIsDown = `{"code":500,"message":"WebSocket is not connected","stack":"Error: WebSocket is not connected\n    at gateway.js:1:1","level":"error"}`
	jsonType   = "application/json; charset=utf-8"
	metadata   = `{"magicNumber":"1635018093","metadata":{"v14":{}}}`
)

// Handler responds from the recordings in a directory.
//
// With one of these prefixes it misbehaves: /html responds with web pages, /down like the real gateway without
// its node, /cut sends half of each body, /other a different block, /old has no /runtime/spec, /open reports
// every block as not final, /stale returns multipliers of another fork, /hung never responds, and /key
// requires the API key "sesame".
func Handler(directory string) http.Handler {
	recorded, err := answers.OpenDirectory(directory)
	if err != nil {
		panic(err)
	}
	g := gateway{directory, answers.Handler(recorded)}
	mux := http.NewServeMux()
	mux.Handle("/", g)
	wrap := func(prefix string, h http.HandlerFunc) { mux.Handle(prefix+"/", http.StripPrefix(prefix, h)) }
	wrap("/html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html><body>Welcome</body></html>")
	})
	wrap("/down", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, nodeIsDown)
	})
	wrap("/cut", func(w http.ResponseWriter, r *http.Request) {
		g.altered(w, r, func(body []byte) []byte { return body[:len(body)/2] })
	})
	wrap("/other", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/blocks/") {
			r.URL.Path = "/blocks/7"
		}
		g.ServeHTTP(w, r)
	})
	wrap("/old", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/runtime/spec" {
			r.URL.Path = "/nonesuch"
		}
		g.ServeHTTP(w, r)
	})
	wrap("/open", func(w http.ResponseWriter, r *http.Request) {
		g.altered(w, r, func(body []byte) []byte {
			return bytes.Replace(body, []byte(`"finalized":true`), []byte(`"finalized":false`), 1)
		})
	})
	wrap("/hung", func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // otherwise net/http does not notice that the client left
		<-r.Context().Done()
	})
	wrap("/key", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") != "sesame" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.ServeHTTP(w, r)
	})
	wrap("/stale", func(w http.ResponseWriter, r *http.Request) {
		g.altered(w, r, func(body []byte) []byte {
			hash := []byte(`{"at":{"hash":"0x`)
			if bytes.HasPrefix(body, hash) {
				copy(body[len(hash):], "ffffff")
			}
			return body
		})
	})
	return mux
}

type gateway struct {
	directory string
	recorded  http.Handler
}

func (g gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/pallets/system/storage/account":
		body, err := os.ReadFile(filepath.Join(g.directory, "responses/storage-system-account.json"))
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", jsonType)
		w.Write(body)
	case "/runtime/metadata":
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprint(w, metadata)
	default:
		g.recorded.ServeHTTP(w, r)
	}
}

// altered changes the bodies of healthy responses.
func (g gateway) altered(w http.ResponseWriter, r *http.Request, change func([]byte) []byte) {
	answer := httptest.NewRecorder()
	g.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	if answer.Code == http.StatusOK {
		body = change(body)
	}
	w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	w.WriteHeader(answer.Code)
	w.Write(body)
}
