package simulation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// world is everything in one history: the chain, how it grows and what is replaced, how the gateway or node responds, and
// how the program runs, dies and restarts. It is a bubble of testing/synctest: hours take no time, and everything in it
// waits on its clock.
type world struct {
	seed      uint64
	story     *story
	directory string
	node      bool // has a node instead of a gateway
	address   string
	path      string // path of the ledger

	began            time.Time
	start            uint64 // the newest block at the start
	forks            []fork
	fastest, slowest time.Duration // responses
	failing, wrong   int           // responses per thousand
	lies             []*fault
	outages          []outage
	forked           map[chain.Hash]*known // a node's blocks of forks

	reached func() // called when the ledger contains all blocks
	open    bool   // the ledger may contain blocks that are not final
	ledger  state  // after the last run
	spoiled string // copy of the ledger before a row was altered; "" if none was

	trail    []ledger.Act // the acts that the ledger has
	kept     int          // how many of them the copy has
	actError error        // of an act beside a run

	mu    sync.Mutex // guards what follows
	run   int
	asked map[string]int  // number of requests in this run
	lied  map[uint64]bool // blocks with lies in this run
	well  bool            // no more faults
	trace []string
	seen  counts
}

// counts are the numbers of events in a history.
type counts struct{ runs, deaths, replaced, faults, refused, spoiled, acts, lies int }

// newWorld returns the world of a seed.
func newWorld(seed uint64, directory string) *world {
	list := stories()
	w := &world{seed: seed, story: list[seed%uint64(len(list))], directory: directory, address: fmt.Sprintf("world-%d.test", seed), lies: gatewayLies}
	if asksNode(seed) {
		w.node, w.lies = true, nodeLies
		if w.story.parameter { // the node does not support it
			w.story = list[seed%uint64(len(list))-1]
		}
	}
	d := roll(seed, "world")
	w.path = filepath.Join(directory, "new", "fees.db")
	w.start = uint64(d.between(int(w.story.first)+20, int(w.story.last)-120))
	w.failing, w.wrong = pick(d, []int{0, 5, 20, 100}), pick(d, []int{0, 3, 8, 15})
	switch d.IntN(3) {
	case 0:
		w.fastest, w.slowest = 100*time.Microsecond, 3*time.Millisecond
	case 1:
		w.fastest, w.slowest = 2*time.Millisecond, 60*time.Millisecond
	default:
		w.fastest, w.slowest = 10*time.Millisecond, 900*time.Millisecond
	}
	if w.node { // more sequential requests: a run must reach the newest blocks before they are replaced
		w.slowest /= 3
	}
	for base := w.start + uint64(d.between(0, 4)); base+finalBelow < w.story.last; base += uint64(d.between(4, 16)) {
		f := fork{base, base + uint64(d.between(1, finalBelow-1)), d.IntN(len(w.story.forks))}
		w.forks = append(w.forks, f)
		if d.chance(300) && f.last-f.base > 1 { // replaced twice
			w.forks = append(w.forks, fork{base, base + 1, 1 - f.of})
		}
	}
	return w
}

// starts starts the world's clock.
func (w *world) starts() {
	w.began = time.Now()
	d := roll(w.seed, "outages")
	for at := w.began; ; {
		at = at.Add(d.time(2*time.Minute, 40*time.Minute))
		if at.Sub(w.began) > 2*time.Hour {
			return
		}
		o := outage{from: at, to: at.Add(d.time(time.Second, pick(d, []time.Duration{20 * time.Second, time.Minute, 5 * time.Minute})))}
		for range d.between(1, 2) {
			o.faults = append(o.faults, pick(d, passing))
		}
		w.outages = append(w.outages, o)
		at = o.to
	}
}

// begins begins a run.
func (w *world) begins(r *run) {
	w.mu.Lock()
	w.run++
	w.asked, w.lied = map[string]int{}, map[uint64]bool{}
	w.seen.runs++
	w.mu.Unlock()
	w.note("run %d, newest block %d: %v", w.run, w.made(time.Now()), r)
}

// ask counts a request.
func (w *world) ask(question string) (run, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[question]++
	return w.run, w.asked[question]
}

// errs counts a fault.
func (w *world) errs() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.faults++
}

func (w *world) lie(height uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lied[height] = true
}

func (w *world) liedAbout(height uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lied[height]
}

func (w *world) calm() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.well
}

func (w *world) calms(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.well = down
}

