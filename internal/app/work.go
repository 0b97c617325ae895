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
	"github.com/feeledger/fees/source"
)

// WorkOptions state how jobs are worked on.
type WorkOptions struct {
	FillOptions          // Progress counts jobs; calls of Judged never overlap
	Jobs        int      // parallel jobs
	UntilDone   bool     // return when no job is left
	Secrets     []string // removed from the messages that jobs store
	// Waiting is called with the reason when the database is unavailable, once for each reason.
	Waiting func(error)
	// Began, if not nil, is called when a job begins; the function it returns is called with the job's
	// outcome: see [queue.Options].
	Began func() (ended func(queue.Outcome))
}

// Work works on the jobs of a ledger, alongside any number of other workers. It retries while the database is
// temporarily unavailable.
func Work(ctx context.Context, place string, o WorkOptions) error {
	return persist(ctx, o.Waiting, func(int) (opened, passes bool, err error) {
		opened, err = work(ctx, place, &o)
		return opened, ledger.IsTransient(err) && !permanent(err), err
	})
}

// persist repeats what failed as long as that may pass, at growing intervals, which begin again after the ledger was open. try
// is called with the number of failures since then. Waiting is called with the reason, once for each one.
func persist(ctx context.Context, waiting func(error), try func(failures int) (opened, passes bool, err error)) error {
	lastMessage := ""
	for failures := 0; ; failures++ {
		opened, passes, err := try(failures)
		if !passes || ctx.Err() != nil {
			return err
		}
		if opened {
			failures, lastMessage = 0, ""
		}
		if text := err.Error(); text != lastMessage {
			waiting(err)
			lastMessage = text
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(time.Second<<min(failures, 10), 15*time.Second)):
		}
	}
}

// work works until all jobs are done or the database refuses a change. It reports whether the ledger was open.
func work(ctx context.Context, place string, o *WorkOptions) (opened bool, err error) {
	d, err := OpenShared(ctx, place, o.Reader.Tables)
	if err != nil {
		return false, err
	}
	defer d.Close()
	s, err := d.Book.Status(ctx)
	if err != nil {
		return false, d.wrapErr(err)
	}
	id, err := identify(ctx, o.Reader, s.First)
	if err != nil {
		return false, err
	}
	if err := d.begin(ctx, id, s.First, o.Source); err != nil {
		return false, err
	}
	f := d.filler(&o.FillOptions)
	f.sealsAll = true
	if o.Judged != nil {
		var judging sync.Mutex // jobs run in parallel
		f.judged = func(r *evidence.Report) {
			judging.Lock()
			defer judging.Unlock()
			o.Judged(r)
		}
	}
	defer d.showJobs(ctx, &o.Progress)()
	return true, d.wrapErr(queue.Work(ctx, d.Book, f.judge, queue.Options{
		Jobs: o.Jobs, UntilDone: o.UntilDone, Permanent: permanent, Secrets: o.Secrets, Began: o.Began,
	}))
}

// permanent reports whether retrying cannot help.
func permanent(err error) bool {
	return is(ledger.ErrOtherChain, ledger.ErrDamaged, chain.ErrNotKept, answers.ErrDamaged, chain.ErrOverflow, source.ErrFinalityUnknown)(err) ||
		as[*ledger.ForkError](err) || as[*ledger.DiffersError](err)
}

// showJobs shows how many jobs of all workers are done, every few seconds, until end is called.
func (d *Ledger) showJobs(ctx context.Context, p *Progress) (end func()) {
	if p.Show == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var showing sync.WaitGroup
	showing.Go(func() {
		for ctx.Err() == nil {
			if s, err := queue.Jobs(ctx, d.Book); err == nil {
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
