package metrics

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/series"
)

// Follow counts how a ledger follows a chain.
type Follow struct {
	writer
	back *series.Number

	mu     sync.Mutex
	head   chain.Optional[uint64]    // that was heard of last
	at     chain.Optional[time.Time] // when the ledger was changed last
	caught bool                      // up with the head, once
}

// Follow returns the metrics of following a chain, with the state of the ledger.
func (m *Metrics) Follow() *Follow {
	f := &Follow{back: m.Counter("fees_follow_heads_back_total", "Times the final head moved back: the node lags, or is on another chain.")}
	m.gaugeOf("fees_follow_waiting", "1 while waiting for anything but the next block, else 0.", f.isWaiting)
	m.Ledger("", f.status)
	m.Collect(f.collect)
	return f
}

// Heard records the newest known final head.
func (f *Follow) Heard(head uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if before, ok := f.head.Get(); ok && head < before {
		f.back.Add(1)
	}
	f.head = chain.Some(head)
}

// Wrote records a change of the ledger up to a height.
func (f *Follow) Wrote(height uint64) {
	f.waiting.Store(nil)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = chain.Some(time.Now())
	if head, ok := f.head.Get(); ok && height >= head {
		f.caught = true
	}
}

// Waits records why the program waits for something other than the next block.
func (f *Follow) Waits(why error) { f.waitFor(why) }

// Ready returns the reason why the ledger is not up to date; nil if it is.
func (f *Follow) Ready(context.Context) error {
	if why := f.reason("the gateway or the node"); why != nil {
		return why
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.caught {
		return errors.New("it has not reached the head yet")
	}
	return nil
}

// collect reports the known state of the followed chain.
func (f *Follow) collect(s *series.Scrape) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if head, ok := f.head.Get(); ok {
		s.Gauge("fees_follow_head_height", "Newest final block that the source reported.", float64(head))
	}
	if at, ok := f.at.Get(); ok {
		s.Gauge("fees_follow_last_change_timestamp_seconds", "Time of the last change to the ledger.", float64(at.UnixMilli())/1000)
	}
}