// note adds a line to the trace.
func (w *world) note(format string, args ...any) {
	line := fmt.Sprintf("%v ", time.Since(w.began)) + fmt.Sprintf(format, args...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace = append(w.trace, strings.ReplaceAll(line, w.directory, ""))
}

// lives runs a world's whole history, and returns what was wrong.
func (w *world) lives() error {
	w.starts()
	if w.node {
		if err := w.buildForks(); err != nil {
			return err
		}
	}
	defer serve(w.address, w)()
	d := roll(w.seed, "history")
	if !d.chance(60) { // creating a new file takes a quarter of the time
		if err := copyBook(laidOut(), w.path); err != nil {
			return err
		}
	} else if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return err
	}
	steps := []func(dice) error{w.reorganised, w.crashed, w.anything}
	d.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for range d.between(0, 3) {
		steps = append(steps, w.anything)
	}
	for i, step := range steps {
		if err := step(roll(w.seed, "step", i)); err != nil {
			return err
		}
	}
	return w.ends(d)
}

// rests lets time pass while the program is not running.
func (w *world) rests(d time.Duration) {
	if d > 0 {
		time.Sleep(d)
	}
}

// usual returns an ordinary run.
func (w *world) usual(d dice) *run {
	return &run{command: "sync", concurrency: pick(d, []int{1, 1, 2, 4, 8}), poll: d.time(time.Second, 20*time.Second)}
}

// anything returns a run of any kind, after a while.
func (w *world) anything(d dice) error {
	w.rests(d.time(0, 4*time.Minute))
	r := w.usual(d)
	switch d.IntN(5) {
	case 0, 1:
		r.command, r.stops = "follow", d.time(time.Second, 4*time.Minute)
	case 2:
		r.unfinalized = true
	default:
		final := w.viewOf(w.made(time.Now())).final
		from := uint64(d.between(int(w.story.first), int(final)))
		r.command = fmt.Sprintf("%d..%d", from, min(final, from+uint64(d.between(0, 60))))
	}
	switch d.IntN(4) {
	case 0:
		r.dies = int64(d.between(1, pick(d, []int{4, 12, 40})))
	case 1:
		r.fails = int64(d.between(1, pick(d, []int{4, 12, 40})))
	case 2:
		r.stops = d.time(time.Millisecond, 2*time.Minute)
	}
	return w.step(r, d)
}

// crashed returns a run that dies.
func (w *world) crashed(d dice) error {
	for limit := pick(d, []int{3, 12, 12, 30}); ; limit = 1 {
		w.rests(d.time(0, time.Minute))
		before := w.seen.deaths
		r := w.usual(d)
		r.dies = int64(d.between(1, limit))
		if d.chance(300) {
			r.command, r.stops = "follow", 3*time.Minute
		}
		if err := w.step(r, d); err != nil || w.seen.deaths > before {
			return err
		}
		if limit == 1 {
			w.calms(true)
			defer w.calms(false)
		}
	}
}

// reorganised is a run that stores blocks that are not final, which are then replaced.
func (w *world) reorganised(d dice) error {
	for quiet := false; ; quiet = true {
		made := w.made(time.Now())
		var next fork
		for _, f := range w.forks {
			if f.base >= made && (next.last == 0 || f.base < next.base) {
				next = f
			}
		}
		if next.last == 0 {
			return errors.New("no fork is left: the world is too short")
		}
		w.rests(time.Until(w.madeAt(next.last).Add(d.time(time.Millisecond, time.Second))))
		w.calms(quiet)
		r := w.usual(d)
		r.unfinalized, r.concurrency = true, 8
		err := w.step(r, d)
		w.calms(false)
		if err != nil {
			return err
		}
		if others := w.others(); others > 0 {
			w.seen.replaced += others
			w.note("%d blocks of the ledger will be replaced", others)
			return nil
		}
	}
}

// others returns how many blocks of the ledger belong to a fork.
func (w *world) others() (n int) {
	for height, b := range w.ledger.blocks {
		if b.hash != w.hash(height) {
			n++
		}
	}
	return n
}

// step runs the program once and checks the result.
func (w *world) step(r *run, d dice) error {
	w.open = w.open || r.unfinalized
	e, err := w.runs(r)
	if err != nil {
		return err
	}
	if e.died {
		w.seen.deaths++
	}
	if e.failed {
		w.seen.refused++
	}
	if err := w.judge(&e); err != nil {
		return fmt.Errorf("run %d (%v): %w", w.run, r, err)
	}
	if e.died && d.chance(500) {
		if err := w.spoil(d); err != nil {
			return err
		}
	}
	return w.actsBetween()
}

