// Package gatewaytest is a gateway for tests: it answers from a directory of
// recordings as the real one answered, with its statuses and error texts, and
// misbehaves on request.
package gatewaytest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The texts of the real gateway's errors (recordings, errors/).
const (
	noSuchBlock   = "Unable to retrieve header and parent from supplied hash"
	aboveU32      = "Specified block number is larger than the current largest block. The largest known block number is %d."
	notAHeight    = "Cannot get block hash for %s. Block IDs must be either 32-byte hex strings or non-negative decimal integers."
	nodeIsDown    = "WebSocket is not connected"
	htmlNotFound  = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n<pre>Cannot GET %s</pre>\n</body>\n</html>\n"
	jsonType      = "application/json; charset=utf-8"
	metadata      = `{"magicNumber":"1635018093","metadata":{"v14":{}}}`
	multiplierURL = "/pallets/transaction-payment/storage/nextFeeMultiplier"
)

// Handler answers from the recordings in a directory.
//
// Behind one of these prefixes it misbehaves: /html answers with web pages, /down
// as the real gateway does without its node, /cut sends half of each body,
// /other another block than was asked for, /old has no /runtime/spec, /open says
// that no block is final, /stale gives multipliers of another fork, and /key wants
// the API key "sesame".
func Handler(directory string) http.Handler {
	g := gateway{directory}
	mux := http.NewServeMux()
	mux.Handle("/", g)
	wrap := func(prefix string, h http.HandlerFunc) { mux.Handle(prefix+"/", http.StripPrefix(prefix, h)) }
	wrap("/html", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html><body>Welcome</body></html>")
	})
	wrap("/down", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusInternalServerError, nodeIsDown) })
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
			notFound(w, r)
			return
		}
		g.ServeHTTP(w, r)
	})
	wrap("/open", func(w http.ResponseWriter, r *http.Request) {
		g.altered(w, r, func(body []byte) []byte {
			return bytes.Replace(body, []byte(`"finalized":true`), []byte(`"finalized":false`), 1)
		})
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

type gateway struct{ directory string }

func (g gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	height, isHeader := strings.CutSuffix(strings.TrimPrefix(path, "/blocks/"), "/header")
	account, isBalance := strings.CutSuffix(strings.TrimPrefix(path, "/accounts/"), "/balance-info")
	switch {
	case path == "/blocks/head/header":
		g.file(w, "headers", g.head())
	case isHeader:
		g.at(w, height, "headers")
	case isBalance:
		g.at(w, cmp.Or(r.URL.Query().Get("at"), strconv.FormatUint(g.head(), 10)), filepath.Join("balance-info", account))
	case path == "/pallets/system/storage/account":
		g.send(w, "responses/storage-system-account.json")
	case path == "/runtime/metadata":
		w.Header().Set("Content-Type", jsonType)
		fmt.Fprint(w, metadata)
	case path == "/blocks/head":
		g.file(w, "blocks", g.head())
	case strings.HasPrefix(path, "/blocks/0x"):
		g.blockByHash(w, strings.TrimPrefix(path, "/blocks/"))
	case strings.HasPrefix(path, "/blocks/"):
		g.at(w, strings.TrimPrefix(path, "/blocks/"), "blocks")
	case path == multiplierURL:
		g.at(w, r.URL.Query().Get("at"), "multiplier")
	case path == "/runtime/spec":
		g.at(w, r.URL.Query().Get("at"), "runtime-spec")
	case path == "/node/version":
		g.send(w, "node-version.json")
	default:
		notFound(w, r)
	}
}

// at answers a question for a height.
func (g gateway) at(w http.ResponseWriter, text, kind string) {
	height, err := strconv.ParseUint(text, 10, 64)
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, fmt.Sprintf(notAHeight, text))
	case height > 1<<32-1:
		fail(w, http.StatusBadRequest, fmt.Sprintf(aboveU32, g.head()))
	case height > g.head():
		fail(w, http.StatusInternalServerError, noSuchBlock)
	case kind == "runtime-spec":
		g.runtime(w, height)
	default:
		g.file(w, kind, height)
	}
}

// runtime answers with the one recorded spec, which holds for all heights.
func (g gateway) runtime(w http.ResponseWriter, height uint64) {
	body, err := os.ReadFile(filepath.Join(g.directory, "runtime-spec.json"))
	var spec map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(body, &spec)
	}
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	spec["at"] = json.RawMessage(fmt.Sprintf(`{"height":"%d"}`, height))
	body, err = json.Marshal(spec)
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", jsonType)
	w.Write(body)
}

func (g gateway) blockByHash(w http.ResponseWriter, hash string) {
	for height := range g.head() + 1 {
		body, err := os.ReadFile(g.path("blocks", height))
		if err == nil && bytes.Contains(body, []byte(`,"hash":"`+hash+`","parentHash":`)) {
			g.file(w, "blocks", height)
			return
		}
	}
	fail(w, http.StatusInternalServerError, noSuchBlock)
}

func (g gateway) head() uint64 {
	paths, err := filepath.Glob(filepath.Join(g.directory, "blocks", "*.json"))
	if err != nil || len(paths) == 0 {
		panic("gatewaytest: no blocks in " + g.directory)
	}
	heights := []uint64{}
	for _, path := range paths {
		height, err := strconv.ParseUint(strings.TrimSuffix(filepath.Base(path), ".json"), 10, 64)
		if err == nil {
			heights = append(heights, height)
		}
	}
	return slices.Max(heights)
}

func (g gateway) path(kind string, height uint64) string {
	return filepath.Join(g.directory, kind, fmt.Sprintf("%d.json", height))
}

func (g gateway) file(w http.ResponseWriter, kind string, height uint64) {
	g.send(w, filepath.Join(kind, fmt.Sprintf("%d.json", height)))
}

func (g gateway) send(w http.ResponseWriter, name string) {
	body, err := os.ReadFile(filepath.Join(g.directory, name))
	if err != nil {
		fail(w, http.StatusInternalServerError, noSuchBlock)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	w.Write(body)
}

// altered changes the bodies of the answers that are well.
func (g gateway) altered(w http.ResponseWriter, r *http.Request, change func([]byte) []byte) {
	var answer recorder
	answer.header = http.Header{}
	g.ServeHTTP(&answer, r)
	for key, values := range answer.header {
		w.Header()[key] = values
	}
	if answer.status != 0 {
		w.WriteHeader(answer.status)
		w.Write(answer.body.Bytes())
		return
	}
	w.Write(change(answer.body.Bytes()))
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header            { return r.header }
func (r *recorder) WriteHeader(status int)         { r.status = status }
func (r *recorder) Write(body []byte) (int, error) { return r.body.Write(body) }

func fail(w http.ResponseWriter, status int, message string) {
	body, err := json.Marshal(map[string]any{"code": status, "message": message, "stack": "Error: " + message + "\n    at gateway.js:1:1", "level": "error"})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	w.Write(body)
}

func notFound(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	fmt.Fprintf(w, htmlNotFound, r.URL.Path)
}
