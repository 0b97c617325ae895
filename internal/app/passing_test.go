package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

// fails answers badly. The question is nil where a gateway is asked, else the message to a node.
type fails func(w http.ResponseWriter, well, message []byte)

func withStatus(code int, body string) fails {
	return func(w http.ResponseWriter, _, _ []byte) {
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// sidecarSays is an error of Sidecar's.
func sidecarSays(message string) fails {
	return withStatus(500, fmt.Sprintf(`{"code":500,"message":%q,"stack":"Error: x\n at /usr/src/app/build/x.js","level":"error"}`, message))
}

// rpcSays refuses each question of a message to a node.
func rpcSays(code int, message string) fails {
	return func(w http.ResponseWriter, _, text []byte) {
		refused := func(id json.RawMessage) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
		}
		type question struct{ ID json.RawMessage }
		if !bytes.HasPrefix(text, []byte("[")) {
			var q question
			json.Unmarshal(text, &q)
			io.WriteString(w, refused(q.ID))
			return
		}
		var list []question
		json.Unmarshal(text, &list)
		var answers []string
		for _, q := range list {
			answers = append(answers, refused(q.ID))
		}
		io.WriteString(w, "["+strings.Join(answers, ",")+"]")
	}
}

var page = withStatus(200, "<!DOCTYPE html><html><title>Just a moment...</title></html>")

// passingFailures are the ways in which hosted gateways and nodes fail and come back, by status, code
// and text, as their users report them.
var passingFailures = map[string]struct {
	fails fails
	of    string // "gateway" or "node", where only one fails so
	says  string // its words, where it has some
}{
	"408": {withStatus(408, ""), "", ""}, "425": {withStatus(425, ""), "", ""}, "429": {withStatus(429, "Too many requests, check our pricing"), "", "Too many requests, check our pricing"},
	"500": {withStatus(500, ""), "", ""}, "502": {withStatus(502, "<html><title>502 Bad Gateway</title></html>"), "", "502 Bad Gateway"},
	"503": {withStatus(503, ""), "", ""}, "504": {withStatus(504, ""), "", ""}, "520": {withStatus(520, ""), "", ""}, "521": {withStatus(521, ""), "", ""},
	"522": {withStatus(522, ""), "", ""}, "523": {withStatus(523, ""), "", ""}, "524": {withStatus(524, ""), "", ""},
	"401":      {withStatus(401, `{"error":"project id quota"}`), "", "project id quota"},
	"403":      {withStatus(403, "<!DOCTYPE html><title>Attention Required! | Cloudflare</title>"), "", "Attention Required! | Cloudflare"},
	"web page": {page, "", "Just a moment..."},
	"cut JSON": {func(w http.ResponseWriter, well, _ []byte) { w.Write(well[:len(well)/2]) }, "", ""},
	"reset":    {func(http.ResponseWriter, []byte, []byte) { panic(http.ErrAbortHandler) }, "", ""},

	"node hangs":             {sidecarSays("No response received from RPC endpoint in 60s"), "gateway", "No response received from RPC endpoint in 60s"},
	"node lost":              {sidecarSays("WebSocket is not connected"), "gateway", "WebSocket is not connected"},
	"rate limit in a 500":    {sidecarSays("-32005: Too many requests, please apply for an API key"), "gateway", "-32005: Too many requests, please apply for an API key"},
	"internal error in 500":  {sidecarSays("-32603: Internal error"), "gateway", "-32603: Internal error"},
	"server error in a 500":  {sidecarSays("-32000: Server error"), "gateway", "-32000: Server error"},
	"error with status 200":  {withStatus(200, `{"error":"upstream request timeout"}`), "gateway", ""},
	"-32603":                 {rpcSays(-32603, "Internal server error"), "node", "Internal server error"},
	"-32000":                 {rpcSays(-32000, "backend timed out"), "node", "backend timed out"},
	"-32005":                 {rpcSays(-32005, "You've exceeded the RPS limit available on the current plan."), "node", "RPS limit"},
	"-32029":                 {rpcSays(-32029, "Too many requests, please retry later"), "node", "Too many requests"},
	"-32005, daily":          {rpcSays(-32005, "daily request count exceeded"), "node", "daily request count exceeded"},
	"429 as a code":          {rpcSays(429, "slow down"), "node", "slow down"},
	"-32603 of no question":  {withStatus(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`), "node", "Internal error"},
	"status 429 with -32005": {withStatus(429, `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"Too many requests"}}`), "node", "Too many requests"},
}

// failing fails requests from one on.
type failing struct {
	http.Handler
	fails fails
	asked atomic.Int64
	first int64 // from 1 on
}

func (f *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.asked.Add(1) < f.first {
		f.Handler.ServeHTTP(w, r)
		return
	}
	f.fails.answer(f.Handler, w, r)
}

func (f fails) answer(h http.Handler, w http.ResponseWriter, r *http.Request) {
	message, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(message))
	well := httptest.NewRecorder()
	h.ServeHTTP(well, r)
	f(w, well.Body.Bytes(), message)
}

// twice fails each request twice, except the very first, in all ways one after the other.
type twice struct {
	http.Handler
	ways []fails

	guard sync.Mutex
	count int            // of failures
	asked map[string]int // by question
}

var questionID = regexp.MustCompile(`"id":[0-9]+`)

func (f *twice) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	message, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(message))
	question := r.URL.String() + questionID.ReplaceAllString(string(message), "")
	f.guard.Lock()
	if len(f.asked) == 0 {
		f.asked[question] = 2
	}
	f.asked[question]++
	fail := f.asked[question] < 3
	way := f.ways[f.count%len(f.ways)]
	if fail {
		f.count++
	}
	f.guard.Unlock()
	if !fail {
		f.Handler.ServeHTTP(w, r)
		return
	}
	way.answer(f.Handler, w, r)
}

// waysOf are the ways in which a gateway or a node fails, by name and in the order of the names.
func waysOf(what string) (names []string, ways []fails) {
	for _, name := range slices.Sorted(maps.Keys(passingFailures)) {
		if c := passingFailures[name]; c.of == "" || c.of == what {
			names, ways = append(names, name), append(ways, c.fails)
		}
	}
	return names, ways
}

// fillers are the programs that read a chain for long, on blocks 1 to 12. Each returns what it made.
var fillers = map[string]func(t *testing.T, reader *source.Reader, place string) (made string, err error){
	"sync": func(t *testing.T, reader *source.Reader, place string) (string, error) {
		if _, err := app.Sync(t.Context(), place, blocks(t, "1..12"), app.FillOptions{Reader: reader}); err != nil {
			return "", err
		}
		return sealOf(t, place), nil
	},
	"follow": func(t *testing.T, reader *source.Reader, place string) (string, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := app.Follow(ctx, place, app.FollowOptions{
			FillOptions: app.FillOptions{Reader: reader}, Heads: source.Poll(reader.Source, time.Millisecond), From: chain.Some[uint64](1),
			Lag: func(height, _ uint64) {
				if height == 12 {
					cancel()
				}
			},
		})
		if app.KindOf(err) != failure.Stopped {
			return "", err
		}
		return sealOf(t, place), nil
	},
	"watch": func(t *testing.T, reader *source.Reader, _ string) (string, error) {
		var made strings.Builder
		for item, err := range reader.Follow(t.Context(), source.Poll(reader.Source, time.Millisecond), source.FollowOptions{From: chain.Some[uint64](1)}) {
			if err != nil {
				return "", err
			}
			report, err := prove.Block(t.Context(), reader, item, evidence.Options{})
			if err != nil {
				return "", err
			}
			fmt.Fprintln(&made, report.Number, report.Hash, report.Totals.Fee, len(report.Unanswered))
			if report.Number == 12 {
				break
			}
		}
		return made.String(), nil
	},
	"archive record": func(t *testing.T, reader *source.Reader, place string) (string, error) {
		gateway := reader.Source.(answers.Answers)
		manifest, err := answers.Record(t.Context(), gateway, filepath.Join(filepath.Dir(place), "archive"), answers.RecordOptions{First: 1, Last: 12, Concurrency: 4})
		if err != nil {
			return "", err
		}
		return manifest.SHA256, nil
	},
}

// readerOf is a reader of a gateway or a node that asks again at once.
func readerOf(t *testing.T, h http.Handler, what string, total time.Duration) *source.Reader {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	place := server.URL
	if what == "node" {
		place += "/?node"
	}
	src, err := source.Open(place, source.Options{Options: gatewayclient.Options{RetryWait: time.Millisecond, Total: total}})
	require.NoError(t, err)
	if closer, ok := src.(io.Closer); ok {
		t.Cleanup(func() { closer.Close() })
	}
	return &source.Reader{Source: src, Tables: network.BuiltIn()}
}

// failingWorlds are a gateway and a node of one generated chain.
func failingWorlds() map[string]http.Handler {
	c := chaingen.New(chaingen.Options{Seed: 31, Head: 12})
	return map[string]http.Handler{"gateway": c.Handler(), "node": c.Node()}
}

// No program that reads a chain for long ends at the first failure, nor at the second, whatever it
// is: each makes what it makes without one.
func TestPassingFailures(t *testing.T) {
	long(t)
	for what, well := range failingWorlds() {
		for program, run := range fillers {
			t.Run(what+"/"+program, func(t *testing.T) {
				t.Parallel()
				want, err := run(t, readerOf(t, well, what, 0), file(t))
				require.NoError(t, err)
				_, ways := waysOf(what)
				f := &twice{Handler: well, ways: ways, asked: map[string]int{}}
				for f.count < len(ways) {
					clear(f.asked)
					made, err := run(t, readerOf(t, f, what, 0), file(t))
					require.NoError(t, err)
					require.Equal(t, want, made)
				}
				t.Logf("%d failures in %d ways", f.count, len(ways))
			})
		}
	}
}

// A failure that stays ends a program with the provider's words, and with the block at which it
// continues; and it continues there.
func TestFailuresInVain(t *testing.T) {
	long(t)
	for what, well := range failingWorlds() {
		for i, program := range []string{"sync", "archive record"} {
			t.Run(what+"/"+program, func(t *testing.T) {
				t.Parallel()
				run := fillers[program]
				counted := &failing{Handler: well, first: 1 << 40}
				want, err := run(t, readerOf(t, counted, what, 0), file(t))
				require.NoError(t, err)
				names, _ := waysOf(what)
				for k, name := range names {
					if k%2 != i { // the other program has it
						continue
					}
					c := passingFailures[name]
					place := file(t)
					f := &failing{Handler: well, fails: c.fails, first: counted.asked.Load() * 2 / 3}
					_, err := run(t, readerOf(t, f, what, 100*time.Millisecond), place)
					require.Error(t, err, name)
					require.Equal(t, failure.Unanswered, app.KindOf(err), "%s: %v", name, err)
					require.ErrorContains(t, err, c.says, name)
					var interrupted *httpclient.InterruptedError
					if program == "sync" && !errors.As(err, &interrupted) {
						require.NoFileExists(t, place, "%s: %v", name, err)
						continue
					}
					require.ErrorAs(t, err, &interrupted, "%s: %v", name, err)
					if program == "sync" {
						next := uint64(1)
						if sealed, some := statusOf(t, place).Sealed.Get(); some {
							next = sealed + 1
						}
						require.Equal(t, next, interrupted.Next, name)
					}
					made, err := run(t, readerOf(t, well, what, 0), place)
					require.NoError(t, err, name)
					require.Equal(t, want, made, name)
				}
			})
		}
	}
}

// A worker's jobs are done in spite of all that passes.
func TestWorkThroughPassingFailures(t *testing.T) {
	long(t)
	server := postgrestest.Start(t)
	for what, well := range failingWorlds() {
		quiet, err := fillers["sync"](t, readerOf(t, well, what, 0), file(t))
		require.NoError(t, err)
		_, ways := waysOf(what)
		f := &twice{Handler: well, ways: ways, asked: map[string]int{}}
		for f.count < len(ways) {
			clear(f.asked)
			place := server.Database(t)
			_, err = app.Enqueue(t.Context(), place, blocks(t, "1..12"), app.FillOptions{Reader: readerOf(t, well, what, 0)})
			require.NoError(t, err)
			err = app.Work(t.Context(), place, app.WorkOptions{Jobs: 1, UntilDone: true, Waiting: func(error) {}, FillOptions: app.FillOptions{Reader: readerOf(t, f, what, 0)}})
			require.NoError(t, err)
			require.Equal(t, quiet, sealOf(t, place))
		}
	}
}
