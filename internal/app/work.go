package app

import (
	"context"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
)

// WorkOptions say how jobs are worked.
type WorkOptions struct {
	FillOptions          // Progress is of jobs, and Judged is told of one block at a time
	Jobs        int      // at once
	UntilDone   bool     // end when no job is left
	Secrets     []string // must be in no message that a job leaves
	// Waiting is told why the database is waited for, once for each reason.
	Waiting func(error)
	// Began is told of each job that begins, where it is not nil, and what it gives is told how
	// the job ended: see [queue.Options].
	Began func() (ended func(queue.Outcome))
}

// Work works the jobs of the ledger at a place, beside any number of others. A database
// that takes no changes for a moment is waited for.
func Work(ctx context.Context, place string, o WorkOptions) error {
	said := ""
	for failures := 0; ; failures++ {
		err := work(ctx, place, &o)
		if !ledger.Passes(err) || permanent(err) || ctx.Err() != nil {
			return err
		}
		if text := err.Error(); text != said {
			o.Waiting(err)
			said = text
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(time.Second<<min(failures, 10), 15*time.Second)):
		}
	}
}

// work works until the work is done, or the database refuses something.
func work(ctx context.Context, place string, o *WorkOptions) error {
	d, err := OpenShared(ctx, place, o.Reader.Tables)
	if err != nil {
		return err
	}
	defer d.Close()
	s, err := d.Book.Status(ctx)
	if err != nil {
		return d.of(err)
	}
	id, err := identify(ctx, o.Reader, s.First)
	if err != nil {
		return err
	}
	if err := d.Book.Begin(ctx, id, s.First); err != nil {
		return d.of(err)
	}
	f := d.filler(&o.FillOptions)
	if o.Judged != nil {
		var telling sync.Mutex // the jobs are worked at the same time
		f.judged = func(r *evidence.Report) {
			telling.Lock()
			defer telling.Unlock()
			o.Judged(r)
		}
	}
	defer d.showJobs(ctx, &o.Progress)()
	return d.of(queue.Work(ctx, d.Book, f.judge, queue.Options{
		Jobs: o.Jobs, UntilDone: o.UntilDone, Permanent: permanent, Secrets: o.Secrets, Began: o.Began,
	}))
}

// permanent tells of which errors no retry helps.
func permanent(err error) bool {
	return is(ledger.ErrOtherChain, ledger.ErrDamaged, chain.ErrNotKept, answers.ErrDamaged, chain.ErrOverflow)(err) ||
		as[*ledger.ForkError](err) || as[*ledger.DiffersError](err)
}

// showJobs shows how many jobs of all workers are done, every few seconds until it
// is ended.
func (d *Desk) showJobs(ctx context.Context, p *Progress) (end func()) {
	if p.Show == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var showing sync.WaitGroup
	showing.Go(func() {
		for ctx.Err() == nil {
			if s, err := queue.Jobs(ctx, d.Book.Pool()); err == nil {
				p.show(s.Done, s.Done+s.Left())
			}
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	})
	return func() {
		stop()
		showing.Wait()
		p.end()
	}
}
