package web

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// slots limit what runs at once, and what waits.
type slots struct{ working, waiting chan struct{} }

func newSlots(atOnce int) slots {
	return slots{make(chan struct{}, atOnce), make(chan struct{}, maxWaiting)}
}

// errBusy reports that the queue is full.
var errBusy = errors.New("the request queue is full")

// acquire waits for a slot; leave releases it.
func (s slots) acquire(ctx context.Context) (leave func(), err error) {
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return nil, errBusy
	}
	select {
	case s.working <- struct{}{}:
		return sync.OnceFunc(func() { <-s.working }), nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

// maxProving limits the concurrent reads of a ledger that are proved by a source.
const maxProving = 2

// A read that takes longer than slowRead may be waiting for its database.
const slowRead = 2 * time.Second

// maxSlowReads limits those that left their slot to others.
const maxSlowReads = 3

// ledgerSlots are the slots of a ledger, so that a slow one takes none of the others. Expensive reads have their own, and
// share memory with those of all ledgers. So have reads that also query a source, which may be slow.
type ledgerSlots struct{ short, long, longOfAll, slowOfAll, proving slots }

// newLedgerSlots returns the slots of each of some ledgers.
func newLedgerSlots(ledgers, atOnce int) func() ledgerSlots {
	own, all := maxLongReads, maxLongReads
	if ledgers > 1 {
		own, atOnce = min(own, 1), max(atOnce/2, 1)
		all = min(max(ledgers, all), max(runtime.GOMAXPROCS(0)+1, all), maxLongReadsOfAll)
	}
	ofAll, slow := newSlots(all), newSlots(maxSlowReads)
	ofAll.waiting = make(chan struct{}, ledgers*maxWaiting)
	return func() ledgerSlots {
		return ledgerSlots{newSlots(atOnce), newSlots(own), ofAll, slow, newSlots(maxProving)}
	}
}

// acquireLong waits for a slot for an expensive read of the ledger, then for one of all ledgers. A slow read moves to a slot for
// slow ones when one is free.
func (s *ledgerSlots) acquireLong(ctx context.Context) (leave func(), err error) {
	own, err := s.long.acquire(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.longOfAll.acquire(ctx)
	if err != nil {
		own()
		return nil, err
	}
	done := make(chan struct{})
	move := time.AfterFunc(slowRead, func() {
		select {
		case s.slowOfAll.working <- struct{}{}:
			all()
			<-done
			<-s.slowOfAll.working
		case <-done:
		}
	})
	return sync.OnceFunc(func() {
		move.Stop()
		close(done)
		all()
		own()
	}), nil
}
