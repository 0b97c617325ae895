package simulation

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
)

// A block is final when this many blocks are above it.
const finalBelow = 4

// fork is a time when the newest blocks differ from those that stay.
type fork struct {
	base uint64 // the blocks above this one differ
	last uint64 // as long as the newest block is at most this one
	of   int    // number of the fork
}

// view is the chain as a node sees it at a time.
type view struct {
	made  uint64 // the newest block
	final uint64 // the newest that is final
	fork         // blocks above base differ; last is 0 without a fork
}

// made returns the newest block at a time: a new one comes every few seconds, until the story's blocks are final.
func (w *world) made(at time.Time) uint64 {
	return min(w.start+uint64(at.Sub(w.began)/every), w.story.last+finalBelow)
}

// madeAt returns when a block becomes the newest.
func (w *world) madeAt(height uint64) time.Time {
	return w.began.Add(time.Duration(height-min(height, w.start)) * every)
}

// viewOf returns the view when the newest block was this one.
func (w *world) viewOf(made uint64) view {
	v := view{made: made, final: made - min(made, finalBelow)}
	for _, f := range w.forks {
		if f.base < made && made <= f.last {
			v.fork = f
		}
	}
	return v
}

// other reports whether a block differs from the one that stays.
func (v *view) other(height uint64) bool { return v.last > 0 && height > v.base }

// noSuchBlock is a gateway's response for a block that it does not have.
var noSuchBlock = reply{http.StatusInternalServerError, `{"code":500,"message":"Unable to retrieve header and parent from supplied hash","level":"error"}`}

// height returns the height of the requested block.
func (v *view) height(q *question) uint64 {
	switch {
	case q.of != "head":
		return q.height
	case strings.Contains(q.asked, "finalized=false"):
		return v.made
	}
	return v.final
}

// answer returns the response of a gateway with this view.
func (w *world) answer(v *view, q *question) reply {
	height := v.height(q)
	switch {
	case q.of == "":
		return w.story.answer(trueChain, q.asked)
	case height > v.made:
		return noSuchBlock
	}
	of := trueChain
	if v.other(height) {
		of = v.of
	}
	r := w.story.answer(of, q.at(height))
	if of != trueChain && height == v.base+1 && strings.HasPrefix(q.path, "/blocks/") {
		r.text = strings.Replace(r.text, w.story.forks[of].Hash(v.base).String(), w.hash(v.base).String(), 1)
	}
	if q.isBlock() && height > v.final {
		r.text = strings.Replace(r.text, `"finalized":true`, `"finalized":false`, 1)
	}
	return r
}

// hash returns the hash of the block that stays.
func (w *world) hash(height uint64) chain.Hash { return w.story.chain.Hash(height) }

// ServeHTTP is the gateway, or the node. Faults are determined by the seed, the request, and how often this run of the
// program sent it.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if w.node {
		w.serveNode(out, r)
		return
	}
	q := parseQuestion(r.URL.RequestURI())
	run, n := w.ask(q.asked)
	x := &exchange{
		world: w, out: out, question: q, view: w.viewOf(w.made(time.Now())), dice: roll(w.seed, "answer", run, q.asked, n),
		name: fmt.Sprintf("run %d: %s, time %d", run, q.asked, n), leaves: r.Context().Done(),
	}
	if !x.sleep(x.time(w.fastest, w.slowest)) {
		return
	}
	x.well = w.answer(&x.view, &q)
	w.answers(x)
}

// answers sends the response to a request.
func (w *world) answers(x *exchange) {
	f := x.fault()
	if f == nil {
		x.send(x.well)
		return
	}
	w.note("%s: %s", x.name, f.name)
	w.errs()
	f.commit(x)
}

// exchange is one request and its response.
type exchange struct {
	world *world
	dice
	question
	view   view
	out    http.ResponseWriter
	well   reply // the correct response
	name   string
	leaves <-chan struct{} // closed when the client disconnects

	// For a node: the requests of the message, and the one that may get a lie.
	calls []*call
	batch bool
	which int
}

func (x *exchange) send(r reply) {
	kind := "application/json; charset=utf-8"
	if strings.HasPrefix(r.text, "<") {
		kind = "text/html"
	}
	x.out.Header().Set("Content-Type", kind)
	x.out.WriteHeader(r.status)
	fmt.Fprint(x.out, r.text)
}

// sleep returns false if the client disconnects meanwhile.
func (x *exchange) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.leaves:
		return false
	}
}
