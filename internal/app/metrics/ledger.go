package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/sys/series"
)

// ErrNotOpen reports that the program has no open ledger at the moment.
var ErrNotOpen = errors.New("no ledger is open")

const (
	// statusTime limits how long the ledger may take to report its state.
	statusTime = 5 * time.Second
	// fresh is how long a reported state is used, and freshTimes how many times as long as it took to
	// report: so scrapes take at most a tenth of the ledger's time, however many there are.
	fresh      = 5 * time.Second
	freshTimes = 10
)

// Ledger returns the metrics of a ledger's state, which is requested at each scrape. Each of several ledgers
// has a name, the label ledger; it is "" for a single one.
func (m *Metrics) Ledger(name string, status func(context.Context) (app.Status, error)) {
	m.Collect((&ledger{name: name, status: status, now: time.Now}).collect)
}

// ledger requests a ledger's status and caches it briefly.
type ledger struct {
	name   string // "" if the program has one ledger
	status func(context.Context) (app.Status, error)
	now    func() time.Time

	mu    sync.Mutex
	known app.Status
	err   error
	until time.Time // the next question
}

// collect reports the state of the ledger.
func (l *ledger) collect(to *series.Scrape) {
	set := func(name, help string, value float64, labels ...string) {
		if l.name != "" {
			labels = append(labels, "ledger", l.name)
		}
		to.Gauge("fees_ledger_"+name, help, value, labels...)
	}
	findings := func(kind string, n uint64) {
		set("findings", "Findings by kind: check and unclassified (all blocks), undetermined and drift (sealed blocks).", float64(n), "kind", kind)
	}
	s, err := l.recent()
	up := 0.0
	if err == nil {
		up = 1
	}
	set("up", "1 if the ledger reported its status, else 0.", up)
	if err != nil {
		return
	}
	set("info", "Always 1; the label is the network.", 1, "network", s.Network)
	set("first_height", "First block of the ledger.", float64(s.First))
	if stored, ok := s.Stored.Get(); ok {
		set("last_height", "Highest stored block.", float64(stored.Last))
	}
	if at, ok := s.LastTime.Get(); ok {
		set("last_block_timestamp_seconds", "Time of the highest block, by its own timestamp.", float64(at.Std().UnixMilli())/1000)
	}
	set("blocks", "Stored blocks.", float64(s.Blocks))
	set("not_final_blocks", "Stored blocks that are not yet final.", float64(s.NotFinal))
	set("unsealed_blocks", "Stored blocks above the last sealed one.", float64(s.Unsealed))
	set("proved_blocks", "Blocks proved by a checkpoint; the others are recorded.", float64(s.Evidence.Proved))
	missing := uint64(0)
	for _, gap := range s.Gaps {
		missing += gap.Blocks()
	}
	set("gaps", "Ranges of blocks missing below the highest.", float64(len(s.Gaps)))
	set("missing_blocks", "Blocks missing below the highest.", float64(missing))
	findings("check", s.Findings)
	findings("unclassified", s.Unread)
	if sealed, ok := s.Sealed.Get(); ok {
		set("sealed_height", "Last sealed block.", float64(sealed))
		findings("undetermined", s.Totals.Undetermined)
		findings("drift", s.Totals.Drifts)
	}
	set("unanswered_questions", "Checks not made because a source temporarily gave no answer.", float64(s.Unanswered))
	if jobs, ok := s.Jobs.Get(); ok {
		for state, n := range map[string]uint64{"waiting": jobs.Waiting, "running": jobs.Running, "retrying": jobs.Retrying, "failed": jobs.Failed, "done": jobs.Done} {
			set("jobs", "Jobs of fees sync --enqueue by state; failed: last week, done: last day.", float64(n), "state", state)
		}
		if !jobs.Oldest.IsZero() {
			set("oldest_job_timestamp_seconds", "Creation time of the oldest job that is not done.", float64(jobs.Oldest.UnixMilli())/1000)
		}
	}
}

// recent returns the ledger's state, which may be a moment old.
func (l *ledger) recent() (app.Status, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	began := l.now()
	if began.Before(l.until) {
		return l.known, l.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), statusTime)
	defer cancel()
	l.known, l.err = l.status(ctx)
	ended := l.now()
	l.until = ended.Add(max(fresh, freshTimes*ended.Sub(began)))
	return l.known, l.err
}
