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
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// run is one run of the program: what fees sync or fees follow does, and how it ends.
type run struct {
	command     string // follow, sync, or the blocks of a part as sync takes them
	unfinalized bool
	concurrency int
	poll        time.Duration // of follow
	stops       time.Duration // after which it is asked to end; never where it is 0
	dies        int64         // before this commit, from 1 on; never where it is 0
	fails       int64         // this commit is refused
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

// manyPlaces are so many that no question waits for another one: which of two comes first, where
// both come at one moment, is up to the Go scheduler.
const manyPlaces = 256

var (
	errDied    = errors.New("the program died")
	errStopped = errors.New("the program was asked to end")
)

// ended is how a run of the program ended.
type ended struct {
	err    error
	died   bool
	failed bool          // a commit did
	wentOn time.Duration // from then on
	filled *app.Filled
}

// runs runs the program once. The error is that of the simulation.
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
		place += "/?node" // which only a node has
	}
	src, err := source.Open(place, source.Options{Options: httpclient.Options{Concurrency: manyPlaces}})
	if err != nil {
		return e, err
	}
	reader := &source.Reader{Source: src, Tables: w.story.tables, Unfinalized: r.unfinalized}
	e.filled, e.err = w.command(ctx, r, reader)
	if c, ok := src.(io.Closer); ok {
		c.Close()
	}
	e.died = d.dead.Load()
	if e.failed {
		e.wentOn = time.Since(failed)
	}
	if e.died { // nobody hears what it says, and which of its parts says it first is chance
		os.RemoveAll(filepath.Dir(w.path))
		w.path = d.left
	} else {
		w.note("%s (%d commits)", shortest(e.err), d.commits.Load())
	}
	return e, d.err
}

// command is what the command does.
func (w *world) command(ctx context.Context, r *run, reader *source.Reader) (*app.Filled, error) {
	o := app.FillOptions{Reader: reader, Concurrency: r.concurrency}
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
	in := app.WantedInput{Blocks: r.command}
	if r.command == "sync" {
		in.Blocks = ""
		if !w.ledger.begun {
			in.From = fmt.Sprint(w.story.first)
		}
	}
	wanted, err := in.Parse()
	if err != nil {
		return nil, err
	}
	return app.Sync(ctx, w.path, wanted, o)
}

var errReached = errors.New("the ledger has all blocks")

// template is a ledger's file that was made, and in which nothing is.
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