// judge returns what is wrong with a run's end.
func (w *world) judge(e *ended) error {
	kind := app.KindOf(e.err)
	if kind == failure.Damaged && !e.died { // a dead program's output is lost
		if w.spoiled == "" {
			return fmt.Errorf("the ledger is said to be damaged, and is not: %w", e.err)
		}
		w.note("the ledger is what it was before it was altered")
		w.path, w.spoiled, w.open = w.spoiled, "", true // the copy may be older
		w.trail = w.trail[:w.kept]
		return w.look()
	}
	if w.actError != nil {
		return w.actError
	}
	elsewhere := kind == failure.Stopped || kind == failure.Unanswered // another cause: creating the tables of a new ledger is retried after a second
	if e.failed && !e.died && e.err != nil && !elsewhere && e.wentOn > time.Second {
		return fmt.Errorf("it went on for %v after a commit was refused, and ended with %w", e.wentOn, e.err)
	}
	if err := errors.Join(w.look(), w.keepsActs()); err != nil {
		return err
	}
	switch {
	case e.err == nil, e.died, e.failed, kind == failure.Stopped, kind == failure.Unanswered, kind == failure.NotFound:
	default:
		return fmt.Errorf("an error of the kind %q: %w", kind, e.err)
	}
	if e.err != nil && strings.TrimSpace(e.err.Error()) == "" {
		return errors.New("an error that says nothing")
	}
	if e.filled != nil && e.err == nil {
		for height := e.filled.Blocks.First; height <= e.filled.Blocks.Last; height++ {
			if _, there := w.ledger.blocks[height]; !there {
				return fmt.Errorf("it said that it has the blocks %v, and it lacks block %d", e.filled.Blocks, height)
			}
		}
	}
	mayBeOpen := w.open
	w.open = false
	for height, b := range w.ledger.blocks {
		w.open = w.open || !b.final
		switch {
		case !b.final && !mayBeOpen:
			return fmt.Errorf("block %d was stored although it is not final, which was not requested", height)
		case b.final && b.hash != w.hash(height):
			return fmt.Errorf("block %d is stored as final, and is of another fork", height)
		}
	}
	return nil
}

// spoil alters a stored block that is not sealed yet, like a bad disk, while the program is not running. Reading it must
// reveal the change.
func (w *world) spoil(d dice) error {
	if w.spoiled != "" || !w.ledger.blocks[w.ledger.next].final {
		return nil
	}
	const next = "(SELECT first + sealed FROM book)"
	kept := filepath.Join(w.directory, fmt.Sprint("before-", w.run), "fees.db")
	if err := copyBook(w.path, kept); err != nil {
		return err
	}
	w.kept = len(w.trail)
	db, err := opened(w.path)
	if err != nil {
		return err
	}
	defer db.Close()
	statement := pick(d, []string{
		"UPDATE blocks SET record = CAST(substr(record, 1, length(record) - 1) || x'ff' AS BLOB) WHERE height = " + next,
		"UPDATE blocks SET record = CAST(record || x'00' AS BLOB) WHERE height = " + next,
		"UPDATE blocks SET time_ms = coalesce(time_ms, 0) + 1 WHERE height = " + next,
		"UPDATE blocks SET flags = flags | 2 WHERE height = " + next,
	})
	result, err := db.Exec(statement)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return err
	}
	w.note("a disk is bad: %s", statement)
	w.spoiled = kept
	w.seen.spoiled++
	return nil
}

// ends stops all faults, and requires the program to produce the quiet ledger.
func (w *world) ends(d dice) error {
	w.rests(time.Until(w.madeAt(w.story.last + finalBelow).Add(time.Second)))
	w.calms(true)
	w.note("all is well from now on")
	runs := []*run{{command: fmt.Sprintf("%d..%d", w.story.first, w.story.last), concurrency: d.between(1, 8)}}
	if d.chance(400) {
		runs = append([]*run{{command: "follow", concurrency: 1, poll: 5 * time.Second, stops: 10 * time.Minute}}, runs...)
	}
	for _, r := range runs {
		for {
			spoiled := w.spoiled != ""
			e, err := w.runs(r)
			if err != nil {
				return err
			}
			if err := w.judge(&e); err != nil {
				return fmt.Errorf("run %d (%v): %w", w.run, r, err)
			}
			if spoiled && w.spoiled == "" {
				continue // it refused a damaged ledger, which is now replaced
			}
			if spoiled {
				return errors.New("a row of the ledger was altered, and the program went on")
			}
			if e.err != nil && app.KindOf(e.err) != failure.Stopped {
				return fmt.Errorf("all is well, and the program fails: %w", e.err)
			}
			break
		}
	}
	w.rests(time.Second)
	want, err := w.story.quiet()
	if err != nil {
		return err
	}
	have, err := readBook(w.path)
	if err != nil {
		return err
	}
	if err := have.differs(want); err != nil {
		return fmt.Errorf("the book is not the one that a quiet run makes: %w", err)
	}
	if w.seed%16 == 0 {
		return verified(w.path)
	}
	return nil
}
