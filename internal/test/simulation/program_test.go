package simulation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// run is one run of the program, fees sync or fees follow, and how it ends.
type run struct {
	command     string // follow, sync, or a range of blocks as given to sync
	unfinalized bool
	concurrency int
	poll        time.Duration // polling interval of follow
	stops       time.Duration // when it is stopped; 0 means never
	dies        int64         // dies before this commit, from 1; 0 means never
	fails       int64         // refuses this commit
}

func (r *run) String() string {
	text := fmt.Sprintf("%s, %d at once", r.command, r.concurrency)
	if r.unfinalized {
		text += ", with blocks that are not final"
	}
	if r.stops > 0 {
		text += fmt.Sprintf(", stops after %v", r.stops)
	}
	if r.dies > 0 {
		text += fmt.Sprintf(", dies before commit %d", r.dies)
	}
	if r.fails > 0 {
		text += fmt.Sprintf(", commit %d fails", r.fails)
	}
	return text
}

// manyPlaces is the concurrency, high enough that no request waits for another: the order of simultaneous requests is up
// to the Go scheduler.
const manyPlaces = 256

var (
	errDied    = errors.New("the program died")
	errStopped = errors.New("the program was asked to end")
)

// ended is how a run of the program ended.
type ended struct {
	err    error
	died   bool
	failed bool          // a commit failed
	wentOn time.Duration // time until the end after that
	filled *app.Filled
}

// runs runs the program once. The error is the simulation's.
func (w *world) runs(r *run) (ended, error) {
	w.begins(r)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var e ended
	d := &disk{path: w.path, dies: r.dies, fails: r.fails, left: filepath.Join(w.directory, fmt.Sprint("after-", w.run), "fees.db")}
	d.died = func() {
		w.note("dies before commit %d", r.dies)
		cancel(errDied)
	}
	var failed time.Time
	d.failed = func() {
		w.note("commit %d is refused", r.fails)
		e.failed, failed = true, time.Now()
	}
	defer d.mount()()
	if r.stops > 0 {
		timer := time.AfterFunc(r.stops, func() { cancel(errStopped) })
		defer timer.Stop()
	}
	place := "http://" + w.address
	if w.node {
		place += "/?node" // only for a node
	}
	src, err := source.Open(place, source.Options{Options: gatewayclient.Options{Concurrency: manyPlaces}})
	if err != nil {
		return e, err
	}
	reader := &source.Reader{Source: src, Tables: w.story.tables, Unfinalized: r.unfinalized}
	e.filled, e.err = w.command(ctx, r, reader, d)
	if c, ok := src.(io.Closer); ok {
		c.Close()
	}
	e.died = d.dead.Load()
	if e.failed {
		e.wentOn = time.Since(failed)
	}
	if e.died { // its output is lost, and the order is random
		os.RemoveAll(filepath.Dir(w.path))
		w.path = d.left
	} else {
		w.note("%s (%d commits)", shortest(e.err), d.commits.Load())
	}
	return e, d.err
}

// command runs the command.
func (w *world) command(ctx context.Context, r *run, reader *source.Reader, d *disk) (*app.Filled, error) {
	o := app.FillOptions{Reader: reader, Concurrency: r.concurrency, Progress: app.Progress{Show: func(done, _ uint64) { w.actsBeside(d, done) }}}
	if r.command == "follow" {
		f := app.FollowOptions{FillOptions: o, Heads: source.HeadsOf(reader.Source, r.poll), Lag: func(height, newest uint64) {
			if w.calm() && height >= w.story.last {
				w.reached()
			}
		}}
		f.Follow.Trouble = func(err error) { w.note("waits: %s", shortest(err)) }
		f.Follow.Concurrency = r.concurrency
		if !w.ledger.begun {
			f.From = chain.Some(w.story.first)
		}
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		w.reached = func() { cancel(errReached) }
		err := app.Follow(ctx, w.path, f)
		if context.Cause(ctx) == errReached {
			err = nil
		}
		return nil, err
	}
	in := app.PeriodInput{Blocks: r.command}
	if r.command == "sync" {
		in.Blocks = ""
		if !w.ledger.begun {
			in.From = fmt.Sprint(w.story.first)
		}
	}
	wanted, err := in.ParseWanted()
	if err != nil {
		return nil, err
	}
	return app.Sync(ctx, w.path, wanted, o)
}

var errReached = errors.New("the ledger has all blocks")

// template is an empty ledger's file.
func template(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	b, err := ledger.OpenWriter(context.Background(), path)
	if err != nil {
		return err
	}
	return b.Close()
}
