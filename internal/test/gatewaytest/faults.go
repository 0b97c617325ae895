package gatewaytest

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Faults is a gateway that answers a part of the requests badly.
//
// The first element of a path names the client: /anna/blocks/25. The fate of a client's n-th request for an
// address follows only from the seed, that name, the address and n, not from concurrent requests.
type Faults struct {
	Seed    uint64
	Percent int // of the requests
	// Forks also returns responses from another fork, which only a comparison of several responses reveals.
	Forks bool

	well  http.Handler
	kept  sync.Map // its responses by address
	mu    sync.Mutex
	asked map[string]*history // by client and address
	count map[string]int      // faults by kind
	total int
}

// history is the state of an address so far.
type history struct {
	requests int
	burst    int // number of next requests that fail the same way
	status   int // with this status
}

// NewFaults returns a gateway over the recordings in a directory.
func NewFaults(directory string) *Faults {
	return &Faults{well: Handler(directory), asked: map[string]*history{}, count: map[string]int{}}
}

// Total returns the number of faults so far.
func (f *Faults) Total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.total
}

// Counts returns the faults so far by kind, including those with a count of 0.
func (f *Faults) Counts() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := maps.Clone(f.count)
	for _, kind := range kinds {
		counts[kind.name] += 0
	}
	return counts
}

// Calm ends the faults.
func (f *Faults) Calm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Percent = 0
	clear(f.asked)
}

func (f *Faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == loop {
		http.Redirect(w, r, r.RequestURI, http.StatusFound)
		return
	}
	who, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	r.URL.Path = "/" + path
	x := exchange{w: w, r: r, who: who, gateway: f.answer, well: f.answer(r)}
	if !f.decide(&x) {
		x.send(x.well.status, jsonType, x.well.body)
		return
	}
	x.fault.commit(&x)
}

// decide chooses the fault of an exchange, if any.
func (f *Faults) decide(x *exchange) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	question := x.who + " " + x.r.URL.RequestURI()
	h := f.asked[question]
	if h == nil {
		h = &history{}
		f.asked[question] = h
	}
	sum := fnv.New64a()
	fmt.Fprint(sum, question, " ", h.requests)
	x.random = rand.New(rand.NewPCG(f.Seed, sum.Sum64()))
	x.history = h
	h.requests++
	switch {
	case h.burst > 0:
		h.burst--
		x.fault = burst
	case x.random.IntN(100) < f.Percent:
		x.fault = pick(x.random, f.fitting(x))
	default:
		return false
	}
	if x.fault.prepare != nil {
		x.fault.prepare(x)
	}
	f.count[x.fault.name]++
	f.total++
	return true
}

// fitting returns the faults that apply to an exchange.
func (f *Faults) fitting(x *exchange) (list []*fault) {
	for _, kind := range kinds {
		if (kind.fits == nil || kind.fits(x)) && (f.Forks || kind.name != anotherFork) {
			list = append(list, slices.Repeat([]*fault{kind}, 1+kind.more)...)
		}
	}
	return list
}

// fault is one way to answer badly.
type fault struct {
	name    string
	fits    func(*exchange) bool // nil if it always applies
	more    int                  // weight, for faults that rarely apply
	prepare func(*exchange)      // what it records in the history
	commit  func(*exchange)
}

// exchange is one request and its response.
type exchange struct {
	w       http.ResponseWriter
	r       *http.Request // without the client's name
	who     string
	gateway func(*http.Request) answer // the healthy gateway
	well    answer                     // its response
	random  *rand.Rand                 // for this exchange only
	history *history
	fault   *fault
}

// answer is a response of the healthy gateway.
type answer struct {
	status int
	body   []byte
}

// answer queries the healthy gateway.
func (f *Faults) answer(r *http.Request) answer {
	address := r.URL.RequestURI()
	if kept, ok := f.kept.Load(address); ok {
		return kept.(answer)
	}
	recorder := httptest.NewRecorder()
	f.well.ServeHTTP(recorder, r)
	a := answer{recorder.Code, recorder.Body.Bytes()}
	f.kept.Store(address, a)
	return a
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// send responds like a correct HTTP server.
func (x *exchange) send(status int, contentType string, body []byte) {
	x.w.Header().Set("Content-Type", contentType)
	if status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified {
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.w.WriteHeader(status)
	x.w.Write(body)
}

// begin sends the start of the response, n bytes of its body.
func (x *exchange) begin(n int) {
	x.w.Header().Set("Content-Type", jsonType)
	x.w.Header().Set("Content-Length", strconv.Itoa(len(x.well.body)))
	x.w.Write(x.well.body[:n])
	x.flush()
}

func (x *exchange) flush() { x.w.(http.Flusher).Flush() }

// hang waits until the client gives up.
func (x *exchange) hang() { <-x.r.Context().Done() }

// raw writes the response byte by byte, unlike a correct server, and closes the connection. With a reset, the
// client loses what it has not read yet.
func (x *exchange) raw(text string, reset bool) {
	connection, _, err := x.w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	fmt.Fprint(connection, text)
	if tcp, ok := connection.(interface{ SetLinger(int) error }); ok && reset {
		tcp.SetLinger(0)
	}
}

// head returns the start of a raw response.
func head(fields ...string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + strings.Join(append(fields, "\r\n"), "\r\n")
}

func lengthOf(body []byte) string { return fmt.Sprint("Content-Length: ", len(body)) }

// Listener counts open connections.
type Listener struct {
	net.Listener
	Open sync.WaitGroup
}

// Accept counts the next connection until it is closed.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.Open.Add(1)
	return &connection{TCPConn: c.(*net.TCPConn), closed: sync.OnceFunc(l.Open.Done)}, nil
}

type connection struct {
	*net.TCPConn
	closed func()
}

func (c *connection) Close() error {
	defer c.closed()
	return c.TCPConn.Close()
}
