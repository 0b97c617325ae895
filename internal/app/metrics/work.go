package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/sys/series"
)

// Work counts the jobs of a worker.
type Work struct {
	writer
	jobs    *series.Number
	took    *series.Histogram
	running *series.Number
	waits   *series.Number
}

// Work returns the metrics of a worker's jobs, with the state of the ledger.
func (m *Metrics) Work() *Work {
	w := &Work{
		jobs:    m.Counter("fees_worker_jobs_total", "Jobs by outcome: done, failed, or put_back at shutdown.", "outcome"),
		took:    m.seconds("fees_worker_job_seconds", "Job duration.", "outcome"),
		running: m.Gauge("fees_worker_jobs_running", "Jobs in progress."),
		waits:   m.Counter("fees_worker_database_waits_total", "Waits for the database, one per reason."),
	}
	m.gaugeOf("fees_worker_waiting", "1 while waiting for the database, else 0.", w.isWaiting)
	m.Ledger("", w.status)
	return w
}

// Began counts the start of a job; call ended with its result.
func (w *Work) Began() (ended func(queue.Outcome)) {
	began := time.Now()
	w.running.Add(1)
	return func(outcome queue.Outcome) {
		w.running.Add(-1)
		w.jobs.Add(1, string(outcome))
		w.took.Observe(time.Since(began).Seconds(), string(outcome))
	}
}

// Waits records why the program waits for the database.
func (w *Work) Waits(why error) {
	w.waitFor(why)
	w.waits.Add(1)
}

// Ready returns the reason why the worker takes no jobs; nil if it does.
func (w *Work) Ready(context.Context) error {
	if why := w.reason("the database"); why != nil {
		return why
	}
	if w.open.Load() == nil {
		return errors.New("the ledger is not open yet")
	}
	return nil
}
