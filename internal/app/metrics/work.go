package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/feeledger/fees/internal/ledger/queue"
)

// Work counts how the program works jobs.
type Work struct {
	writer
	jobs    *prometheus.CounterVec
	took    *prometheus.HistogramVec
	running prometheus.Gauge
	waits   prometheus.Counter
}

// Work counts the jobs that the program works, and tells how far its ledger is.
func (m *Metrics) Work() *Work {
	w := &Work{
		jobs:    m.counters("fees_worker_jobs_total", "Jobs that this worker worked, by what came of them: done, failed, or put_back for others because it ends.", "outcome"),
		took:    m.seconds("fees_worker_job_seconds", "How long jobs took.", "outcome"),
		running: m.gauge("fees_worker_jobs_running", "Jobs that this worker works on."),
		waits:   m.counter("fees_worker_database_waits_total", "How often the database was waited for, each reason once."),
	}
	m.gaugeOf("fees_worker_waiting", "1 while the database is waited for, else 0.", w.isWaiting)
	m.Ledger("", w.status)
	return w
}

// Began counts a job that began; ended, how it ended.
func (w *Work) Began() (ended func(queue.Outcome)) {
	began := time.Now()
	w.running.Inc()
	return func(outcome queue.Outcome) {
		w.running.Dec()
		w.jobs.WithLabelValues(string(outcome)).Inc()
		w.took.WithLabelValues(string(outcome)).Observe(time.Since(began).Seconds())
	}
}

// Waits notes that the database is waited for.
func (w *Work) Waits() {
	w.waiting.Store(true)
	w.waits.Inc()
}

// Ready tells what keeps it from working jobs.
func (w *Work) Ready(context.Context) error {
	switch {
	case w.waiting.Load():
		return errors.New("it waits for the database: its standard error says why")
	case w.open.Load() == nil:
		return errors.New("the ledger is not open yet")
	}
	return nil
}
