package nodegateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/internal/nodetest"
	"github.com/feeledger/fees/nodeclient"
	"github.com/feeledger/fees/nodegateway"
)

// faulty does to some of a node's answers what networks, proxies and nodes do.
type faulty struct {
	node  *nodetest.Node
	guard sync.Mutex
	dice  *rand.Rand
	share float64
	// others are answers that were given to other questions of the same method.
	others map[string]string
	done   map[string]int // faults by name
}

// hostile is SCALE that claims to have a great many elements.
const hostile = "0x03ffffffffffffff0f00000000"

var faults = map[string]func(w http.ResponseWriter, a *told){
	"dropped connection": func(http.ResponseWriter, *told) { panic(http.ErrAbortHandler) },
	"cut JSON":           func(w http.ResponseWriter, a *told) { io.WriteString(w, a.text[:a.at(len(a.text))]) },
	"wrong id":           func(w http.ResponseWriter, a *told) { io.WriteString(w, a.with("9"+string(a.id), a.result)) },
	"internal error": func(w http.ResponseWriter, a *told) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"Internal error"}}`, a.id)
	},
	"429":            func(w http.ResponseWriter, _ *told) { w.WriteHeader(http.StatusTooManyRequests) },
	"500":            func(w http.ResponseWriter, _ *told) { w.WriteHeader(http.StatusInternalServerError) },
	"hang":           func(w http.ResponseWriter, a *told) { time.Sleep(hang); io.WriteString(w, a.text) },
	"null":           func(w http.ResponseWriter, a *told) { io.WriteString(w, a.with(string(a.id), "null")) },
	"another answer": func(w http.ResponseWriter, a *told) { io.WriteString(w, a.with(string(a.id), a.other)) },
	"cut hex":        func(w http.ResponseWriter, a *told) { io.WriteString(w, a.with(string(a.id), a.cutHex())) },
	"hostile length": func(w http.ResponseWriter, a *told) { io.WriteString(w, a.with(string(a.id), a.longest(hostile))) },
}

const hang = 40 * time.Millisecond

// told is an answer of the node.
type told struct {
	id                  json.RawMessage
	text, result, other string
	random              int
}

func (a *told) at(length int) int { return a.random % max(length, 1) }

func (a *told) with(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// longest is the result with another text in place of its longest.
func (a *told) longest(instead string) string {
	from, to := a.longestHex()
	return a.result[:from] + instead + a.result[to:]
}

// cutHex is the result with its longest hex cut.
func (a *told) cutHex() string {
	from, to := a.longestHex()
	return a.result[:from+a.at(to-from)] + a.result[to:]
}

func (a *told) longestHex() (from, to int) {
	for at := 0; ; {
		begin := strings.Index(a.result[at:], `"0x`)
		if begin < 0 {
			return from, to
		}
		begin += at + 1
		end := begin + strings.IndexByte(a.result[begin:], '"')
		if end-begin > to-from {
			from, to = begin, end
		}
		at = end + 1
	}
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorder := httptest.NewRecorder()
	f.node.ServeHTTP(recorder, r)
	var q struct {
		ID     json.RawMessage
		Method string
	}
	var result struct{ Result json.RawMessage }
	json.Unmarshal(body, &q)
	json.Unmarshal(recorder.Body.Bytes(), &result)
	a := &told{id: q.ID, text: recorder.Body.String(), result: string(result.Result)}
	name := f.fault(q.Method, a)
	w.Header().Set("Content-Type", "application/json")
	if name == "" {
		io.WriteString(w, a.text)
		return
	}
	faults[name](w, a)
}

// fault is what happens to an answer, "" for nothing.
func (f *faulty) fault(method string, a *told) string {
	f.guard.Lock()
	defer f.guard.Unlock()
	before := f.others[method]
	if f.others[method] = a.result; before == "" {
		before = "null"
	}
	a.other, a.random = before, f.dice.IntN(1<<30)
	if f.dice.Float64() >= f.share {
		return ""
	}
	list := []string{"dropped connection", "cut JSON", "wrong id", "internal error", "429", "500", "hang", "null", "another answer", "cut hex", "hostile length"}
	name := list[f.dice.IntN(len(list))]
	f.done[name]++
	return name
}

func (f *faulty) count() (sum int) {
	f.guard.Lock()
	defer f.guard.Unlock()
	for _, times := range f.done {
		sum += times
	}
	return sum
}

// Whatever happens between a node and those who ask, 8 at once, each question ends in the
// bytes that Sidecar was recorded to have given, or in an error: in 2,000 faults (200 of
// them with -short), of which none leaves anything running.
func TestFaults(t *testing.T) {
	wanted := 2000
	if testing.Short() {
		wanted = 200
	}
	dir := filepath.Join(pairs, "moonbeam-2600")
	node, err := nodetest.Open(filepath.Join(dir, "node"))
	if err != nil {
		t.Skipf("SKIPPED, no fault was tried: %v", err)
	}
	before := runtime.NumGoroutine()
	f := &faulty{node: node, dice: rand.New(rand.NewPCG(13, 2600)), share: 0.5, others: map[string]string{}, done: map[string]int{}}
	server := httptest.NewServer(f)
	questions := recordedQuestions(t, dir)
	right, failed := 0, map[string]int{}
	for round := uint64(0); f.count() < wanted; round++ {
		client, err := nodeclient.New(server.URL, ask.Options{RetryWait: time.Millisecond, Timeout: hang / 2, Total: hang})
		require.NoError(t, err)
		g := nodegateway.New(client)
		var guard sync.Mutex
		var all sync.WaitGroup
		for asker := range uint64(8) {
			dice := rand.New(rand.NewPCG(round, asker))
			all.Go(func() {
				for range 10 {
					q := questions[dice.IntN(len(questions))]
					have, err := g.Answer(t.Context(), q[0])
					guard.Lock()
					switch {
					case err != nil:
						failed[strings.SplitN(err.Error(), ":", 2)[0]]++
					case have != q[1]:
						t.Errorf("%s: wrong bytes: %s", q[0], have)
					default:
						right++
					}
					guard.Unlock()
				}
			})
		}
		all.Wait()
		client.Close()
		if t.Failed() {
			break
		}
	}
	server.Close()
	t.Logf("faults %v, %d right answers, errors %v", f.done, right, failed)
	require.Greater(t, right, 100)
	require.Len(t, f.done, len(faults))
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, 5*time.Second, 10*time.Millisecond, "goroutines that are left: Eventually has one itself")
}

// recordedQuestions are some with the answers that were recorded.
func recordedQuestions(t *testing.T, dir string) (list [][2]string) {
	for height := 1; height <= 27; height++ {
		for kind, question := range map[string]string{
			"blocks": "/blocks/%d", "headers": "/blocks/%d/header", "multiplier": multiplierAt, "runtime-spec": "/runtime/spec?at=%d",
		} {
			text, err := os.ReadFile(filepath.Join(dir, "gateway", kind, fmt.Sprint(height)+".json"))
			require.NoError(t, err)
			list = append(list, [2]string{fmt.Sprintf(question, height), string(text)})
		}
	}
	return list
}
