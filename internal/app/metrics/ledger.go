package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feeledger/fees/internal/app"
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
	to := prometheus.Registerer(m.registry)
	if name != "" {
		to = prometheus.WrapRegistererWith(prometheus.Labels{"ledger": name}, to)
	}
	to.MustRegister(&ledger{status: status, now: time.Now})
}

// ledger requests a ledger's status and caches it briefly.
type ledger struct {
	status func(context.Context) (app.Status, error)
	now    func() time.Time

	mu    sync.Mutex
	known app.Status
	err   error
	until time.Time // the next question
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("fees_ledger_"+name, help, labels, nil)
}

var (
	ledgerUp       = describe("up", "1 if the ledger reported its status, else 0.")
	ledgerInfo     = describe("info", "Always 1; the label is the network.", "network")
	ledgerFirst    = describe("first_height", "First block of the ledger.")
	ledgerLast     = describe("last_height", "Highest stored block.")
	ledgerSealed   = describe("sealed_height", "Last sealed block.")
	ledgerTime     = describe("last_block_timestamp_seconds", "Time of the highest block, by its own timestamp.")
	ledgerBlocks   = describe("blocks", "Stored blocks.")
	ledgerNotFinal = describe("not_final_blocks", "Stored blocks that are not yet final.")
	ledgerUnsealed = describe("unsealed_blocks", "Stored blocks above the last sealed one.")
	ledgerProved   = describe("proved_blocks", "Blocks proved by a checkpoint; the others are recorded.")
	ledgerGaps     = describe("gaps", "Ranges of blocks missing below the highest.")
	ledgerMissing  = describe("missing_blocks", "Blocks missing below the highest.")
	ledgerFindings = describe("findings", "Findings by kind: check and unclassified (all blocks), undetermined and drift (sealed blocks).", "kind")
	ledgerOpen     = describe("unanswered_questions", "Checks not made because a source temporarily gave no answer.")
	ledgerJobs     = describe("jobs", "Jobs of fees sync --enqueue by state; failed: last week, done: last day.", "state")
)

// Describe sends the descriptions of the metrics.
func (l *ledger) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		ledgerUp, ledgerInfo, ledgerFirst, ledgerLast, ledgerSealed, ledgerTime, ledgerBlocks, ledgerNotFinal, ledgerUnsealed, ledgerProved, ledgerGaps, ledgerMissing,
		ledgerFindings, ledgerOpen, ledgerJobs,
	} {
		to <- d
	}
}

// Collect sends the known values.
func (l *ledger) Collect(to chan<- prometheus.Metric) {
	s, err := l.recent()
	set := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	if err != nil {
		set(ledgerUp, 0)
		return
	}
	set(ledgerUp, 1)
	set(ledgerInfo, 1, s.Network)
	set(ledgerFirst, float64(s.First))
	if stored, ok := s.Stored.Get(); ok {
		set(ledgerLast, float64(stored.Last))
	}
	if at, ok := s.LastTime.Get(); ok {
		set(ledgerTime, float64(at.Std().UnixMilli())/1000)
	}
	set(ledgerBlocks, float64(s.Blocks))
	set(ledgerNotFinal, float64(s.NotFinal))
	set(ledgerUnsealed, float64(s.Unsealed))
	set(ledgerProved, float64(s.Evidence.Proved))
	missing := uint64(0)
	for _, gap := range s.Gaps {
		missing += gap.Blocks()
	}
	set(ledgerGaps, float64(len(s.Gaps)))
	set(ledgerMissing, float64(missing))
	set(ledgerFindings, float64(s.Findings), "check")
	set(ledgerFindings, float64(s.Unread), "unclassified")
	if sealed, ok := s.Sealed.Get(); ok {
		set(ledgerSealed, float64(sealed))
		set(ledgerFindings, float64(s.Totals.Undetermined), "undetermined")
		set(ledgerFindings, float64(s.Totals.Drifts), "drift")
	}
	set(ledgerOpen, float64(s.Unanswered))
	if jobs, ok := s.Jobs.Get(); ok {
		for state, n := range map[string]uint64{"waiting": jobs.Waiting, "running": jobs.Running, "retrying": jobs.Retrying, "failed": jobs.Failed, "done": jobs.Done} {
			set(ledgerJobs, float64(n), state)
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
