package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feeledger/fees/internal/app"
)

// ErrNotOpen says that the program has no ledger open: not yet, or not at the moment.
var ErrNotOpen = errors.New("no ledger is open")

const (
	// statusTime is how long the ledger may take to say how far it is.
	statusTime = 5 * time.Second
	// fresh is how long what it said is good for, and freshTimes how many times as long as it
	// took to say it: so scrapes take a tenth of the ledger's time at most, however many they are.
	fresh      = 5 * time.Second
	freshTimes = 10
)

// Ledger tells how far a ledger is, which is asked when somebody asks for the metrics. Where there
// are several, each has a name: the label ledger. It is "" where there is one.
func (m *Metrics) Ledger(name string, status func(context.Context) (app.Status, error)) {
	to := prometheus.Registerer(m.registry)
	if name != "" {
		to = prometheus.WrapRegistererWith(prometheus.Labels{"ledger": name}, to)
	}
	to.MustRegister(&ledger{status: status, now: time.Now})
}

// ledger asks for a status, and keeps it for a moment.
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
	ledgerUp       = describe("up", "1 where the ledger told how far it is, else 0.")
	ledgerInfo     = describe("info", "1, with the network that the ledger is of.", "network")
	ledgerFirst    = describe("first_height", "The height that the ledger begins with.")
	ledgerLast     = describe("last_height", "The highest block that is there.")
	ledgerSealed   = describe("sealed_height", "The last sealed block.")
	ledgerTime     = describe("last_block_timestamp_seconds", "When the highest block was made, as the chain says.")
	ledgerBlocks   = describe("blocks", "Blocks that are there.")
	ledgerNotFinal = describe("not_final_blocks", "Blocks that are there and not final yet.")
	ledgerProved   = describe("proved_blocks", "Blocks that are proved by a trusted block; the others are recorded.")
	ledgerGaps     = describe("gaps", "Runs of blocks that are missing below the highest.")
	ledgerMissing  = describe("missing_blocks", "Blocks that are missing below the highest.")
	ledgerFindings = describe("findings", "What does not hold, by its kind: check and unclassified of all blocks, undetermined and drift of the sealed ones.", "kind")
	ledgerOpen     = describe("unanswered_questions", "Questions that a source did not answer for the moment, though it might have.")
	ledgerJobs     = describe("jobs", "Jobs of fees sync --enqueue, by their state: failed ones of the last week, done ones of the last day.", "state")
)

// Describe tells what there can be.
func (l *ledger) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		ledgerUp, ledgerInfo, ledgerFirst, ledgerLast, ledgerSealed, ledgerTime, ledgerBlocks, ledgerNotFinal, ledgerProved, ledgerGaps, ledgerMissing,
		ledgerFindings, ledgerOpen, ledgerJobs,
	} {
		to <- d
	}
}

// Collect tells what is known.
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

// recent is what the ledger says, or said a moment ago.
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
